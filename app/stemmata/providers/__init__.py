"""Models behind Anthropic's and OpenAI's APIs, and MCP servers.

The only package that uses the network; SDKs are imported inside functions.
"""

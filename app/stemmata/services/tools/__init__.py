"""Tools that a model may call: our own tools and those of MCP servers, with the user's consent.

This room owns consent and dispatch. It never implements a transport: `providers/mcp` does.
"""

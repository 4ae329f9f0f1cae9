"""MCP servers: programs and addresses whose tools a model may call.

Owns the transport and the answers; never the consent.
"""

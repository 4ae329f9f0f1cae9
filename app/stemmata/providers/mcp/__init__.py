"""MCP servers: programs and remote servers whose tools a model may call.

This room owns the transport and the answers. It never asks for consent.
"""

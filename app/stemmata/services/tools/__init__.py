"""Tools that a model may call: our own, and those of MCP servers, with the consent of the person.

Owns consent and dispatch; never a transport.
"""

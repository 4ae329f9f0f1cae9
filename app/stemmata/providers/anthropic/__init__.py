"""Anthropic's Messages API, and compatible servers.

This room owns the wire format. It never decides which messages are sent.
"""

"""Anthropic's Messages API, and servers that speak it.

Owns this wire format; never decides what is sent.
"""

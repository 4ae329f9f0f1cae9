"""OpenAI's Chat Completions and Responses APIs, and compatible servers.

This room owns these wire formats. It never decides which messages are sent.
"""

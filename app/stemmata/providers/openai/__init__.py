"""OpenAI's Chat Completions and Responses, and servers that speak them.

Owns these wire formats; never decides what is sent.
"""

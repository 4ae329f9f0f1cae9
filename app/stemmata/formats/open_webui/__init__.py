"""Open WebUI's export: many chats in one file, each a tree with all regenerated and edited messages.

Owns the reading of that file; it is never written.
"""

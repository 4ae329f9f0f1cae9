"""LibreChat's export: a conversation with all its branches, as a list of messages or as a tree of them.

Owns the reading of that file; it is never written.
"""

"""ChatGPT's export: many conversations in one file, each a tree with all regenerated and edited messages.

Owns the reading of that file; it is never written.
"""

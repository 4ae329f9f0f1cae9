"""Functions over single strings: translatable phrases, plain text from Markdown, tool wrappers, JSON, word diffs.

Nothing here knows about entries or sessions.
"""

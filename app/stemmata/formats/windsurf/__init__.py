"""The transcripts that Windsurf writes for its hooks.

Owns the reading of these files; they are never written.
"""

"""Grok's export: many conversations in one file, each with all edits and regenerated replies.

Owns the reading of that file; it is never written.
"""

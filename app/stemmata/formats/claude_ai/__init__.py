"""claude.ai's export: many conversations in one file, each a list of messages that may name their parents.

Owns the reading of that file; it is never written.
"""

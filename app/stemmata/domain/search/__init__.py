"""The matching rules of searches: exact text in the entries of a session, fuzzy matches of names in lists.

The full-text index belongs to the store; nothing here reads the archive.
"""

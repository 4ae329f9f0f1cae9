"""Finding text and names: exact matches in a session, fuzzy matches in lists.

Owns the matching rules; never reads the archive (the store owns the full-text index).
"""

"""Sessions and the log of each session's leaf.

Owns those tables; never the content of entries.
"""

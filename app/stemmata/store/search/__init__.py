"""Full text: queries, hits and snippets.

It reads the index, and does not decide which text of an entry is indexed.
"""

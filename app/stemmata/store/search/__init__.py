"""Full text: queries, hits and snippets.

Owns the reading of the index; never what is indexed of an entry.
"""

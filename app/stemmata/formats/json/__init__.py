"""Export of a whole session as one JSON document.

Owns the document; never reads one.
"""

"""Two branches side by side.

Owns the page; never the alignment.
"""

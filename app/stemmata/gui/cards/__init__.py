"""The cards of a transcript: one module per kind of entry. Cards are painted from pieces.

This room owns the appearance of an entry. It never scrolls and never reads the archive.
"""

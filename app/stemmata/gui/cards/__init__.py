"""The cards of a transcript, one kind of entry each, painted from pieces.

Owns how an entry looks; never scrolls or fetches.
"""

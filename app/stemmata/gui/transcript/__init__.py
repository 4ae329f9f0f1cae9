"""The transcript: the cards of the path that is shown, find, selection, raw entries, images.

Owns the list; never the look of a card.
"""

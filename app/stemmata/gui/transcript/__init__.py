"""The transcript: the cards of the displayed path, find, selection, the raw view of an entry, images.

This room owns the list of cards. It never decides how a card looks: `gui/cards` does.
"""

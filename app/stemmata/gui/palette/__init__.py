"""The command palette: one field that finds actions, sessions and text.

This package selects and orders the rows; the actions themselves are defined elsewhere.
"""

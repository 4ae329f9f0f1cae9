"""Entries, their content blocks and token figures, and the tree that links the entries of a session.

Which entries are sent to a model is decided in `domain/context`; the facts about a session are in `domain/sessions`.
"""

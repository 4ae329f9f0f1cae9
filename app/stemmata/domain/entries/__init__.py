"""Entries, their content blocks and token figures, and the session tree that links them.

The structure of one session; which entries are sent to a model is decided in `domain/context`.
"""

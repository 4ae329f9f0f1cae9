"""Entries, their content blocks and token figures, and the session tree that links them.

Owns the structure of one session; never decides what a model is sent.
"""

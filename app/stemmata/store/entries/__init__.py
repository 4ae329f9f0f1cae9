"""Entries: adding them, and reading rows, bodies, records and whole trees.

Owns the tables of entries; never the list of sessions.
"""

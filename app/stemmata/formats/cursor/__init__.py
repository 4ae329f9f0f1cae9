"""Cursor: the editor's database of keys and values, in which a session is a list of messages with a value each.

This package reads the database without changing it. It writes none.
"""

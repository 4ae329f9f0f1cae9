"""Goose: a database of sessions whose messages say whether the model and the person see them.

This package reads the database without changing it, and the files of older versions. It writes neither.
"""

"""opencode: a database of sessions, with turns that its reverts hide or delete.

This package reads the database without changing it, and the files of older versions. It writes neither.
"""

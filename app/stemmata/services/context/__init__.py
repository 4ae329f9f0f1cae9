"""The context at an entry and the facts of a session, for the window and the command line.

Owns the caches of projections; never changes the archive.
"""

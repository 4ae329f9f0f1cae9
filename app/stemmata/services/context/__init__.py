"""The context at an entry and the facts of a session, for the window and the command line.

This room owns the caches of projections. It never changes the archive.
"""

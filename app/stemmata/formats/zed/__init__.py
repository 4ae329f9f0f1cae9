"""Zed: a database of the threads of its agent. Each thread is a document, which Zed rewrites when the thread changes.
This package reads the database and never changes it.
"""

"""Zed: a database of the threads of its agent, each a document that is written anew when it changes.

This package reads the database without changing it. It writes none.
"""

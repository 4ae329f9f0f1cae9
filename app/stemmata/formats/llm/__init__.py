"""llm, the command-line program: a database of threads whose messages are a tree, and of older conversations.

This package reads the database without changing it. It writes none.
"""

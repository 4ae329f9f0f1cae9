"""Aider: the Markdown file in a project's folder to which each run of the program appends its conversation.

This package reads these files. It writes none.
"""

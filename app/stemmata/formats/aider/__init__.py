"""Aider: the Markdown file in a project's folder to which each run of the program appends what was said.

This package reads these files. It writes none.
"""

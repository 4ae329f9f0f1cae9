"""Codex sessions (CLI, Desktop, IDE): read, with the branches that Codex hides.

This package owns Codex's record types and the layout of its home folder.
"""

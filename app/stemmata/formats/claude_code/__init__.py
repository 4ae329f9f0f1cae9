"""Claude Code sessions with their subagents, rewinds and compaction boundaries.

This package recognises and reads the files, resumes reading files that have grown, and writes a new file when a
session is handed over to Claude Code. It never changes a file.
"""

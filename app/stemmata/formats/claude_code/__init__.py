"""Claude Code sessions with their subagents, rewinds and compaction boundaries.

This package recognises and reads the files, and resumes reading files that have grown; it never writes one.
"""

"""Claude Code: sessions with their subagents, rewinds and compaction boundaries.

Owns recognising, reading and restarting; never writes a file.
"""

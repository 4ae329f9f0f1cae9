"""Tool calls and their results: which kind of tool was called, what it did, how it ended, and how a result is shown.

Nothing here runs a tool. The files that calls read and changed are in `domain/files`.
"""

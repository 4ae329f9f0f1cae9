"""Sources: what a reader finds in the files of a tool, what an import reports, and what an export writes.

The readers and writers themselves are in `formats`.
"""

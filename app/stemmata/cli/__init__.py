"""The command line: the same services without a window."""

from stemmata.cli.program import main

__all__ = ["main"]

"""The command line: the services of Stemmata without a window."""

from stemmata.cli.program import main

__all__ = ["main"]

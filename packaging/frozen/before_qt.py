"""Runs in the frozen program before PyInstaller's own hooks, one of which imports Qt.

A second start that a running window takes ends here, so that it does not wait for Qt.
"""

import sys

from stemmata.__main__ import is_taken

if is_taken(sys.argv[1:]):
    sys.exit(0)

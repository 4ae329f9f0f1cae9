"""Start the window or the command line.

Before anything else is imported, a running window is asked to take the request: this takes little longer than
Python's own start. `bootstrap` does everything else; the command line works where Qt cannot be loaded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from stemmata.arguments import DASH, name_to_open, profile_options, wants_window
from stemmata.system.window_socket import quick_socket

COMPLETION = "_STEMMATA_COMPLETE"  # set by a shell that asks how to complete a command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run Stemmata. Exit status: 0 done, 1 known error, 2 wrong usage, 3 done, but some input was skipped."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if "--version" in arguments:
        from stemmata.version import version_text  # imported late, see decision 26

        sys.stdout.write(f"stemmata {version_text()}\n")
        return 0
    if wants_window(arguments) and COMPLETION not in os.environ:
        return open_window(arguments)
    from stemmata.bootstrap import entrance  # imported late, see decision 26

    return entrance.run_command(arguments)


def open_window(arguments: Sequence[str] | None = None) -> int:
    """Run the window until it is closed, or pass the request to a running window. Returns the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if is_taken(arguments):
        return 0
    from stemmata.bootstrap import entrance  # imported late, see decision 26

    return entrance.open_window(arguments, _quick_socket(arguments))


def is_taken(arguments: Sequence[str]) -> bool:
    """Return whether the arguments ask for a window, and a running window took the request.

    The frozen program asks this before it loads Qt. Standard input, arguments that need an error message, and unusual
    paths are left to `main`.
    """
    if "--version" in arguments or not wants_window(arguments) or COMPLETION in os.environ:
        return False
    name = name_to_open(arguments)
    socket = _quick_socket(arguments)
    if name == DASH or not os.path.exists(socket):
        return False
    from stemmata.gui.window.asking import hand_over  # imported late, see decision 26

    return hand_over(socket, name)


def _quick_socket(arguments: Sequence[str]) -> str:
    return quick_socket(os.environ, **profile_options(arguments))


if __name__ == "__main__":
    sys.exit(main())

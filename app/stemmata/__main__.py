"""Start the window or the command line.

The entrances are imported only once that is decided: the command line works where Qt cannot be loaded, and a request
to a running window takes no longer than Python's own start.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Sequence

from stemmata.arguments import name_to_open, profile_options, wants_window
from stemmata.domain.errors import KnownError
from stemmata.domain.text.untrusted import with_visible_controls
from stemmata.gui.window.asking import hand_over
from stemmata.system.desktop import has_display, no_display, not_loaded
from stemmata.system.logs import CrashGuard, Logs
from stemmata.system.paths import Profile
from stemmata.version import version_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run Stemmata. Exit status: 0 done, 1 known error, 2 wrong usage, 3 done, but some input was skipped."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if "--version" in arguments:
        sys.stdout.write(f"stemmata {version_text()}\n")
        return 0
    if wants_window(arguments):
        return open_window(arguments)
    try:
        from stemmata.bootstrap import commands  # a door

        return commands.command_line(arguments)
    except ImportError as error:
        return _not_loaded(error)


def open_window(arguments: Sequence[str] | None = None) -> int:
    """Run the window until it is closed, or pass the request to a running window. Returns the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        profile = Profile.choose(os.environ, **profile_options(arguments))
        profile.create()
        logs = Logs(profile.log, verbose=arguments.count("-v"))
        guard = CrashGuard(profile.crash)
    except KnownError as error:
        sys.stderr.write(f"{with_visible_controls(str(error))}\n")
        return 1
    if guard.previous:
        logging.getLogger("stemmata").error("The previous run crashed:\n%s", guard.previous)
    try:
        if _is_handed_over(profile.socket, name_to_open(arguments)):
            return 0
        if not has_display(os.environ):
            raise KnownError(no_display())
        gc.disable()  # while modules load, collections would take a twelfth of the start; `window` goes on with it
        from stemmata.bootstrap import window  # a door

        return window.run(arguments)
    except KnownError as error:
        sys.stderr.write(f"{with_visible_controls(str(error))}\n")
        return 1
    except ImportError as error:
        return _not_loaded(error)
    finally:
        gc.enable()
        guard.close()
        logs.close()


def _is_handed_over(socket: str, name: str) -> bool:
    """Return whether a running window took the request. Paths are made absolute for that process."""
    return os.path.exists(socket) and hand_over(socket, os.path.abspath(name) if os.path.exists(name) else name)


def _not_loaded(error: ImportError) -> int:
    """Print which library the system lacks; raise the error again when the cause is a bug in Stemmata."""
    message = not_loaded(error, os.environ)
    if not message:
        raise error
    sys.stderr.write(f"{message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

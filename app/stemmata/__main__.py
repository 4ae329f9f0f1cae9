"""Starts the window or the command line. Loads neither Qt nor the archive until it knows which."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from stemmata.arguments import places, wants_window


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 1 a known error, 2 wrong usage, 3 done with some input skipped."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if "--version" in arguments:
        from stemmata import __version__

        sys.stdout.write(f"stemmata {__version__}\n")
        return 0
    if wants_window(arguments):
        return open_window(arguments)
    try:
        from stemmata import bootstrap

        return bootstrap.command_line(arguments)
    except ImportError as error:
        return _not_loaded(error)


def open_window(arguments: Sequence[str] | None = None) -> int:
    """Run the window until it is closed."""
    import logging

    from stemmata.domain.errors import KnownError
    from stemmata.domain.text.untrusted import with_visible_controls
    from stemmata.system.logs import CrashGuard, Logs
    from stemmata.system.paths import Profile

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        profile = Profile.choose(os.environ, **places(arguments))
        profile.create()
        logs = Logs(profile.log, verbose=arguments.count("-v"))
        guard = CrashGuard(profile.crash)
    except KnownError as error:
        sys.stderr.write(f"{with_visible_controls(str(error))}\n")
        return 1
    if guard.previous:
        logging.getLogger("stemmata").error("The last run ended in a crash:\n%s", guard.previous)
    try:
        from stemmata import bootstrap

        return bootstrap.run(arguments)
    except KnownError as error:
        sys.stderr.write(f"{with_visible_controls(str(error))}\n")
        return 1
    except ImportError as error:
        return _not_loaded(error)
    finally:
        guard.close()
        logs.close()


def _not_loaded(error: ImportError) -> int:
    """Say what the system lacks; raises the error again where it is a mistake of the program."""
    from stemmata.system.desktop import not_loaded

    said = not_loaded(error, os.environ)
    if not said:
        raise error
    sys.stderr.write(f"{said}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

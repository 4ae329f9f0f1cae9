"""Start the window or the command line. Qt and the archive are imported only once that is decided."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from stemmata.arguments import profile_options, wants_window


def main(arguments: Sequence[str] | None = None) -> int:
    """Run Stemmata. Exit status: 0 done, 1 known error, 2 wrong usage, 3 done, but some input was skipped."""
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
    """Run the window until it is closed, and return the exit status."""
    import logging

    from stemmata.domain.errors import KnownError
    from stemmata.domain.text.untrusted import with_visible_controls
    from stemmata.system.logs import CrashGuard, Logs
    from stemmata.system.paths import Profile

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
    """Print which library the system lacks; raise the error again when the cause is a bug in Stemmata."""
    from stemmata.system.desktop import not_loaded

    message = not_loaded(error, os.environ)
    if not message:
        raise error
    sys.stderr.write(f"{message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

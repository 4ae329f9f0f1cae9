"""Starts the window or the command line. Loads neither Qt nor the archive until it knows which."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

VALUED = {"--store": "store", "--profile": "folder"}  # the global options that take a value
HELP = {"--help", "-h"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 1 a known error, 2 wrong usage, 3 done with some input skipped."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if "--version" in arguments:
        from stemmata import __version__

        sys.stdout.write(f"stemmata {__version__}\n")
        return 0
    if wants_window(arguments):
        return open_window(arguments)
    from stemmata import bootstrap, cli

    return cli.main(arguments, bootstrap.Opener())


def open_window(arguments: Sequence[str] | None = None) -> int:
    """Run the window until it is closed."""
    from stemmata.domain.errors import KnownError
    from stemmata.system.crash import CrashGuard
    from stemmata.system.logs import Logs
    from stemmata.system.paths import Profile

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        profile = Profile.choose(os.environ, **chosen(arguments))
        profile.create()
        logs = Logs(profile.log, verbose=arguments.count("-v"))
        guard = CrashGuard(profile.crash)
    except KnownError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    try:
        from stemmata import bootstrap

        return bootstrap.run(arguments)
    except KnownError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        guard.close()
        logs.close()


def wants_window(arguments: Sequence[str]) -> bool:
    """Whether there is no command, or it is `open`. A call for help is for the command line."""
    if HELP & set(arguments):
        return False
    rest = iter(arguments)
    for argument in rest:
        if argument in VALUED:
            next(rest, None)
        elif not argument.startswith("-"):
            return argument == "open"
    return True


def chosen(arguments: Sequence[str]) -> dict[str, str]:
    """The values of --profile and --store, as `Profile.choose` names them. The last one counts."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, separator, value = argument.partition("=")
        if name in VALUED:
            found[VALUED[name]] = value if separator else next(rest, "")
    return found


if __name__ == "__main__":
    sys.exit(main())

"""Runs the window or a command, when no running window has taken the request."""

from __future__ import annotations

import gc
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence

from stemmata.arguments import DASH, name_to_open, profile_options
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.domain.text.untrusted import with_visible_controls
from stemmata.system.desktop import has_display, no_display, not_loaded
from stemmata.system.logs import CrashGuard, Logs
from stemmata.system.paths import Profile
from stemmata.system.standard_input import session_from_standard_input
from stemmata.system.start_lock import StartLock

PATIENCE = 60.0  # seconds that a start waits for the window of another one
LOOK = 0.02  # seconds between two looks at it


def open_window(arguments: list[str], asked: str) -> int:
    """Run the window until it is closed, or pass the request to a running window. Returns the exit status.

    `asked` is the socket that a running window was already looked for at, "" for none.
    """
    try:
        profile = Profile.choose(os.environ, **profile_options(arguments))
        name = name_to_open(arguments)
        if name == DASH:
            name, asked = str(session_from_standard_input(profile, sys.stdin)), ""
            arguments[arguments.index(DASH)] = name
        if profile.socket != asked and _is_taken(profile.socket, name):
            return 0
        profile.create()
        starting = _first_start(profile, name) if profile.socket else StartLock(profile.start_lock)
    except KnownError as error:
        return tell(error)
    if starting is None:
        return 0
    try:
        return run_window(arguments, profile, starting.release)
    finally:
        starting.release()


def _first_start(profile: Profile, name: str) -> StartLock | None:
    """Return the lock on the start of the profile's window, once no other program holds it.

    Returns None when the window that the other program opened took the request. Raises KnownError after PATIENCE.
    """
    lock = StartLock(profile.start_lock)
    ends = time.monotonic() + PATIENCE
    while not lock.take():
        if _is_taken(profile.socket, name):
            return None
        if time.monotonic() > ends:
            raise KnownError(
                Phrase(
                    "Stemmata was started already (process {0}), but its window does not respond yet. "
                    "Nothing was changed. Answer its dialog, wait for it, or end that process.",
                    lock.holder(),
                )
            )
        time.sleep(LOOK)
    if _is_taken(profile.socket, name):  # the window listens since the lock was released
        lock.release()
        return None
    return lock


def _is_taken(socket: str, name: str) -> bool:
    if not os.path.exists(socket):
        return False
    from stemmata.gui.window.asking import hand_over  # imported late, see decision 26

    return hand_over(socket, name)


def run_window(arguments: Sequence[str], profile: Profile, on_listening: Callable[[], None]) -> int:
    """Run the window until it is closed. Returns the exit status.

    `on_listening` is called when the window takes the requests of later starts.
    """
    try:
        logs = Logs(profile.log, verbose=arguments.count("-v"))
        guard = CrashGuard(profile.crash)
    except KnownError as error:
        return tell(error)
    if guard.previous:
        logging.getLogger("stemmata").error("The previous run crashed:\n%s", guard.previous)
    try:
        if not has_display(os.environ):
            raise KnownError(no_display())
        gc.disable()  # while modules load, collections would take a twelfth of the start; `window` goes on with it
        from stemmata.bootstrap import window  # imported late, see decision 26

        return window.run(arguments, on_listening)
    except KnownError as error:
        return tell(error)
    except ImportError as error:
        return _not_loaded(error)
    finally:
        gc.enable()
        guard.close()
        logs.close()


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and return the exit status."""
    try:
        from stemmata.bootstrap import commands  # imported late, see decision 26: it works where Qt cannot be loaded

        return commands.command_line(arguments)
    except ImportError as error:
        return _not_loaded(error)


def tell(error: KnownError) -> int:
    """Print the error and return its exit status."""
    sys.stderr.write(f"{with_visible_controls(str(error))}\n")
    return 1


def _not_loaded(error: ImportError) -> int:
    """Print which library the system lacks; raise the error again when the cause is a bug in Stemmata."""
    message = not_loaded(error, os.environ)
    if not message:
        raise error
    sys.stderr.write(f"{message}\n")
    return 1

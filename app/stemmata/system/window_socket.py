"""The socket at which a profile's running window listens.

A second start of the program asks that window before anything else. To be fast it uses `quick_socket`, which needs
neither pathlib nor platformdirs: loading them takes longer than the request.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Mapping

LONGEST_SOCKET = 100  # bytes; the operating system's limit is 104 to 108


def socket_of(state: str, store: str) -> str:
    """Return the socket of the profile with this state folder and archive; "" on Windows, where none is used."""
    if os.name == "nt":
        return ""
    path = f"{state}/window-{zlib.crc32(os.fsencode(store)):08x}.socket"
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    place = f"{zlib.crc32(os.fsencode(path)):08x}"
    return os.path.join(os.environ.get("XDG_RUNTIME_DIR") or "/tmp", f"stemmata-{os.getuid()}-{place}.socket")  # noqa: S108 - the socket is its user's alone


def quick_socket(environment: Mapping[str, str], *, folder: str | None = None, store: str | None = None) -> str:
    """Return the socket of the profile that `Profile.choose` returns for the same arguments.

    Returns "" where only `Profile.choose` can tell: on other systems than Linux, and for unusual paths.
    """
    if not sys.platform.startswith("linux") or "ANDROID_ROOT" in environment:
        return ""
    folder = folder or environment.get("STEMMATA_PROFILE")
    store = store or environment.get("STEMMATA_STORE")
    if folder:
        state, data = f"{folder}/state", f"{folder}/data"
    else:
        state = _standard(environment, "XDG_STATE_HOME", "/.local/state")
        data = _standard(environment, "XDG_DATA_HOME", "/.local/share")
    state, store = _plain(state), _plain(store or f"{data}/archive.db")
    return socket_of(state, store) if state and store else ""


def _standard(environment: Mapping[str, str], name: str, below_home: str) -> str:
    """Return the standard folder that the variable gives, or else the home folder; relative when that is unknown."""
    chosen, home = environment.get(name, ""), environment.get("HOME", "")
    return f"{chosen}/stemmata" if chosen.startswith("/") else f"{home or '.'}{below_home}/stemmata"


def _plain(path: str) -> str:
    """Return the path if it is absolute and spelled in the shortest way, else ""."""
    parts = path.split("/")
    return path if parts[0] == "" and len(parts) > 1 and not {"", "."} & {*parts[1:]} else ""

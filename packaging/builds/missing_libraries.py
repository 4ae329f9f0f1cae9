"""Hides each library of the system that the window needs, starts the window, and prints a table of what it says.

    python -m builds.missing_libraries SUITE    bookworm, trixie or ubuntu-like; needs root and debootstrap

The program is the installed wheel: the frozen program contains some of these libraries.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from builds.bare_system import (
    DISPLAY,
    ON_WAYLAND,
    STEPS,
    Bare,
    bare_system,
    compositor,
    display_server,
    forget_windows,
    put_packages,
    sockets,
    until,
)
from builds.places import WORK, say
from stemmata.system.desktop import ALWAYS, WAYLAND, X11

X = {"DISPLAY": DISPLAY}


def rows(bare: Bare, command: str) -> Iterator[str]:
    """Yield the rows of the table."""
    cases: list[tuple[str, Mapping[str, str]]] = [(name, X) for name in (*ALWAYS, *X11)]
    cases += [(name, ON_WAYLAND) for name in WAYLAND]
    for name, environment in cases:
        stem = name.partition(".so")[0]
        with hidden(bare.root, f"{stem}.so*"):
            yield f"| `{name}` | {told(bare, command, environment)} |"
    with hidden(bare.root, "fonts", "usr/share"), hidden(bare.root, "fonts", "usr/local/share"):
        yield f"| fonts | {told(bare, command, X)} |"
    yield f"| a display | {told(bare, command, {})} |"
    yield f"| a display that answers | {told(bare, command, {'DISPLAY': ':9'})} |"
    yield f"| nothing | {told(bare, command, X)} |"
    yield f"| nothing, Wayland | {told(bare, command, ON_WAYLAND)} |"


@contextmanager
def hidden(root: Path, pattern: str, *folders: str) -> Iterator[None]:
    """Give the files another name for as long as the context lasts."""
    places = folders or ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")
    found = {path for place in places for path in (root / place).glob(pattern)}
    moved = []
    for path in sorted(found):
        if os.path.lexists(path):
            path.rename(f"{path}.hidden")
            moved.append(path)
    try:
        yield
    finally:
        for path in moved:
            Path(f"{path}.hidden").rename(path)


def told(bare: Bare, command: str, environment: Mapping[str, str]) -> str:
    """Return the exit status and what is printed, in the cells of a row."""
    forget_windows(bare)
    with subprocess.Popen(
        bare.command(f"exec {command}", "tester", **environment),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as program:  # fmt: skip
        try:
            until(lambda: program.poll() is not None or sockets(bare) != [], 120)
            opened = program.poll() is None
        finally:
            program.terminate()
        said = (program.communicate(timeout=60)[0] or "").strip()
    crash = bare.root / "home/tester/.local/state/stemmata/crash.txt"
    crashed = " **crash noted**" if crash.exists() and crash.stat().st_size else ""
    if opened:
        return f"— | the window opens{crashed}"
    return f"{program.returncode} | {'<br>'.join(said.splitlines())}{crashed}"


def main(suite: str) -> int:
    """Print the table for a suite."""
    install, command, *_ = STEPS["wheel"]
    with display_server(), bare_system(suite, WORK / f"missing-{suite}") as bare:
        put_packages(suite, "wheel", bare)
        with bare.mounted():
            for user, script in install:
                bare.sh(script, user=user)
            with compositor(bare):
                say("| missing | exit code | what is printed |\n|---|---|---|")
                for row in rows(bare, command):
                    say(row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""The socket that a second start finds early is that of its profile, or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from stemmata.domain.errors import KnownError
from stemmata.system.paths import Profile
from stemmata.system.window_socket import LONGEST_SOCKET, quick_socket

PATHS = some.none() | some.lists(
    some.sampled_from(["", ".", "..", "~", "/", "a", "bü", " ", "x" * 60]), max_size=5
).map("/".join)
NAMES = ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "STEMMATA_PROFILE", "STEMMATA_STORE")


@given(some.fixed_dictionaries(dict.fromkeys(NAMES, PATHS)), PATHS, PATHS)
def test_it_is_the_socket_of_the_profile_or_none(
    values: dict[str, str | None], folder: str | None, store: str | None
) -> None:
    environment = {name: value for name, value in values.items() if value is not None}
    quick = quick_socket(environment, folder=folder, store=store)
    with pytest.MonkeyPatch.context() as patch:
        for name in NAMES:
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            socket = Profile.choose(environment, folder=folder, store=store).socket
        except (KnownError, RuntimeError):  # an unknown home folder
            socket = ""
    assert quick in ("", socket)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="found early on Linux only")
@pytest.mark.parametrize("options", [{}, {"folder": "/p"}, {"store": "/s/a.db"}, {"folder": f"/{'p' * 120}"}])
def test_it_is_found_for_the_usual_profiles(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/someone")
    socket = quick_socket(os.environ, **options)
    assert socket == Profile.choose(os.environ, **options).socket
    assert 0 < len(socket) <= LONGEST_SOCKET


def test_elsewhere_it_is_not_found_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert quick_socket({"HOME": "/home/someone"}) == ""


def test_what_is_loaded_before_a_running_window_is_asked(tmp_path: Path) -> None:
    """Each of these takes a large part of the time that a second start may take."""
    code = (
        "import sys, stemmata.__main__ as start, stemmata.gui.window.asking as asking; start.is_taken([]);"
        "print(*sorted({'pathlib', 'platformdirs', 'typing', 'inspect', 'logging', 'PySide6'} & {*sys.modules}))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "app"), "HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""

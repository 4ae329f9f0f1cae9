from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import pytest

from stemmata.system import desktop
from stemmata.system.desktop import cannot_open, has_display, install_lines, missing_libraries, not_loaded

DEV = Path(__file__).parents[3] / "packaging" / "dev"


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Make these libraries missing from the system; all others are present."""
    names: set[str] = set()

    def load(name: str) -> None:
        if name in names:
            raise OSError(f"{name}: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", load)
    return names


@pytest.mark.parametrize(
    ("environment", "has"),
    [({}, False), ({"DISPLAY": ""}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True),
     ({"QT_QPA_PLATFORM": "offscreen"}, True)],
)  # fmt: skip
def test_where_there_is_a_display(environment: dict[str, str], has: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert has_display(environment) is has
    monkeypatch.setattr(sys, "platform", "darwin")
    assert has_display(environment)


def test_only_what_this_display_needs_is_looked_for(lacking: set[str]) -> None:
    lacking |= {"libEGL.so.1", "libxcb-cursor.so.0", "libwayland-egl.so.1"}
    assert missing_libraries({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}) == ["libEGL.so.1"]
    assert missing_libraries({"DISPLAY": ":0"}) == ["libEGL.so.1", "libxcb-cursor.so.0"]
    assert missing_libraries({"WAYLAND_DISPLAY": "w"}) == ["libEGL.so.1", "libwayland-egl.so.1"]
    assert missing_libraries({"QT_QPA_PLATFORM": "wayland;xcb"}) == ["libEGL.so.1", "libwayland-egl.so.1"]


def test_elsewhere_nothing_is_looked_for(lacking: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lacking.add("libEGL.so.1")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert missing_libraries({}) == []


def test_a_missing_library_is_named_with_the_line_that_installs_it(lacking: set[str]) -> None:
    lacking |= {"libxcb-cursor.so.0", "libxcb-shape.so.0", "libxcb-randr.so.0"}
    said = cannot_open(["Could not load the Qt platform plugin"], {"DISPLAY": ":0"})
    assert "lacks libxcb-cursor.so.0, libxcb-shape.so.0, libxcb-randr.so.0" in said
    assert "apt-get install --no-install-recommends libxcb-cursor0 libxcb-shape0 libxcb-randr0\n" in said
    assert "dnf install xcb-util-cursor libxcb\n" in said
    assert "pacman -S --needed xcb-util-cursor libxcb\n" in said
    assert "zypper install libxcb-cursor0 libxcb-shape0 libxcb-randr0\n" in said


def test_not_all_are_named_where_many_are_missing(lacking: set[str]) -> None:
    lacking |= set(desktop.ALWAYS)
    said = cannot_open([], {})
    assert "libglib-2.0.so.0, libgthread-2.0.so.0, libGL.so.1, libEGL.so.1, libxkbcommon.so.0 and 4 more" in said
    assert "libx11-6\n" in said


def test_a_library_that_is_not_known_is_named_all_the_same() -> None:
    assert install_lines(["libodd.so.1"]) == ["Install the packages that contain them."]


def test_a_display_that_does_not_answer_is_named(lacking: set[str]) -> None:
    lacking.add("libwayland-egl.so.1")
    said = cannot_open(["qt.qpa.xcb: could not connect to display :7"], {"DISPLAY": ":7", "WAYLAND_DISPLAY": "w"})
    assert "does not respond (DISPLAY=:7, WAYLAND_DISPLAY=w)" in said


def test_else_qt_has_its_word(lacking: set[str]) -> None:
    assert "Qt is odd today." in cannot_open(["Qt is odd\n", "today."], {})
    assert "gives no reason" in cannot_open([], {})


def test_what_could_not_be_loaded(lacking: set[str]) -> None:
    broken = "libEGL.so.1: cannot open shared object file: No such file or directory"
    lacking.add("libGL.so.1")
    said = not_loaded(ImportError(broken, name="PySide6.QtGui"), {})
    assert "lacks libEGL.so.1, libGL.so.1." in said
    assert "pip install" in not_loaded(ModuleNotFoundError("No module named 'PySide6'", name="PySide6"), {})
    old = "/lib/libc.so.6: version `GLIBC_2.34' not found"
    assert old in not_loaded(ImportError(old, name="PySide6.QtCore"), {})
    assert not_loaded(ImportError("cannot import name 'x'", name="stemmata.domain"), {}) == ""


def test_what_the_script_installs_is_what_is_listed_for_debian() -> None:
    pairs = re.findall(r"(lib[\w.+-]+\.so\.\d+)=([\w.|+-]+)", DEV.read_text(encoding="utf-8"))
    table = desktop.ALWAYS | desktop.X11 | desktop.WAYLAND
    assert len(pairs) > 10
    for library, package in pairs:
        if library == "libgssapi_krb5.so.2":  # for the tools of the translations, which the window does not need
            continue
        assert table[library].debian in package.split("|"), library

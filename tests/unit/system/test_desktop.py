from __future__ import annotations

import ctypes
import re
import shutil
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


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that describes the system; missing at first. The user is not root, and has sudo."""
    monkeypatch.setattr(desktop, "_is_root", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    return tmp_path / "os-release"


def test_a_missing_library_is_named(lacking: set[str]) -> None:
    lacking |= {"libxcb-cursor.so.0", "libxcb-shape.so.0", "libxcb-randr.so.0"}
    said = cannot_open(["Could not load the Qt platform plugin"], {"DISPLAY": ":0"})
    assert "lacks libxcb-cursor.so.0, libxcb-shape.so.0, libxcb-randr.so.0" in said
    assert "libxcb-cursor0 libxcb-shape0 libxcb-randr0\n" in said


SHAPE = ["libxcb-shape.so.0", "libxcb-randr.so.0", "libxcb-cursor.so.0"]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("ID=debian\n", "sudo apt-get install --no-install-recommends libxcb-shape0 libxcb-randr0 libxcb-cursor0"),
        ("ID=linuxmint\nID_LIKE='ubuntu debian'", "sudo apt-get install --no-install-recommends libxcb-shape0 libx…"),
        ("NAME=Fedora\nID=fedora\n", "sudo dnf install libxcb xcb-util-cursor"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "sudo dnf install libxcb xcb-util-cursor"),
        ("ID=manjaro\nID_LIKE=arch\n", "sudo pacman -S --needed libxcb xcb-util-cursor"),
        (
            'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"',
            "sudo zypper install libxcb-shape0 libxcb-randr0 libx…",
        ),
    ],
)
def test_the_line_of_this_system_installs_them(text: str, command: str, release: Path) -> None:
    release.write_text(text)
    first, line, last = install_lines(SHAPE, release)
    assert (first, last) == ("Install them with", "and start Stemmata again.")
    assert line.strip().startswith(command.removesuffix("…"))


@pytest.mark.parametrize("text", ["", "ID=plan9\n", "ID='debian\n"])
def test_on_an_unknown_system_all_commands_are_listed(text: str, release: Path) -> None:
    if text:
        release.write_text(text)
    said = "\n".join(install_lines(SHAPE, release))
    assert all(family.command in said for family in desktop.FAMILIES)


def test_root_needs_no_sudo(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release.write_text("ID=debian\n")
    monkeypatch.setattr(desktop, "_is_root", lambda: True)
    assert "  apt-get install" in install_lines(SHAPE, release)[1]


def test_without_sudo_the_line_uses_su(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release.write_text("ID=fedora\n")
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert install_lines(SHAPE, release)[1] == "  su - -c 'dnf install libxcb xcb-util-cursor'"


def test_alpine_is_not_supported(release: Path) -> None:
    release.write_text("ID=alpine\n")
    assert "does not support this system" in " ".join(install_lines(SHAPE, release))


def test_without_fonts(release: Path) -> None:
    release.write_text("ID=fedora\n")
    said = desktop.no_fonts(release)
    assert "has no fonts" in said
    assert "  sudo dnf install dejavu-sans-fonts\n" in said
    assert "Nothing was changed." in said


def test_not_all_are_named_where_many_are_missing(lacking: set[str]) -> None:
    lacking |= set(desktop.ALWAYS)
    said = cannot_open([], {})
    assert "libglib-2.0.so.0, libgthread-2.0.so.0, libGL.so.1, libEGL.so.1, libxkbcommon.so.0 and 4 more" in said
    assert "libx11-6\n" in said


def test_a_library_that_is_not_known_is_named_all_the_same(release: Path) -> None:
    assert "Install the packages that contain them" in install_lines(["libodd.so.1"], release)[0]


def test_a_display_that_does_not_answer_is_named(lacking: set[str]) -> None:
    lacking.add("libwayland-egl.so.1")
    said = cannot_open(["qt.qpa.xcb: could not connect to display :7"], {"DISPLAY": ":7", "WAYLAND_DISPLAY": "w"})
    assert "does not respond (DISPLAY=:7, WAYLAND_DISPLAY=w)" in said


def test_without_a_library_of_wayland_the_display_is_not_blamed(lacking: set[str]) -> None:
    """Qt turns to X11 then, and says that it cannot connect."""
    lacking.add("libwayland-client.so.0")
    said = cannot_open(["qt.qpa.xcb: could not connect to display"], {"WAYLAND_DISPLAY": "w"})
    assert "lacks libwayland-client.so.0" in said


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
    """The script asks for every library that the window needs, under the same names."""
    pairs = re.findall(r"(lib[\w.+-]+\.so\.\d+)=([\w.|+-]+)", DEV.read_text(encoding="utf-8"))
    known = dict(pairs)
    known.pop("libgssapi_krb5.so.2")  # for the tools of the translations, which the window does not need
    table = desktop.ALWAYS | desktop.X11 | desktop.WAYLAND
    assert known.keys() == table.keys()
    for library, package in known.items():
        assert table[library].debian in package.split("|"), library

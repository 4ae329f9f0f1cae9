"""The system libraries that the window needs, and messages for systems on which it cannot open.

Without a display or a library, Qt ends the process without a useful message. `packaging/dev` installs the Debian
packages listed here; `pip install` installs none of them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Packages(NamedTuple):
    """The package that contains a library, in each family of Linux distributions."""

    debian: str
    fedora: str
    arch: str
    suse: str


class Family(NamedTuple):
    """A family of Linux distributions."""

    name: str
    column: str  # the attribute of `Packages` with the package's name
    command: str
    ids: str  # values of ID and ID_LIKE in /etc/os-release


FAMILIES = (
    Family("Debian, Ubuntu", "debian", "apt-get install --no-install-recommends", "debian ubuntu"),
    Family("Fedora", "fedora", "dnf install", "fedora rhel centos"),
    Family("Arch", "arch", "pacman -S --needed", "arch"),
    Family("openSUSE", "suse", "zypper install", "suse opensuse"),
)
UNSUPPORTED = {"alpine", "postmarketos"}  # values of ID: their C library is musl, for which Qt's wheels are not made
OS_RELEASE = Path("/etc/os-release")
ALWAYS = {
    "libglib-2.0.so.0": Packages("libglib2.0-0", "glib2", "glib2", "libglib-2_0-0"),
    "libgthread-2.0.so.0": Packages("libglib2.0-0", "glib2", "glib2", "libgthread-2_0-0"),
    "libGL.so.1": Packages("libgl1", "libglvnd-glx", "libglvnd", "Mesa-libGL1"),
    "libEGL.so.1": Packages("libegl1", "libglvnd-egl", "libglvnd", "Mesa-libEGL1"),
    "libxkbcommon.so.0": Packages("libxkbcommon0", "libxkbcommon", "libxkbcommon", "libxkbcommon0"),
    "libfontconfig.so.1": Packages("libfontconfig1", "fontconfig", "fontconfig", "libfontconfig1"),
    "libfreetype.so.6": Packages("libfreetype6", "freetype", "freetype2", "libfreetype6"),
    "libdbus-1.so.3": Packages("libdbus-1-3", "dbus-libs", "dbus", "libdbus-1-3"),
    "libX11.so.6": Packages("libx11-6", "libX11", "libx11", "libX11-6"),
}
X11 = {
    "libxkbcommon-x11.so.0": Packages(
        "libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11", "libxkbcommon-x11-0"
    ),
    "libxcb-cursor.so.0": Packages("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor", "libxcb-cursor0"),
    "libxcb-icccm.so.4": Packages("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm", "libxcb-icccm4"),
    "libxcb-keysyms.so.1": Packages("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms", "libxcb-keysyms1"),
    "libxcb-image.so.0": Packages("libxcb-image0", "xcb-util-image", "xcb-util-image", "libxcb-image0"),
    "libxcb-render-util.so.0": Packages(
        "libxcb-render-util0", "xcb-util-renderutil", "xcb-util-renderutil", "libxcb-render-util0"
    ),
    "libxcb-util.so.1": Packages("libxcb-util1", "xcb-util", "xcb-util", "libxcb-util1"),
    "libxcb-shape.so.0": Packages("libxcb-shape0", "libxcb", "libxcb", "libxcb-shape0"),
    "libxcb-randr.so.0": Packages("libxcb-randr0", "libxcb", "libxcb", "libxcb-randr0"),
    "libxcb-shm.so.0": Packages("libxcb-shm0", "libxcb", "libxcb", "libxcb-shm0"),
    "libxcb-sync.so.1": Packages("libxcb-sync1", "libxcb", "libxcb", "libxcb-sync1"),
    "libxcb-xfixes.so.0": Packages("libxcb-xfixes0", "libxcb", "libxcb", "libxcb-xfixes0"),
    "libxcb-render.so.0": Packages("libxcb-render0", "libxcb", "libxcb", "libxcb-render0"),
    "libxcb-xkb.so.1": Packages("libxcb-xkb1", "libxcb", "libxcb", "libxcb-xkb1"),
    "libX11-xcb.so.1": Packages("libx11-xcb1", "libX11-xcb", "libx11", "libX11-xcb1"),
}
WAYLAND = {
    "libwayland-client.so.0": Packages("libwayland-client0", "libwayland-client", "wayland", "libwayland-client0"),
    "libwayland-cursor.so.0": Packages("libwayland-cursor0", "libwayland-cursor", "wayland", "libwayland-cursor0"),
    "libwayland-egl.so.1": Packages("libwayland-egl1", "libwayland-egl", "wayland", "libwayland-egl1"),
}
FONTS = Packages("fonts-dejavu-core", "dejavu-sans-fonts", "ttf-dejavu", "dejavu-fonts")
WITHOUT_WINDOW = "Everything except the window works: see stemmata --help. Nothing was changed."
LISTED_LIBRARIES = 5  # missing libraries named in a message; further ones are counted
NO_CONNECTION = (
    "could not connect to display",
    "failed to create wl_display",
)  # parts of Qt's messages, in lower case


def has_display(environment: Mapping[str, str]) -> bool:
    """Return whether the environment names a display or a Qt platform."""
    named = any(map(environment.get, ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM")))
    return named or sys.platform in ("win32", "cygwin", "darwin")


def no_display() -> str:
    """Return the message for a system without a display."""
    return (
        "The window cannot open: no display is available (DISPLAY and WAYLAND_DISPLAY are empty). Start it from a "
        f"desktop session, over ssh -X, or under xvfb-run. {WITHOUT_WINDOW}"
    )


def not_loaded(error: ImportError, environment: Mapping[str, str]) -> str:
    """Return why a module could not be imported; "" when the cause is a bug in Stemmata."""
    name = error.name or ""
    if name.partition(".")[0] == "stemmata":
        return ""
    if isinstance(error, ModuleNotFoundError):
        return (
            f"This Python ({sys.executable}) lacks {name or error}. Install Stemmata with its requirements: "
            f"{sys.executable} -m pip install --upgrade stemmata-desktop. Nothing was changed."
        )
    library, _, rest = str(error).partition(":")
    if ".so" in library and "cannot open shared object" in rest:
        return cannot_open([], environment, [library])
    return f"The window cannot open: a library could not be loaded. {error}. {WITHOUT_WINDOW}"


def cannot_open(qt_messages: Sequence[str], environment: Mapping[str, str], known: Iterable[str] = ()) -> str:
    """Return why Qt cannot show a window.

    `qt_messages` is Qt's output, `known` names libraries known to be missing.
    """
    missing = list(dict.fromkeys((*known, *missing_libraries(environment))))
    no_connection = any(words in line.lower() for line in qt_messages for words in NO_CONNECTION)
    # without Wayland's libraries Qt turns to X11, and reports that it cannot connect where no display of X11 is named
    turned_to_x11 = no_connection and not environment.get("DISPLAY") and bool(WAYLAND.keys() & {*missing})
    if missing and (turned_to_x11 or not no_connection):
        more = f" and {len(missing) - LISTED_LIBRARIES} more libraries" if len(missing) > LISTED_LIBRARIES else ""
        lacks = f"The window cannot open: this system lacks {', '.join(missing[:LISTED_LIBRARIES])}{more}."
        return "\n".join((lacks, *install_lines(missing), WITHOUT_WINDOW))
    if no_connection:
        named = [f"{name}={environment[name]}" for name in ("DISPLAY", "WAYLAND_DISPLAY") if environment.get(name)]
        return (
            f"The window cannot open: the display does not respond ({', '.join(named) or 'none is set'}). Start it "
            f"from a running desktop session, over ssh -X, or under xvfb-run. {WITHOUT_WINDOW}"
        )
    reason = " ".join(" ".join(qt_messages).split()) or "Qt gives no reason."
    return f"The window cannot open: {reason} {WITHOUT_WINDOW}"


def no_fonts(release: Path = OS_RELEASE) -> str:
    """Return the message for a system without a single font."""
    return "\n".join(
        ("The window cannot open: this system has no fonts.", *_commands([FONTS], release), WITHOUT_WINDOW)
    )


def install_lines(missing: Sequence[str], release: Path = OS_RELEASE) -> list[str]:
    """Return how to install these libraries on this system, which the file `release` describes.

    On a system of an unknown family, the commands of all families are listed. Unknown libraries are left out.
    """
    table = ALWAYS | X11 | WAYLAND
    found = [table[library] for library in missing if library in table]
    return _commands(found, release)


def _commands(packages: Sequence[Packages], release: Path) -> list[str]:
    ids = _system_ids(release)
    if UNSUPPORTED & set(ids):
        return ["The window does not support this system: Qt for Python is not made for its C library, musl."]
    if not packages:
        return ["Install the packages that contain them, and start Stemmata again."]
    own = [family for id in ids for family in FAMILIES if id.partition("-")[0] in family.ids.split()][:1]
    lines = ["Install them with" if own else "Install them with the command of your system"]
    for family in own or FAMILIES:
        names = " ".join(dict.fromkeys(getattr(package, family.column) for package in packages))
        command = _as_root(f"{family.command} {names}")
        lines.append(f"  {command}" if own else f"  {f'{family.name}:':<16}{command}")
    return [*lines, "and start Stemmata again."]


def _system_ids(release: Path) -> list[str]:
    """Return ID and ID_LIKE of this system, the most specific first; [] when the file does not tell."""
    try:
        lines = release.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    values = dict(line.partition("=")[::2] for line in lines)
    try:
        return [id for key in ("ID", "ID_LIKE") for value in shlex.split(values.get(key, "")) for id in value.split()]
    except ValueError:  # a quotation mark is missing
        return []


def _as_root(command: str) -> str:
    """Return the line with which this user runs a command as root. Some systems have no sudo."""
    if _is_root():
        return command
    return f"sudo {command}" if shutil.which("sudo") else f"su - -c '{command}'"


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def missing_libraries(environment: Mapping[str, str]) -> list[str]:
    """Return the libraries that Qt would load in this environment and that are not installed; [] outside Linux."""
    if not sys.platform.startswith("linux"):
        return []
    platform = environment.get("QT_QPA_PLATFORM", "")
    wanted = list(ALWAYS)
    if (environment.get("DISPLAY") and platform in ("", "xcb")) or platform.startswith("xcb"):
        wanted += X11
    if (environment.get("WAYLAND_DISPLAY") and not platform) or platform.startswith("wayland"):
        wanted += WAYLAND
    return [library for library in wanted if not _loads(library)]


def _loads(library: str) -> bool:
    import ctypes

    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

"""What the window needs of the system it runs on, and what to say to people where it is not there.

Qt ends the process without a word that helps when it finds no display or cannot load a library. `packaging/dev`
installs what is listed here for Debian; `pip install` installs none of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Packages(NamedTuple):
    """Where a library comes from, by family of systems."""

    debian: str
    fedora: str
    arch: str
    suse: str


INSTALL = {
    "Debian, Ubuntu": ("debian", "sudo apt-get install --no-install-recommends"),
    "Fedora": ("fedora", "sudo dnf install"),
    "Arch": ("arch", "sudo pacman -S --needed"),
    "openSUSE": ("suse", "sudo zypper install"),
}
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
WITHOUT_WINDOW = "Everything but the window works without: see stemmata --help. Nothing was changed."
NAMED = 5  # of the missing libraries; a system without any is not told all of them
UNREACHED = ("could not connect to display", "failed to create wl_display")  # of what Qt says, in lower case


def has_display(environment: Mapping[str, str]) -> bool:
    """Whether the environment names a display, or the person named what Qt is to show windows on."""
    named = any(map(environment.get, ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM")))
    return named or sys.platform in ("win32", "cygwin", "darwin")


def no_display() -> str:
    return (
        "The window cannot open: there is no display here (DISPLAY and WAYLAND_DISPLAY are empty). Start it from a "
        f"desktop session, over ssh -X, or under xvfb-run. {WITHOUT_WINDOW}"
    )


def not_loaded(error: ImportError, environment: Mapping[str, str]) -> str:
    """Why a part of the program could not be loaded, "" where it is a mistake of the program itself."""
    name = error.name or ""
    if name.partition(".")[0] == "stemmata":
        return ""
    if isinstance(error, ModuleNotFoundError):
        return (
            f"This Python ({sys.executable}) lacks {name or error}. Install Stemmata and what it needs into it: "
            f"{sys.executable} -m pip install --upgrade stemmata. Nothing was changed."
        )
    library, _, rest = str(error).partition(":")
    if ".so" in library and "cannot open shared object" in rest:
        return cannot_open([], environment, [library])
    return f"The window cannot open: a part of it could not be loaded. {error}. {WITHOUT_WINDOW}"


def cannot_open(said: Sequence[str], environment: Mapping[str, str], known: Iterable[str] = ()) -> str:
    """Why Qt shows no window: a paragraph for people. `said` is what Qt said, `known` are libraries it lacks."""
    missing = list(dict.fromkeys((*known, *missing_libraries(environment))))
    unreached = any(words in line.lower() for line in said for words in UNREACHED)
    if missing and not unreached:
        more = f" and {len(missing) - NAMED} more libraries" if len(missing) > NAMED else ""
        lacks = f"The window cannot open: this system lacks {', '.join(missing[:NAMED])}{more}."
        return "\n".join((lacks, *install_lines(missing), WITHOUT_WINDOW))
    if unreached:
        named = [f"{name}={environment[name]}" for name in ("DISPLAY", "WAYLAND_DISPLAY") if environment.get(name)]
        return (
            f"The window cannot open: the display does not answer ({', '.join(named) or 'none is named'}). Start it "
            f"from a desktop session that runs, over ssh -X, or under xvfb-run. {WITHOUT_WINDOW}"
        )
    told = " ".join(" ".join(said).split()) or "Qt does not say why."
    return f"The window cannot open: {told} {WITHOUT_WINDOW}"


def install_lines(missing: Sequence[str]) -> list[str]:
    """For each family of systems how to install these; libraries that are not known are for the person to find."""
    table = ALWAYS | X11 | WAYLAND
    found = [table[library] for library in missing if library in table]
    if not found:
        return ["Install the packages that hold them."]
    lines = ["Install them with"]
    for family, (field, command) in INSTALL.items():
        names = dict.fromkeys(getattr(packages, field) for packages in found)
        lines.append(f"  {f'{family}:':<16}{command} {' '.join(names)}")
    return lines


def missing_libraries(environment: Mapping[str, str]) -> list[str]:
    """Those that Qt would load here and the system does not have."""
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
    import ctypes  # only where something is wrong

    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

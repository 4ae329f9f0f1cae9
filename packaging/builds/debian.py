"""The Debian package: the frozen program below /usr/lib, its files for desktops below /usr/share."""

from __future__ import annotations

import datetime
import email.utils
import gzip
import platform
import shutil
from pathlib import Path

from builds.archives import frozen_folder
from builds.desktop_files import copy_share, released_on
from builds.frozen import copy_program, needed_libraries
from builds.places import DIST, NAME, ROOT, VERSION, WORK, KnownProblem, empty, run, size_of
from stemmata.system.desktop import ALWAYS, WAYLAND, X11

# Libraries that every system of the family has, or that the tables of the program do not name.
BASE = {
    "libc.so.6": f"libc6 (>= {platform.libc_ver()[1]})", "libm.so.6": "", "libdl.so.2": "", "libpthread.so.0": "",
    "librt.so.1": "", "libutil.so.1": "", "ld-linux-x86-64.so.2": "", "libresolv.so.2": "",
    "libstdc++.so.6": "libstdc++6", "libgcc_s.so.1": "libgcc-s1", "libxcb.so.1": "libxcb1", "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1", "libxcb-glx.so.0": "libxcb-glx0",
}  # fmt: skip
RENAMED = {"libglib2.0-0": "libglib2.0-0t64 | libglib2.0-0"}  # in trixie
# Plugins that work only where the user's desktop brings their libraries; Qt skips them elsewhere.
OPTIONAL = ("platformthemes/libqgtk3.so", "platforminputcontexts/", "wayland-graphics-integration-client/")
MAINTAINER = "The Stemmata authors <stemmata@localhost>"
DESCRIPTION = """session trees of coding agents and model chats
 Stemmata keeps the sessions of coding agents and chat tools in one local
 archive, shows each session as the tree that it is, and what a model sees at
 any point. It compacts contexts with preview and undo, searches everything,
 and continues chatting from any branch.
 .
 This package contains the Python and the Qt that the program was built with."""
OVERRIDES = (
    ("embedded-library", "the program is frozen with the libraries of its Python"),
    ("library-not-linked-against-libc", "Qt's data of ICU links against nothing"),
    ("unstripped-binary-or-object", "PyInstaller appends the modules to its program"),
    ("statically-linked-binary", "modules of Rust and Cython"),
    ("custom-library-search-path", "Qt finds its own libraries beside it"),
    ("hardening-no-fortify-functions", "wheels of others"),
    ("hardening-no-bindnow", "wheels of others"),
    ("hardening-no-relro", "wheels of others"),
    ("shared-library-lacks-prerequisites", "modules of Python"),
    ("shared-library-is-executable", "wheels of others"),
    ("executable-in-usr-lib", "the frozen program"),
    ("spelling-error-in-binary", "texts of others"),
    ("national-encoding", "data of others"),
    ("initial-upload-closes-no-bugs", "not uploaded to Debian"),
    ("package-installs-python-bytecode", "the frozen program has no sources"),
    ("hardening-no-pie", "the bootloader of PyInstaller"),
    ("bogus-mail-host", "the project owns no domain yet"),
    ("bogus-mail-host-in-debian-changelog", "the project owns no domain yet"),
)


def build_deb() -> Path:
    """Build the package and return it."""
    frozen_folder()
    root = empty(WORK / "deb")
    copy_program(root / "usr" / "lib" / "stemmata")
    (root / "usr" / "bin").mkdir()
    (root / "usr" / "bin" / "stemmata").symlink_to("../lib/stemmata/stemmata")
    _copy_share(root / "usr" / "share")
    service = root / "usr" / "share" / "systemd" / "user" / "stemmata-follow.service"
    target = root / "usr" / "lib" / "systemd" / "user" / service.name
    target.parent.mkdir(parents=True)
    target.write_text(service.read_text().replace("ExecStart=stemmata", "ExecStart=/usr/bin/stemmata"))
    shutil.rmtree(root / "usr" / "share" / "systemd")
    _documents(root / "usr" / "share")
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(control(root))
    _sums(root)
    _set_modes(root)
    made = DIST / f"{NAME}_{VERSION}_amd64.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, made)
    return made


def _copy_share(share: Path) -> None:
    copy_share(share)
    (share / "zsh" / "site-functions").rename(share / "zsh" / "vendor-completions")
    manual = share / "man" / "man1" / "stemmata.1"
    _zip(manual.with_suffix(".1.gz"), manual.read_bytes())
    manual.unlink()


def _documents(share: Path) -> None:
    documents = share / "doc" / NAME
    documents.mkdir(parents=True)
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    (documents / "copyright").write_text(copyright_file(licence), encoding="utf-8")
    _zip(documents / "changelog.gz", changelog().encode())
    overrides = share / "lintian" / "overrides" / NAME
    overrides.parent.mkdir(parents=True)
    overrides.write_text("".join(f"# {why}\n{NAME}: {tag}\n" for tag, why in OVERRIDES), encoding="utf-8")


def copyright_file(licence: str) -> str:
    """Return the machine-readable copyright file of Debian."""
    _title, _, text = licence.strip().partition("\n\n")
    holder, _, terms = text.partition("\n\n")
    body = "\n".join(f" {line}" if line else " ." for line in terms.splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: Stemmata\n\n"
        f"Files: *\nCopyright: {holder.removeprefix('Copyright (c) ')}\nLicense: Expat\n{body}\n"
    )


def changelog() -> str:
    """Return the changelog of Debian, which refers to the program's own."""
    day = datetime.datetime.fromisoformat(released_on()).replace(tzinfo=datetime.UTC)
    signed = f" -- {MAINTAINER}  {email.utils.format_datetime(day)}"
    return f"{NAME} ({VERSION}) unstable; urgency=medium\n\n  * See Help, What's new.\n\n{signed}\n"


def control(root: Path) -> str:
    """Return the control file, with the dependencies that the files in `root` have."""
    size = size_of(root / "usr") // 1024
    depends = ", ".join(dependencies(needed_libraries(root / "usr" / "lib" / "stemmata")))
    return (
        f"Package: {NAME}\nVersion: {VERSION}\nArchitecture: amd64\nMaintainer: {MAINTAINER}\n"
        f"Installed-Size: {size}\nDepends: {depends}\nRecommends: gnome-keyring | kwalletmanager\n"
        f"Section: devel\nPriority: optional\nDescription: {DESCRIPTION}\n"
    )


def dependencies(needed: dict[str, set[str]]) -> list[str]:
    """Return the packages that contain the libraries. Raises KnownProblem for a library that no table names."""
    table = {library: packages.debian for library, packages in (ALWAYS | X11 | WAYLAND).items()} | BASE
    unknown = {
        library: files
        for library, files in needed.items()
        if library not in table and not all(any(part in file for part in OPTIONAL) for file in files)
    }
    if unknown:
        told = "; ".join(f"{library} ({min(files)})" for library, files in sorted(unknown.items()))
        raise KnownProblem(f"these libraries are in no table: {told}")
    loaded_later = {packages.debian for packages in ALWAYS.values()}  # GL and EGL are loaded by name
    names = {table[library] for library in needed if library in table} | loaded_later
    return sorted(
        {RENAMED.get(name, name) for name in names if name} | {"fontconfig", "fonts-dejavu-core | fonts-liberation"}
    )


def _zip(path: Path, data: bytes) -> None:
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def _sums(root: Path) -> None:
    files = sorted(path for path in (root / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    lines = run("md5sum", *(path.relative_to(root) for path in files), cwd=root)
    (root / "DEBIAN" / "md5sums").write_text(lines)


def _set_modes(root: Path) -> None:
    """Give folders and programs 755 and other files 644, and all the date of the build."""
    for path in root.rglob("*"):
        if not path.is_symlink():
            executable = path.is_dir() or (path.name == "stemmata" and path.parent.name == "stemmata")
            path.chmod(0o755 if executable else 0o644)

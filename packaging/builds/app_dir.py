"""The folder of an AppImage with its squashfs, and an archive that installs itself for one user."""

from __future__ import annotations

import shutil
from pathlib import Path

from builds.archives import frozen_folder
from builds.desktop_files import copy_share
from builds.frozen import copy_program
from builds.places import ARCHITECTURE, DIST, EPOCH, ROOT, VERSION, WORK, empty, run
from stemmata import APPLICATION_ID


def make_app_dir() -> Path:
    """Make the folder of an AppImage and its squashfs; return the squashfs.

    The runtime, a program of the AppImage project, has to be put before it: see docs/packaging.md.
    """
    frozen_folder()
    root = empty(DIST / "Stemmata.AppDir")
    copy_program(root / "usr" / "lib" / "stemmata")
    copy_share(root / "usr" / "share")
    icons = root / "usr" / "share" / "icons" / "hicolor"
    shutil.copy(icons / "256x256" / "apps" / f"{APPLICATION_ID}.png", root / f"{APPLICATION_ID}.png")
    (root / ".DirIcon").symlink_to(f"{APPLICATION_ID}.png")
    shutil.copy(root / "usr" / "share" / "applications" / f"{APPLICATION_ID}.desktop", root)
    (root / "AppRun").symlink_to("usr/lib/stemmata/stemmata")
    made = DIST / f"Stemmata-{VERSION}-{ARCHITECTURE}.squashfs"
    made.unlink(missing_ok=True)
    run(
        "mksquashfs", root, made, "-root-owned", "-noappend", "-comp", "zstd", "-quiet", "-no-progress",
        "-all-time", EPOCH, "-mkfs-time", EPOCH, without=("SOURCE_DATE_EPOCH",),
    )  # fmt: skip
    return made


def make_installer() -> Path:
    """Make the archive that installs itself, and return it."""
    frozen_folder()
    root = empty(WORK / "run")
    copy_program(root / "stemmata")
    for name in ("install.sh", "uninstall.sh"):
        shutil.copy(ROOT / "packaging" / "linux" / name, root / name)
    made = DIST / f"stemmata-{VERSION}-linux-{ARCHITECTURE}.run"
    run(
        "makeself",
        "--quiet",
        "--xz",
        "--sha256",
        "--packaging-date",
        "",
        root,
        made,
        f"Stemmata {VERSION}",
        "./install.sh",
    )
    return made

"""Builds packages into `dist/`: `./packaging/dev package KIND…`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from builds.app_dir import make_app_dir, make_installer
from builds.archives import build_sdist, build_wheel, pack_folder, write_checksums
from builds.debian import build_deb
from builds.flatpak import check_manifest
from builds.frozen import freeze
from builds.places import DIST, KnownProblem, say, size_of
from builds.sbom import write_sbom

KINDS = {
    "wheel": (build_wheel, "for pip, pipx and uv"),
    "sdist": (build_sdist, "the source archive"),
    "folder": (freeze, "the program with its Python and Qt in one folder"),
    "archive": (pack_folder, "that folder as .tar.zst"),
    "deb": (build_deb, "a package for Debian, Ubuntu and their relatives"),
    "run": (make_installer, "an archive that installs itself for one user (makeself)"),
    "appdir": (make_app_dir, "the folder of an AppImage, and its squashfs"),
    "flatpak": (check_manifest, "the manifest with its sources, checked but not built"),
    "sbom": (write_sbom, "the list of what a frozen program contains, as CycloneDX"),
    "checksums": (write_checksums, "SHA-256 of everything in dist"),
}


def main() -> int:
    """Build the named kinds and say the size of each."""
    told = "\n".join(f"  {kind:<10}{about}" for kind, (_, about) in KINDS.items())
    parser = argparse.ArgumentParser(
        prog="packaging/dev package",
        description="Build packages into dist/.",
        epilog=f"kinds:\n{told}\n  {'all':<10}each of them",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kinds", nargs="+", choices=[*KINDS, "all"], metavar="KIND")
    kinds = parser.parse_args().kinds
    DIST.mkdir(exist_ok=True)
    for kind in KINDS if "all" in kinds else kinds:
        try:
            made: Path = KINDS[kind][0]()
        except KnownProblem as problem:
            say(f"{kind}: {problem}")
            return 1
        say(f"{kind}: {made.relative_to(DIST.parent)}, {size_of(made) / 1e6:.1f} MB")
    write_checksums()  # also after a single kind, so that the list is never older than a package
    return 0


if __name__ == "__main__":
    sys.exit(main())

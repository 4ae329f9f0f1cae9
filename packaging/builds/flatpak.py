"""The manifest for Flatpak. Its sources are the wheels that the lock names, for the Python of the runtime.

python -m builds.flatpak    write packaging/flatpak/python-sources.json anew, after the lock changed
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from packaging.markers import Marker

from builds.archives import digest
from builds.places import ROOT, WORK, empty, run
from stemmata import APPLICATION_ID

FOLDER = ROOT / "packaging" / "flatpak"
MANIFEST = FOLDER / f"{APPLICATION_ID}.json"
SOURCES = FOLDER / "python-sources.json"
LOCK = ROOT / "packaging" / "requirements" / "run.txt"
RUNTIME_PYTHON = "3.13"  # of org.freedesktop.Platform 25.08
FILES = "https://files.pythonhosted.org/packages"  # redirects from the name of a file to where it lies
PLATFORMS = ("manylinux_2_39", "manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014", "linux")


def check_manifest() -> Path:
    """Check the manifest as far as it goes without the runtimes, and return it."""
    run("flatpak-builder", f"--state-dir={WORK / 'flatpak-builder'}", "--show-manifest", MANIFEST, cwd=FOLDER)
    return MANIFEST


def write_sources() -> None:
    """Download the locked wheels for the runtime's Python and write their names and hashes."""
    wheels = empty(WORK / "flatpak")
    wanted = WORK / "flatpak.txt"
    wanted.write_text(locked_for(RUNTIME_PYTHON), encoding="utf-8")
    tags = [word for name in PLATFORMS for word in ("--platform", f"{name}_x86_64")]
    run(
        sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary", ":all:",
        "--python-version", RUNTIME_PYTHON, *tags, "--dest", wheels, "-r", wanted,
    )  # fmt: skip
    SOURCES.write_text(json.dumps(sources(wheels), indent=2) + "\n", encoding="utf-8")


def locked_for(python: str, lock: Path = LOCK) -> str:
    """Return the lines of the lock that hold on Linux with this Python, without their conditions.

    pip evaluates conditions for the Python that runs it, not for `--python-version`.
    """
    environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    kept = []
    for entry in re.split(r"\n(?=[a-z])", lock.read_text(encoding="utf-8").strip()):
        first, *hashes = entry.split(" \\\n")
        name, _, condition = first.partition(" ; ")
        if not condition or Marker(condition).evaluate(environment):
            kept.append(" \\\n".join((name, *hashes)))
    return "\n".join(kept) + "\n"


def sources(wheels: Path) -> list[dict[str, Any]]:
    """Return the sources of the manifest for the wheels in a folder."""
    return [
        {"type": "file", "url": url_of(path.name), "sha256": digest(path)} for path in sorted(wheels.glob("*.whl"))
    ]


def url_of(wheel: str) -> str:
    """Return the address of a wheel on the package index, by its name."""
    project, _, tags = wheel.partition("-")
    python = tags.split("-")[-3]
    return f"{FILES}/{python}/{project[0]}/{project.replace('_', '-')}/{wheel}"


if __name__ == "__main__":
    write_sources()

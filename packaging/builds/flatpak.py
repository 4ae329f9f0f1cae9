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

from builds.places import ROOT, WORK, KnownProblem, run
from stemmata import APPLICATION_ID

FOLDER = ROOT / "packaging" / "flatpak"
MANIFEST = FOLDER / f"{APPLICATION_ID}.json"
SOURCES = FOLDER / "python-sources.json"
LOCK = ROOT / "packaging" / "requirements" / "run.txt"
RUNTIME_PYTHON = "3.13"  # of org.freedesktop.Platform 25.08
PLATFORMS = ("manylinux_2_39", "manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014", "linux")


def check_manifest() -> Path:
    """Check the manifest as far as it goes without the runtimes, and return it."""
    WORK.mkdir(exist_ok=True)
    run("flatpak-builder", "--show-manifest", MANIFEST, cwd=WORK)  # which writes its own folder there
    return MANIFEST


def write_sources() -> None:
    """Let pip choose the locked wheels for the runtime's Python, and write their addresses and hashes."""
    report, wanted = WORK / "flatpak.json", WORK / "flatpak.txt"
    WORK.mkdir(exist_ok=True)
    wanted.write_text(locked_for(RUNTIME_PYTHON), encoding="utf-8")
    tags = [word for name in PLATFORMS for word in ("--platform", f"{name}_x86_64")]
    run(
        sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--require-hashes",
        "--only-binary", ":all:", "--python-version", RUNTIME_PYTHON, *tags, "--target", WORK / "flatpak",
        "--report", report, "-r", wanted,
    )  # fmt: skip
    chosen = sources(json.loads(report.read_text(encoding="utf-8")))
    SOURCES.write_text(json.dumps(chosen, indent=2) + "\n", encoding="utf-8")


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


def sources(report: dict[str, Any]) -> list[dict[str, str]]:
    """Return the sources of the manifest for the wheels in a report of pip. Raises KnownProblem for local files."""
    chosen = [item["download_info"] for item in report["install"]]
    if local := [info["url"] for info in chosen if not info["url"].startswith("https://")]:
        raise KnownProblem(f"pip chose files that are not on the package index: {', '.join(local)}")
    hashes = {info["url"]: info["archive_info"]["hashes"]["sha256"] for info in chosen}
    return [
        {"type": "file", "url": url, "sha256": hashes[url]}
        for url in sorted(hashes, key=lambda url: str(url.rpartition("/")[2]))
    ]


if __name__ == "__main__":
    write_sources()

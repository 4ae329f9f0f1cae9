"""Adds to each wheel and source archive what a package cannot find out: the commit, and the guide as HTML."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

RECORD = "commit.txt"  # read by stemmata/version.py


class AddGenerated(BuildHookInterface):
    """Write the commit of the checkout and the pages of the guide into the package.

    An unpacked source archive has the commit already, and the sources of the pages with their pictures.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files; an editable installation reads git's files, and builds the guide when it is shown."""
        if version == "editable":
            return
        root = Path(self.root)
        made = Path(self.directory) / "generated"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        added: dict[str, str] = build_data["force_include"]
        commit = commit_of(root)
        if commit is not None:
            (made / RECORD).write_text(f"{commit}\n", encoding="ascii")
            inside = "app/stemmata" if self.target_name == "sdist" else "stemmata"
            added[str(made / RECORD)] = f"{inside}/{RECORD}"
        sys.path.insert(0, str(root / "app"))
        from stemmata.system.guide import build_pages, pictures_of

        to = "stemmata/resources/docs" if self.target_name == "wheel" else "docs"
        for picture in pictures_of(root / "docs"):
            added[str(root / "docs" / picture)] = f"{to}/{picture}"
        if self.target_name == "wheel":
            build_pages(root / "docs", made / "docs", self.metadata.version)
            for page in sorted((made / "docs").iterdir()):
                added[str(page)] = f"{to}/{page.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Remove the generated files from the folder of the built archives."""
        shutil.rmtree(Path(self.directory) / "generated", ignore_errors=True)


def commit_of(root: Path) -> str | None:
    """Return the short hash of the commit, with "+" after it when files differ from it; None without git."""
    if not (root / ".git").exists():
        return None
    try:
        commit = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changed else commit


def _git(root: Path, *arguments: str) -> str:
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    return subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, env=environment
    ).stdout.strip()

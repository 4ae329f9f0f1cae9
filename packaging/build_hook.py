"""Adds to each wheel and source archive what the checkout knows and a package cannot find out: the commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

RECORD = "commit.txt"  # read by stemmata/version.py


class RecordCommit(BuildHookInterface):
    """Write the commit of the checkout into the package. An unpacked source archive contains the record already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the record to the files of a wheel or a source archive; an editable installation reads git's files."""
        commit = None if version == "editable" else commit_of(Path(self.root))
        if commit is None:
            return
        record = Path(self.directory) / RECORD
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(f"{commit}\n", encoding="ascii")
        inside = "app/stemmata" if self.target_name == "sdist" else "stemmata"
        build_data["force_include"][str(record)] = f"{inside}/{RECORD}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Remove the record from the folder of the built archives."""
        (Path(self.directory) / RECORD).unlink(missing_ok=True)


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

"""Locate shipped files: in the installed package, or in `resources/` of a checkout."""

from __future__ import annotations

from pathlib import Path


def resource(*parts: str) -> Path:
    """Return the path of a shipped file or folder."""
    package = Path(__file__).parent
    inside = package / "resources"
    root = inside if inside.is_dir() else package.parent.parent / "resources"
    return root.joinpath(*parts)

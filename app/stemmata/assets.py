"""Where the shipped files are: inside the installed package, or in the checkout's `resources/`."""

from __future__ import annotations

from pathlib import Path


def resource(*parts: str) -> Path:
    """Path of a shipped file or folder."""
    package = Path(__file__).parent
    inside = package / "resources"
    root = inside if inside.is_dir() else package.parent.parent / "resources"
    return root.joinpath(*parts)

"""Where VS Code, its variants and editors made from it keep the data of a user: the folders called `User`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

VSCODE = ("Code", "Code - Insiders", "Code - OSS", "VSCodium", "VSCodium - Insiders", "Positron")
CURSOR = ("Cursor", "Cursor Nightly")
RELATIVES = (*VSCODE, *CURSOR, "Windsurf", "Windsurf - Next", "Trae", "Antigravity", "Kiro")


def user_folders(names: Iterable[str], home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the folders of the programs with these names on Linux, macOS and Windows; they need not exist.

    `VSCODE_PORTABLE` and `VSCODE_APPDATA` move them, as in the programs.
    """
    portable, moved = environment.get("VSCODE_PORTABLE", ""), environment.get("VSCODE_APPDATA", "")
    if portable:
        return [Path(portable) / "user-data" / "User"]
    config, roaming = environment.get("XDG_CONFIG_HOME", ""), environment.get("APPDATA", "")
    places = [Path(moved)] if moved else [
        Path(config) if config else home / ".config",
        home / "Library" / "Application Support",
        Path(roaming) if roaming else home / "AppData" / "Roaming",
    ]  # fmt: skip
    return [place / name / "User" for place in places for name in names]

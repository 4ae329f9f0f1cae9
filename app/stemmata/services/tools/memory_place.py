"""Where notes of the tool `memory` are stored: in a folder of Stemmata, or in the workspace, the session's folder."""

from __future__ import annotations

import os
from pathlib import Path

from stemmata.services.tools.tool import ToolError

OFF, OWN, WORKSPACE = "off", "stemmata", "workspace"  # the values of `compaction.memory_place`
FOLDER = "memory"  # in the workspace


def workspace_notes(cwd: str) -> Path:
    """Return the folder of the notes in a workspace, which may still be missing. It may wait for a slow disk.

    Raises ToolError when the workspace must not be written: it does not exist, is read-only, or its folder of notes
    leads to another place.
    """
    root = Path(cwd)
    if not root.is_absolute() or not root.is_dir():
        raise ToolError("The folder of the session does not exist on this machine.")
    notes = root / FOLDER
    if not Path(os.path.realpath(notes)).is_relative_to(os.path.realpath(root)):
        raise ToolError("The folder “memory” leads out of the folder of the session.")
    if os.path.lexists(notes) and not notes.is_dir():
        raise ToolError("“memory” in the folder of the session is not a folder.")
    if not os.access(notes if notes.is_dir() else root, os.W_OK | os.X_OK):
        raise ToolError("The folder of the session is read-only.")
    return notes

"""Subagents of a Claude Code session: where their files are and what is noted beside them.

`<session>.jsonl` has them in `<session>/subagents/agent-<id>.jsonl`, each with a `.meta.json`; runs of a workflow lie
one folder deeper. Older versions put `agent-<id>.jsonl` beside the session, or the lines into the session's own file.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.formats.shared.files import session_files
from stemmata.formats.shared.json_lines import BadLineError, parse_object
from stemmata.formats.shared.source_file import open_source, reading
from stemmata.formats.shared.values import mapping

_PREFIX = "agent-"
_JOURNAL = "journal.jsonl"  # of a workflow, among the files of its agents; no transcript
_FOLDER = "subagents"
_META_LIMIT = 1 << 20  # bytes


def is_agent_file(path: Path) -> bool:
    return path.name.startswith(_PREFIX) or main_file_of(path) is not None


def main_file_of(path: Path) -> Path | None:
    """The session file that a file in a `subagents` folder belongs to; None for any other file."""
    for folder in path.parents:
        if folder.name == _FOLDER and folder.parent.name:
            return folder.parent.parent / f"{folder.parent.name}.jsonl"
    return None


def agent_files(path: Path) -> list[Path]:
    """The files of a session's subagents, sorted, whatever their names. Links are not followed."""
    return [file for file in session_files(path.with_suffix("") / _FOLDER) if file.name != _JOURNAL]


def have_changed(path: Path, state: str) -> bool:
    """Whether there are others than the reader's state of a session file knows, or they are not as it knows them."""
    if not os.path.isdir(path.with_suffix("") / _FOLDER):
        return False
    try:
        known = mapping(mapping(json.loads(state)).get("agents"))
    except ValueError:
        return True
    for file in agent_files(path):
        with suppress(OSError):  # gone again, or it may not be read: nothing to be had
            found = file.lstat()
            seen = known.get(str(file.relative_to(path.parent))) == [found.st_size, found.st_mtime_ns]
            if not seen and os.access(file, os.R_OK):
                return True
    return False


def source_id_of(path: Path, session: str) -> str:
    """`<session>/agent-<id>`; `session` is what the lines name, for a file that lies in no session's folder."""
    main = main_file_of(path)
    return f"{session if main is None else main.stem}/{path.stem}"


def meta_of(path: Path) -> dict[str, Any]:
    """What the `.meta.json` beside an agent's file says; nothing when there is none or it is damaged."""
    try:
        with open_source(path.with_suffix(".meta.json")) as file, reading(path):
            return parse_object(file.read(_META_LIMIT))
    except (KnownError, BadLineError):
        return {}

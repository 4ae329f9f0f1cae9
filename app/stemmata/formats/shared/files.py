"""Finding session files below a folder, without ever leaving it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

# a transcript, or one that OpenClaw has put aside: x.jsonl, x.jsonl.deleted.<time>, x.jsonl.reset.<time>
_SESSION_FILE = re.compile(r".+\.jsonl(\.(deleted|reset)\..+)?", re.DOTALL)


def is_session_name(name: str) -> bool:
    """Whether a file of this name may be a transcript."""
    return _SESSION_FILE.fullmatch(name) is not None


def session_files(folder: Path, *, deep: bool = True) -> list[Path]:
    """Regular files whose name is a transcript's, sorted; symbolic links are neither followed nor listed.

    A folder below that may not be read is listed itself, so that reading it reports the reason. A folder that
    does not exist holds nothing.
    """
    return sorted(_walk(folder, deep=deep))


def _walk(top: Path, *, deep: bool) -> Iterator[Path]:
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                for item in listing:
                    if item.is_dir(follow_symlinks=False):
                        if deep:
                            waiting.append(Path(item.path))
                    elif item.is_file(follow_symlinks=False) and _SESSION_FILE.fullmatch(item.name):
                        yield Path(item.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            yield folder

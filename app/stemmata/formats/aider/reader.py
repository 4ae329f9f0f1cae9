"""Recognise Aider's chat histories (`.aider.chat.history.md`) and read them: each run of the program is a session."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Unchanged, UnusedPart
from stemmata.formats.aider.entries import RunEntries
from stemmata.formats.aider.history import AiderRun, RunPlace, runs
from stemmata.formats.aider.places import histories
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import SourceLines, resume
from stemmata.formats.shared.values import count, instant, text

_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*# aider chat started at \d{4}-\d\d-\d\d ")
_LATER = re.compile(rb"^# aider chat started at \d{4}-\d\d-\d\d ", re.MULTILINE)
_IS_NAMED = re.compile(r".*aider\.chat\.history.*\.md")


class Aider(SingleFileFormat):
    """The reader of Aider's chat histories."""

    name = "aider"

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file begins with a run, or is named like a history and has one further down."""
        if _BEGINNING.match(head):
            return True
        return _IS_NAMED.fullmatch(path.name) is not None and _LATER.search(head) is not None

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the projects that are known on this machine; Aider keeps no list of them."""
        return tuple(SessionFolder(path.parent, deep=False, only=path.name) for path in histories(home, environment))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading; a file that has grown is read again from its last run on."""
        place = _place(resume(path, since), since)
        waiting: AiderRun | None = None  # a run is known not to be the last one only when another one follows
        latest = place.latest
        for run in runs(path, place):
            if waiting is not None:
                latest = max(latest, waiting.started)
                yield from _session(path, waiting, None)
            waiting = run
        if waiting is None:
            return
        state = {
            "runs": waiting.number - 1, "again": waiting.again, "before": waiting.before, "latest": latest,
        }  # fmt: skip
        checkpoint = SourceLines(path, offset=waiting.offset).checkpoint(state)
        yield from _session(path, waiting, checkpoint)
        if place.runs:
            yield Unchanged(place.runs, checkpoint)


def _place(state: dict[str, Any] | None, since: Checkpoint | None) -> RunPlace:
    """Return from where to read: the last run of the earlier reading, else the start of the file."""
    if since is None or state is None or not isinstance(state.get("runs"), int):
        return RunPlace()
    before, latest = text(state.get("before")), text(state.get("latest"))
    return RunPlace(since.offset, state["runs"], count(state.get("again")), before, latest)


def _session(path: Path, run: AiderRun, checkpoint: Checkpoint | None) -> Iterator[ReadEvent]:
    if run.is_too_large:
        yield UnusedPart(f"run {run.number}", "is too large")
        return
    entries = RunEntries(run, _time(run.started))
    listed = list(entries)
    parent = _id(path, run.before) if entries.restored and run.before else ""
    yield Begin(
        SessionInfo(
            source=Aider.name, source_id=_id(path, run.key), cwd=str(path.parent), created_at=_time(run.started),
            parent_source_id=parent,
        )
    )  # fmt: skip
    yield Raw(0, run.data)
    yield from listed
    yield End(entries.leaf, leaf_known=True, checkpoint=checkpoint)


def _id(path: Path, run: str) -> str:
    """Return the id of a run, made from its file and its start. It has no slash, which would mean a subagent."""
    digest = hashlib.blake2b(str(path).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{digest}#{run}"


def _time(started: str) -> int:
    """Return when a run started, in ns. Aider writes the time of the machine without its zone."""
    try:
        return instant(datetime.fromisoformat(started).astimezone().isoformat())
    except (ValueError, OverflowError, OSError):
        return 0

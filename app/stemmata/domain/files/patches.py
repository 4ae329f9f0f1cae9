"""Reads the forms in which tools write down changes of whole lines: Codex's patches, and the reports of results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from stemmata.domain.files.state import Hunk

MOST_LINES = 200_000  # lines of a patch that are read
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE, _LAST = "*** Move to: ", "*** End of File"
_NUMBERED = re.compile(r"([ +-]) *(\d{1,9}) ?(.*)", re.DOTALL)


class PatchKind(IntEnum):
    """The change that a section of a patch makes to its file."""

    ADD = 0
    UPDATE = 1
    DELETE = 2


@dataclass(frozen=True, slots=True)
class PatchChunk:
    """One replacement of an update. `context` is a line above it, "" for none; `at_end`: it is at the file's end."""

    context: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    at_end: bool = False


@dataclass(slots=True)
class PatchedFile:
    """A section of a patch. `text` is the whole text of an added file; `moved` is its new path, "" if it stays."""

    kind: PatchKind
    path: str
    text: str = ""
    moved: str = ""
    chunks: list[PatchChunk] = field(default_factory=list)


def patched_files(patch: str) -> list[PatchedFile]:
    """Return the sections of a patch in Codex's format; [] for another text."""
    lines = patch.replace("\r\n", "\n").split("\n")[:MOST_LINES]
    start = next((at for at, line in enumerate(lines) if line.strip() == _BEGIN), None)
    if start is None:
        return []
    stop = next((at for at in range(start, len(lines)) if lines[at].strip() == _END), len(lines))
    out: list[PatchedFile] = []
    own: list[str] = []
    for line in lines[start + 1 : stop]:
        section = _section(line)
        if section is None:
            own.append(line)
            continue
        _close(out, own)
        out.append(section)
        own = []
    _close(out, own)
    return out


def _section(line: str) -> PatchedFile | None:
    for mark, kind in ((_ADD, PatchKind.ADD), (_UPDATE, PatchKind.UPDATE), (_DELETE, PatchKind.DELETE)):
        if line.startswith(mark):
            return PatchedFile(kind, line.removeprefix(mark).strip())
    return None


def _close(out: Sequence[PatchedFile], lines: Sequence[str]) -> None:
    """Read the lines of the last section."""
    if not out:
        return
    section = out[-1]
    if section.kind is PatchKind.ADD:
        section.text = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
    elif section.kind is PatchKind.UPDATE:
        if lines and lines[0].startswith(_MOVE):
            section.moved = lines[0].removeprefix(_MOVE).strip()
            lines = lines[1:]
        section.chunks += _chunks(lines)


def _chunks(lines: Sequence[str]) -> Iterator[PatchChunk]:
    context, at_end = "", False
    old: list[str] = []
    new: list[str] = []
    for line in (*lines, "@@"):
        if line.startswith("@@"):
            if old or new:
                yield PatchChunk(context, tuple(old), tuple(new), at_end)
                old, new, at_end = [], [], False
            context = line[2:].strip()
        elif line == _LAST:
            at_end = True
        else:
            sign, text = line[:1], line[1:]
            if sign != "+":
                old.append(text)
            if sign != "-":
                new.append(text)


def patched(lines: Sequence[str], chunks: Sequence[PatchChunk]) -> list[str] | None:
    """Return the lines of a whole file after an update, as Codex applies it; None when a chunk is not found.

    A chunk is replaced at its first place below the chunk before it and below its context line. The file has no
    empty line at its end for a last line feed.
    """
    out: list[str] = []
    at = done = 0
    for chunk in chunks:
        if chunk.context:
            found = _line(lines, chunk.context, at)
            if found is None:
                return None
            at = found + 1
        place = _chunk_position(lines, chunk, at)
        if place is None:
            return None
        out += [*lines[done:place], *chunk.new]
        at = done = place + len(chunk.old)
    return [*out, *lines[done:]]


def _line(lines: Sequence[str], sought: str, start: int) -> int | None:
    return next((at for at in range(start, len(lines)) if lines[at].strip() == sought), None)


def _chunk_position(lines: Sequence[str], chunk: PatchChunk, start: int) -> int | None:
    """Return the place of a chunk; lines without an old text are added at the end."""
    count, last = len(chunk.old), len(lines) - len(chunk.old)
    if not count or (chunk.at_end and last >= start and tuple(lines[last:]) == chunk.old):
        return last
    return next(
        (
            at
            for at in range(start, last + 1)
            if lines[at] == chunk.old[0] and tuple(lines[at : at + count]) == chunk.old
        ),
        None,
    )


def numbered_diff(diff: str) -> list[Hunk]:
    """Return the hunks of a diff whose lines have a sign and a number, as pi reports it; [] if it is another text.

    Unchanged and removed lines have the number before the change, added lines the number after it.
    """
    out: list[Hunk] = []
    first, old, new = 0, list[str](), list[str]()
    for line in (*diff.split("\n")[:MOST_LINES], "..."):
        found = _NUMBERED.fullmatch(line)
        if found is None:
            if line.strip() not in ("...", ""):
                return []
            if old or new:
                out.append(Hunk(first, tuple(old), tuple(new)))
                first, old, new = 0, [], []
            continue
        sign, number, text = found[1], int(found[2]), found[3]
        if sign != "+":
            first = first or number
            if number != first + len(old):
                return []
            old.append(text)
        if sign != "-":
            new.append(text)
    return [hunk for hunk in out if hunk.old and hunk.first]


def reported_hunks(patch: object) -> list[Hunk]:
    """Return the hunks of Claude Code's `structuredPatch`; [] when it is missing or damaged."""
    hunks = [_reported(hunk) for hunk in patch if isinstance(hunk, dict)] if isinstance(patch, list) else []
    return [hunk for hunk in hunks if hunk is not None] if None not in hunks else []


def _reported(hunk: Mapping[str, Any]) -> Hunk | None:
    first, lines = hunk.get("oldStart"), hunk.get("lines")
    if not isinstance(first, int) or first < 1 or not isinstance(lines, list):
        return None
    texts = [line for line in lines if isinstance(line, str) and not line.startswith("\\")]
    old = tuple(line[1:] for line in texts if line[:1] != "+")
    new = tuple(line[1:] for line in texts if line[:1] != "-")
    return Hunk(first, old, new) if old else None

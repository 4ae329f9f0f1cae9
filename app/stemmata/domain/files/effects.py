"""The effect of a finished tool call on the known text of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.files.patches import PatchChunk, PatchedFile, numbered_diff, patched, reported_hunks
from stemmata.domain.files.requests import FileAct, FileRequest, Replacement
from stemmata.domain.files.results import LinesRead, lines_read
from stemmata.domain.files.state import (
    ABSENT,
    UNKNOWN,
    FileState,
    Gap,
    Hunk,
    KnownLines,
    edited,
    is_same_file,
    with_hunks,
    with_lines,
    written,
)
from stemmata.domain.text.line_diff import counts
from stemmata.domain.tool_calls.outcomes import details_of

MOST_COUNTED = 200_000  # characters around the places of a text that is replaced everywhere


@dataclass(frozen=True, slots=True)
class Effect:
    """The state of a file after a call, and the changes that the call made.

    `removed` is None when the text before is not known. `fits`: the call agrees with the text that was known before.
    `read` has the lines that a read showed, None for changes and for a read whose lines are not certain.
    """

    state: FileState
    added: int = 0
    removed: int | None = 0
    fits: bool = True
    read: LinesRead | None = None


def effect(state: FileState, request: FileRequest, result: Entry) -> Effect:
    """Return the effect of a call that succeeded on a file, from the state before and the call's result."""
    match request.act:
        case FileAct.READ:
            return _read(state, request, result)
        case FileAct.WRITE:
            return _written(state, request, result)
        case FileAct.DELETE:
            lines = _lines(state) if state.is_complete else None
            return Effect(ABSENT, 0, None if lines is None else len(lines))
        case FileAct.EDIT if request.patch is not None:
            return _patched(state, request.patch)
        case FileAct.EDIT:
            return _edited(state, request, result)
        case _:
            return Effect(replace(state, doubtful=True), 0, None)


def _lines(state: FileState) -> list[str]:
    """Return the known lines, without the empty one after a last line feed."""
    return [] if not state.text else state.text.removesuffix("\n").split("\n")


def _read(state: FileState, request: FileRequest, result: Entry) -> Effect:
    read = lines_read(request, result)
    if read is None:
        return Effect(state)
    if read.is_whole:
        fits = state.is_unknown or (state.exists and is_same_file(state, read.text))
        return Effect(written(read.text), fits=fits, read=read)
    after, fits = with_lines(state, read.first, read.text, read.total)
    return Effect(after, fits=fits, read=read)


def _written(state: FileState, request: FileRequest, result: Entry) -> Effect:
    """Return the effect of a whole new text. Claude Code reports the text before, or that there was none."""
    told = details_of(result.details)
    before = told.get("originalFile")
    if isinstance(before, str):
        state = written(before.replace("\r\n", "\n"))
    elif told.get("type") == "create":
        state = ABSENT
    after = written(request.text)
    if state.exists and not state.is_complete:
        return Effect(after, len(_lines(after)), None)
    added, removed = counts(_lines(state), _lines(after))
    return Effect(after, added, removed)


def _patched(state: FileState, patch: PatchedFile) -> Effect:
    """Return the effect of an update in Codex's format."""
    sums = [counts(chunk.old, chunk.new) for chunk in patch.chunks]
    added, removed = sum(one for one, _ in sums), sum(other for _, other in sums)
    if state.is_complete:
        lines = patched(_lines(state), patch.chunks)
        if lines is None:
            return Effect(replace(state, doubtful=True), added, removed, fits=False)
        after = replace(written("".join(f"{line}\n" for line in lines)), doubtful=state.doubtful)
        return Effect(after, added, removed)
    after = state if state.exists else UNKNOWN
    for chunk in patch.chunks:
        after = _with_chunk(after, chunk)
    return Effect(after, added, removed, fits=state.doubtful or not after.doubtful)


def _with_chunk(state: FileState, chunk: PatchChunk) -> FileState:
    """Return the state after one chunk was applied to a file of which not every line is known."""
    new = "\n".join(chunk.new)
    if chunk.old:
        old = "\n".join(chunk.old)
        return edited(state, old, new, whole=True) if chunk.new else replace(state, doubtful=True)
    last = state.parts[-1]
    if isinstance(last, KnownLines):
        text = f"{last.text}{new}\n" if last.text.endswith("\n") or not last.text else f"{last.text}\n{new}\n"
        return replace(state, parts=(*state.parts[:-1], KnownLines(text)))
    return replace(state, parts=(*state.parts[:-1], Gap(), KnownLines(f"{new}\n")))


def _edited(state: FileState, request: FileRequest, result: Entry) -> Effect:
    """Return the effect of replaced texts, or of inserted lines."""
    told = details_of(result.details)
    if told.get("userModified") is True:
        return Effect(replace(state, doubtful=True), 0, None)
    fits, before = True, told.get("originalFile")
    if isinstance(before, str) and len(request.edits) > 0:
        before = before.replace("\r\n", "\n")
        fits = state.is_unknown or (state.exists and is_same_file(state, before))
        state = written(before)
    if request.hunks:
        after, agrees = with_hunks(state, request.hunks)
        return Effect(after, sum(len(hunk.new) for hunk in request.hunks), 0, fits=agrees)
    after, added, removed = _replaced(state, request.edits)
    if not state.is_complete or after.doubtful:
        hunks = _told_hunks(told, request.edits)
        if hunks:
            after, _ = with_hunks(replace(state, doubtful=False), hunks)
            sums = [counts(hunk.old, hunk.new) for hunk in hunks]
            return Effect(after, sum(one for one, _ in sums), sum(other for _, other in sums), fits=fits)
    return Effect(after, added, removed, fits=fits and (state.doubtful or not after.doubtful))


def _told_hunks(told: Mapping[str, Any], edits: Sequence[Replacement]) -> list[Hunk]:
    """Return the changed lines that a result reports with their numbers; [] when they are not the lines of the file.

    Claude Code replaces tabs at the beginning of the lines that it reports by spaces.
    """
    diff = told.get("diff")
    hunks = numbered_diff(diff) if isinstance(diff, str) else reported_hunks(told.get("structuredPatch"))
    old, new = ("\n".join("\n".join(lines) for lines in side) for side in _sides(hunks))
    if not all(edit.old in old and edit.new in new for edit in edits):
        return []
    return [] if not isinstance(diff, str) and "\n  " in f"\n{old}" and "\t" not in old else hunks


def _sides(hunks: Sequence[Hunk]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    return [hunk.old for hunk in hunks], [hunk.new for hunk in hunks]


def _replaced(state: FileState, edits: Sequence[Replacement]) -> tuple[FileState, int, int]:
    """Apply replacements one after the other; return the new state, and the numbers of added and removed lines."""
    added = removed = 0
    for edit in edits:
        more, less = _counted(state, edit)
        added, removed = added + more, removed + less
        state = edited(state, edit.old, edit.new, everywhere=edit.everywhere)
    return state, added, removed


def _counted(state: FileState, edit: Replacement) -> tuple[int, int]:
    """Return the added and the removed lines of a replacement, with the lines around it where they are known."""
    if not edit.old:
        return len(edit.new.removesuffix("\n").split("\n")), 0
    more = less = times = 0
    for part in state.parts:
        text = part.text if isinstance(part, KnownLines) else ""
        at = text.find(edit.old)
        while at >= 0 and times < MOST_COUNTED // max(len(edit.old), 1):
            start = text.rfind("\n", 0, at) + 1
            stop = text.find("\n", at + len(edit.old))
            whole = text[start : len(text) if stop < 0 else stop]
            change = whole.replace(edit.old, edit.new) if edit.everywhere else whole.replace(edit.old, edit.new, 1)
            one, other = counts(whole.split("\n"), change.split("\n"))
            more, less, times = more + one, less + other, times + 1
            if not edit.everywhere:
                return more, less
            at = text.find(edit.old, start + len(whole))
    if not times:
        more, less = counts(edit.old.split("\n"), edit.new.split("\n"))
    return more, less

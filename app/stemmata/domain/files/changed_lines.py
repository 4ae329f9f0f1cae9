"""The changes that a call made to files, as lines with + and - and the numbers of the lines where they are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, NamedTuple

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.tool_calls.kinds import arguments_of, details_of
from stemmata.domain.tool_calls.results import path_of

BEFORE = ("oldText", "old_text", "old_string", "old_str", "oldString")
AFTER = ("newText", "new_text", "new_string", "new_str", "newString")
_LISTS = ("edits", "replacements")
_DIFFS = ("diff", "patch")
ELSEWHERE = "…"  # between changes at different places
MOST_PAIRS = 40_000  # pairs of lines that are compared
MOST_COMPARED = 2000  # lines; longer texts are counted, not compared
_NUMBERED = re.compile(r"([ +-]) *(\d{1,9})(?: (.*))?")
_SKIPPED = re.compile(r" *\.\.\.|")
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_BLOCK = re.compile(
    r"^(?:<{5,9}|-{5,9}) SEARCH>?[^\n]*\n(?::start_line:[^\n]*\n)?(?::end_line:[^\n]*\n)?(?:-{5,9}\n)?"
    r"(.*?)^={5,9}\n(.*?)^(?:>{5,9}|\+{5,9}) REPLACE",
    re.MULTILINE | re.DOTALL,
)
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = "*** Move to: "


class ChangedLine(NamedTuple):
    """A line of a change: its sign ("+", "-", " ", or ELSEWHERE for a gap), its number (0: unknown) and its text."""

    sign: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """The changed lines of a file. `path` is "" for the file that the call names; `verb` is Add, Delete or ""."""

    lines: Sequence[ChangedLine]
    path: str = ""
    verb: str = ""
    moved: str = ""

    @property
    def text(self) -> str:
        """The lines with their signs."""
        return "\n".join(line.sign if line.sign == ELSEWHERE else line.sign + line.text for line in self.lines)

    @property
    def numbers(self) -> Sequence[int]:
        """The number of each line; empty when none is known."""
        return [line.number for line in self.lines] if any(line.number for line in self.lines) else ()

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of added and removed lines."""
        signs = [line.sign for line in self.lines]
        return signs.count("+"), signs.count("-")


def changes_of(call: ToolCall | None, details: str = "") -> list[FileChange]:
    """Return the changes that a call made to files; [] when none is known. `details` are those of its result."""
    arguments = arguments_of(call) if call is not None else {}
    found = _reported_lines(details_of(details))
    if found:
        return [FileChange(found, path_of(arguments))]
    patch = next((text for text in arguments.values() if isinstance(text, str) and _BEGIN in text), "")
    if patch:
        return patch_changes(patch)
    edits = next((listed for name in _LISTS if isinstance(listed := arguments.get(name), list)), None)
    if edits is not None:
        return _by_file([edit for edit in edits if isinstance(edit, dict)], path_of(arguments))
    lines = _edit(arguments) or _written_diff(arguments)
    return [FileChange(lines, path_of(arguments))] if lines else []


_GAP = ChangedLine(ELSEWHERE, 0, "")


def _by_file(edits: Sequence[Mapping[str, Any]], path: str) -> list[FileChange]:
    """Return the changes of several replacements, grouped by file; `path` is the file of the edits that name none."""
    files: dict[str, list[ChangedLine]] = {}
    for edit in edits:
        lines = _edit(edit)
        own = files.setdefault(path_of(edit) or path, []) if lines else []
        own += [*([_GAP] if own else []), *lines]
    return [FileChange(lines, name) for name, lines in files.items()]


def _written_diff(arguments: Mapping[str, Any]) -> list[ChangedLine]:
    """Return the lines of a difference that is an argument: blocks of SEARCH and REPLACE (Cline, Roo), or unified."""
    text = next((found for name in _DIFFS if isinstance(found := arguments.get(name), str) and found), "")
    out: list[ChangedLine] = []
    for block in _BLOCK.finditer(text):
        if block[1] != block[2]:
            out += [*([_GAP] if out else []), *_as_written(difference(block[1], block[2]))]
    return out or (diff_lines(text) if any(map(_HUNK.match, text.split("\n"))) else [])


def _reported_lines(details: Mapping[str, Any]) -> list[ChangedLine]:
    """Return the lines that a result reports: as text, or as Claude Code's `structuredPatch`."""
    diff = details.get("diff")
    if not isinstance(diff, str) and isinstance(details.get("metadata"), dict):
        diff = details["metadata"].get("diff")
    if isinstance(diff, str):
        return diff_lines(diff)
    patch = details.get("structuredPatch")
    hunks = [hunk for hunk in patch if isinstance(hunk, dict)] if isinstance(patch, list) else []
    out: list[ChangedLine] = []
    for hunk in hunks:
        lines = hunk.get("lines")
        texts = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        out += [_GAP] if out and texts else []
        out += _counted(texts, hunk.get("oldStart"), hunk.get("newStart"))
    return out


def _counted(lines: Sequence[str], old: object, new: object) -> Iterator[ChangedLine]:
    """Number the lines of a hunk: removed lines as they were before, all others as they are after it."""
    before = old if isinstance(old, int) and old > 0 else 0
    after = new if isinstance(new, int) and new > 0 else 0
    for line in lines:
        sign = line[:1] if line[:1] in ("+", "-") else " "
        if not line.startswith("\\"):  # no line feed at the end of the file
            yield ChangedLine(sign, before if sign == "-" else after, line[1:])
            before += bool(before) and sign != "+"
            after += bool(after) and sign != "-"


def diff_lines(diff: str) -> list[ChangedLine]:
    """Return the lines of a difference: a unified one, one with a number on each line as pi reports it, or others."""
    lines = diff.rstrip("\n").split("\n")
    start = next((at for at, line in enumerate(lines) if _HUNK.match(line)), None)
    if start is not None:
        return _unified(lines[start:])
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if all(found or _SKIPPED.fullmatch(line) for found, line in zip(numbered, lines, strict=True)):
        return [ChangedLine(found[1], int(found[2]), found[3] or "") if found else _GAP for found in numbered]
    return _as_written(diff)


def _as_written(diff: str) -> list[ChangedLine]:
    """Return the lines of a difference in which no line has a number, even where a line is a number."""
    lines = diff.rstrip("\n").split("\n")
    return [_GAP if line == ELSEWHERE else ChangedLine(*_signed(line)) for line in lines]


def _signed(line: str) -> tuple[str, int, str]:
    return (line[0], 0, line[1:]) if line[:1] in ("+", "-", " ") else (" ", 0, line)


def _unified(lines: Sequence[str]) -> list[ChangedLine]:
    out: list[ChangedLine] = []
    hunk: list[str] = []
    old = new = 0
    for line in (*lines, "@@ -0 +0 @@"):
        found = _HUNK.match(line)
        if found is None:
            hunk.append(line)
            continue
        out += [_GAP] if out and hunk else []
        out += _counted(hunk, old, new)
        hunk, old, new = [], int(found[1]), int(found[2])
    return out


def patch_changes(patch: str) -> list[FileChange]:
    """Return the sections of a patch in Codex's format, a change for each file."""
    out: list[FileChange] = []
    own: list[ChangedLine] = []
    for line in patch[patch.index(_BEGIN) + len(_BEGIN) :].strip("\n").split("\n"):
        if line.strip() == _END:
            break
        if (found := _SECTION.fullmatch(line.rstrip("\r"))) is not None:
            own = []
            out.append(FileChange(own, found[2].strip(), "" if found[1] == "Update" else found[1]))
        elif out and line.startswith(_MOVE):
            out[-1] = FileChange(own, out[-1].path, out[-1].verb, line.removeprefix(_MOVE).strip())
        elif line.startswith("@@"):
            own += [_GAP] if own else []
            own += [ChangedLine(" ", 0, line[2:].strip())] if line[2:].strip() else []
        elif line != "*** End of File":
            own.append(ChangedLine(*_signed(line)))
    return out


def _edit(arguments: Mapping[str, Any]) -> list[ChangedLine]:
    before = next((arguments[name] for name in BEFORE if isinstance(arguments.get(name), str)), None)
    after = next((arguments[name] for name in AFTER if isinstance(arguments.get(name), str)), None)
    if before is None or after is None:
        return []
    change = difference(before, after)
    return _as_written(change) if change else []


def difference(before: str, after: str) -> str:
    """Return the lines that differ, marked with + and -, with two lines around each; "" for equal texts.

    When a comparison would take too long, all lines of the old text are followed by all lines of the new one.
    """
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > MOST_COMPARED or _differing(old, new) > MOST_PAIRS:
        return "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    hunks = list(unified_diff(old, new, lineterm="", n=2))[3:]  # numbers of lines would be those of the argument
    return "\n".join(ELSEWHERE if line.startswith("@@") else line for line in hunks)


def _differing(old: list[str], new: list[str]) -> int:
    """Return the number of line pairs between the common beginning and end; comparing takes time in proportion."""
    start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if start is None:
        return 0
    rest = list(zip(reversed(old[start:]), reversed(new[start:]), strict=False))
    stop = next((at for at, (one, other) in enumerate(rest) if one != other), len(rest))
    return (len(old) - start - stop) * (len(new) - start - stop)

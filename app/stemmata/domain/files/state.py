"""The text of a file as far as a session tells it: known lines, and gaps that no read, write or edit shows.

A state does not change; each operation returns the next one. Lines are numbered from 1. A text has one line more than
it has line feeds, so the last line of a text that ends with a line feed is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

MOST_TEXT = 16_000_000  # characters of a file; of a longer one only the number of lines is kept


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines that are not known. `lines` is their number, None when not even that is known."""

    lines: int | None = None


@dataclass(frozen=True, slots=True)
class KnownLines:
    """Consecutive whole lines whose text is known, joined by line feeds."""

    text: str
    lines: int = field(default=0, compare=False)  # the number of lines, counted when it is not given

    def __post_init__(self) -> None:
        if not self.lines:
            object.__setattr__(self, "lines", self.text.count("\n") + 1)


Part: TypeAlias = KnownLines | Gap


@dataclass(frozen=True, slots=True)
class Hunk:
    """Whole lines that were replaced, as a tool reported them: from line `first` on, `old` became `new`."""

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileState:
    """A file at one moment. `parts` alternate: two known parts are never neighbours.

    `exists` is False for a file that is known not to exist. `doubtful`: an edit did not fit the known text, so the
    file was also changed in a way that the session does not show. `too_large`: the text is longer than MOST_TEXT.
    """

    parts: tuple[Part, ...] = (Gap(),)
    exists: bool = True
    doubtful: bool = False
    too_large: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every line is known."""
        return self.exists and not any(isinstance(part, Gap) for part in self.parts)

    @property
    def is_unknown(self) -> bool:
        """Whether no line is known."""
        return self.exists and not any(isinstance(part, KnownLines) for part in self.parts)

    @property
    def text(self) -> str:
        """The known text; gaps are left out."""
        return "\n".join(part.text for part in self.parts if isinstance(part, KnownLines))

    @property
    def gaps(self) -> int:
        """The number of gaps."""
        return sum(isinstance(part, Gap) for part in self.parts)

    def numbered(self) -> Iterator[tuple[int | None, Part]]:
        """Yield each part with the number of its first line, None after a gap of unknown length."""
        at: int | None = 1
        for part in self.parts:
            yield at, part
            at = None if at is None or part.lines is None else at + part.lines


UNKNOWN = FileState()
ABSENT = FileState((), exists=False)


def written(text: str) -> FileState:
    """Return the state of a file that has this whole text."""
    if len(text) > MOST_TEXT:
        return FileState((Gap(text.count("\n") + 1),), too_large=True)
    return FileState((KnownLines(text),))


def is_same_file(state: FileState, text: str) -> bool:
    """Return whether the known lines fit a whole text; a line feed at the end makes no difference."""
    if not state.is_complete:
        return _fits(state, text.split("\n"))
    return state.text.removesuffix("\n") == text.removesuffix("\n")


def _fits(state: FileState, lines: Sequence[str]) -> bool:
    """Return whether the known lines whose numbers are known are in this text. Other lines cannot be compared."""
    for at, part in state.numbered():
        if at is None or not state.exists:
            break
        if isinstance(part, KnownLines) and lines[at - 1 : at - 1 + part.lines] != part.text.split("\n"):
            return False
    return True


# -- reading ---------------------------------------------------------------------------------------------------------


def with_lines(state: FileState, first: int, text: str, total: int | None = None) -> tuple[FileState, bool]:
    """Return the state after lines were read from line `first` on, and whether they agree with the known text.

    `total` is the file's number of lines, where the tool reported it. When they do not fit, the file was changed in
    another way, and only the lines that were just read are kept.
    """
    read = KnownLines(text)
    last = first + read.lines - 1
    left, right = _split(state, first, last)
    fits = state.exists and _matches_known(state, first, read) and not _ends_before(state, last)
    if not fits:
        left, right = _sized(first - 1), _rest(last, total)
    elif right is None:
        right = _rest(last, total)
    parts = _joined([*left, read, *right])
    known = _length(parts)
    if total is not None and known is None and isinstance(parts[-1], Gap):
        parts = _sized_end(parts, total)
    elif total is not None and known is not None and abs(known - total) > 1:  # a last empty line may be counted
        parts, fits = _joined([*_sized(first - 1), read, *_rest(last, total)]), False
    if _is_too_large(parts):
        return FileState((Gap(_length(parts)),), too_large=True), fits
    return FileState(parts, doubtful=state.doubtful and fits and parts != (read,)), fits


def _split(state: FileState, first: int, last: int) -> tuple[list[Part], list[Part] | None]:
    """Return the parts above line `first`, and those below line `last`; None when these have no known place."""
    left: list[Part] = []
    at = 1
    for place, part in enumerate(state.parts):
        if part.lines is None:
            return [*left, *_sized(first - at)], [*state.parts[place:]] if at == last + 1 else None
        end = at + part.lines - 1
        left += _cut(part, 0, first - at)
        if end > last:
            return left, [*_cut(part, last + 1 - at, part.lines), *state.parts[place + 1 :]]
        at = end + 1
    return [*left, *_sized(first - at)], []


def _cut(part: Part, start: int, stop: int) -> list[Part]:
    """Return lines `start` to `stop` of a part of known length, counted from 0; [] for none."""
    assert part.lines is not None
    start, stop = max(start, 0), min(stop, part.lines)
    if start >= stop:
        return []
    if isinstance(part, Gap):
        return [Gap(stop - start)]
    return [part if (start, stop) == (0, part.lines) else KnownLines("\n".join(part.text.split("\n")[start:stop]))]


def _matches_known(state: FileState, first: int, read: KnownLines) -> bool:
    """Return whether the lines that were known before, and are read again, are the same."""
    lines: list[str] = []
    for at, part in state.numbered():
        if at is None or at >= first + read.lines:
            break
        if isinstance(part, KnownLines) and at + part.lines > first:
            lines = lines or read.text.split("\n")
            start, stop = max(at, first), min(at + part.lines, first + read.lines)
            if part.text.split("\n")[start - at : stop - at] != lines[start - first : stop - first]:
                return False
    return True


def _ends_before(state: FileState, last: int) -> bool:
    """Return whether the file is known to be shorter than the lines that were read; an empty last line may differ."""
    length = _length(state.parts)
    return length is not None and length + 1 < last


def _sized(lines: int) -> list[Part]:
    return [Gap(lines)] if lines > 0 else []


def _rest(last: int, total: int | None) -> list[Part]:
    return [Gap()] if total is None else _sized(total - last)


def _sized_end(parts: tuple[Part, ...], total: int) -> tuple[Part, ...]:
    """Return the parts with the length of the last gap computed from the file's number of lines, if it can be."""
    before = _length(parts[:-1])
    return parts if before is None else (*parts[:-1], *_sized(total - before))


def _length(parts: Iterable[Part]) -> int | None:
    total = 0
    for part in parts:
        if part.lines is None:
            return None
        total += part.lines
    return total


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with neighbours of one kind joined."""
    out: list[Part] = []
    texts: list[str] = []

    def close() -> None:
        if texts:
            out.append(KnownLines("\n".join(texts)))
            texts.clear()

    for part in parts:
        if isinstance(part, KnownLines):
            texts.append(part.text)
            continue
        close()
        if out and isinstance(out[-1], Gap):
            before = out.pop().lines
            part = Gap(None if before is None or part.lines is None else before + part.lines)
        out.append(part)
    close()
    return tuple(out)


def _is_too_large(parts: Iterable[Part]) -> bool:
    return sum(len(part.text) for part in parts if isinstance(part, KnownLines)) > MOST_TEXT


# -- editing ---------------------------------------------------------------------------------------------------------


def edited(state: FileState, old: str, new: str, *, everywhere: bool = False, whole: bool = False) -> FileState:
    """Return the state after a text was replaced. `whole`: only whole lines were replaced.

    A tool replaces a text only where it occurs once, or everywhere, so a text that is found once in the known
    lines was replaced there. A text that is not found was replaced in a gap, or the known text is wrong
    (`doubtful`).
    """
    if not state.exists or (not old and state.is_unknown):
        return written(new) if not old else replace(UNKNOWN, doubtful=True)
    if not old:
        return written(new) if state.text == "" and state.is_complete else replace(state, doubtful=True)
    places = [
        (at, start) for at, part in enumerate(state.parts) for start in _first_positions(part, old, whole=whole)
    ]
    if everywhere and places:
        return _everywhere(state, old, new)
    if len(places) == 1:
        [(at, start)] = places
        part = state.parts[at]
        assert isinstance(part, KnownLines)
        text = part.text[:start] + new + part.text[start + len(old) :]
        lines = part.lines + new.count("\n") - old.count("\n")
        return _with_parts(state, (*state.parts[:at], KnownLines(text, lines), *state.parts[at + 1 :]))
    if places or not state.gaps:
        return replace(state, doubtful=True)
    return _in_a_gap(state, old, new, everywhere=everywhere, whole=whole)


def _first_positions(part: Part, old: str, *, whole: bool) -> list[int]:
    """Return the first two places of a text in a known part, in characters; with `whole`, of whole lines."""
    if isinstance(part, Gap):
        return []
    text, sought = (f"\n{part.text}\n", f"\n{old}\n") if whole else (part.text, old)
    first = text.find(sought)
    if first < 0:
        return []
    second = text.find(sought, first + 1)
    return [first] if second < 0 else [first, second]


def _everywhere(state: FileState, old: str, new: str) -> FileState:
    """Replace a text in all known lines. It may have been replaced in the gaps too, and across their edges.

    A run of lines beside a gap is given up when a text of several lines may have been replaced across its edge.
    """
    grows = old.count("\n") != new.count("\n")
    parts: list[Part] = []
    for at, part in enumerate(state.parts):
        if isinstance(part, Gap):
            parts.append(Gap() if grows else part)
        elif "\n" in old and state.gaps and (old in part.text or _inside(state.parts, at, old, new) != [part]):
            parts.append(Gap())
        else:
            parts.append(KnownLines(part.text.replace(old, new)))
    return _with_parts(state, _joined(parts))


def _in_a_gap(state: FileState, old: str, new: str, *, everywhere: bool, whole: bool) -> FileState:
    """Return the state after an edit of lines that are not known. Its place is known only if there is one gap."""
    ends = "\n" if whole else ""
    parts = _without_edges(state.parts, f"{ends}{old}{ends}", f"{ends}{new}{ends}")
    grows = new.count("\n") - old.count("\n")
    gaps = [at for at, part in enumerate(parts) if isinstance(part, Gap)]
    if len(gaps) > 1 or everywhere:
        return replace(state, parts=tuple(Gap() if grows and isinstance(part, Gap) else part for part in parts))
    size = parts[gaps[0]].lines
    if size is not None:
        inside: list[Part] = _sized(size + grows)
    else:
        lines = new.split("\n")
        shown = lines if whole else lines[1:-1]  # the first and the last line may be parts of lines
        inside = [Gap(), KnownLines("\n".join(shown)), Gap()] if shown else [Gap()]
    return _with_parts(state, _joined([*parts[: gaps[0]], *inside, *parts[gaps[0] + 1 :]]))


def _with_parts(state: FileState, parts: tuple[Part, ...]) -> FileState:
    return replace(state, parts=(Gap(),), too_large=True) if _is_too_large(parts) else replace(state, parts=parts)


def _without_edges(parts: Sequence[Part], old: str, new: str) -> tuple[Part, ...]:
    """Return the parts without the known lines beside gaps to which an edit of the gap may have reached."""
    return _joined(part for at in range(len(parts)) for part in _inside(parts, at, old, new))


def _inside(parts: Sequence[Part], at: int, old: str, new: str) -> list[Part]:
    """Return a part with gaps for the lines in which an edit of the gap beside it may have begun or ended.

    If the replaced text and the new text both end with a line feed, the edit does not change the line after them.
    """
    part, sought = parts[at], old.split("\n")
    if isinstance(part, Gap) or len(sought) == 1:
        return [part]
    inner = set(sought[1:-1])
    above = None if not sought[-1] and new.endswith("\n") else sought[-1]
    below = None if not sought[0] and new.startswith("\n") else sought[0]
    lines = part.text.split("\n")
    start = _reached(lines, inner, above, str.startswith) if at > 0 else 0
    stop = len(lines) - (_reached(lines[::-1], inner, below, str.endswith) if at < len(parts) - 1 else 0)
    kept = _cut(part, start, stop)
    return [*_sized(start), *kept, *_sized(len(lines) - stop)] if kept else [Gap(len(lines))]


def _reached(lines: Sequence[str], inner: set[str], end: str | None, holds: Callable[[str, str], bool]) -> int:
    """Return how many lines, from the edge on, an edit of the gap beside them may have reached.

    `inner` are the whole lines of the edited text; `end` is the part of a line at its end, None for no part.
    """
    reached = 0
    for count, line in enumerate(lines, 1):
        if end is not None and holds(line, end):
            reached = count
        if line not in inner:
            return reached
    return len(lines)


def with_hunks(state: FileState, hunks: Sequence[Hunk]) -> tuple[FileState, bool]:
    """Return the state after a tool reported the replaced lines with their numbers, and whether they fit.

    The lines before the change become known, too. Numbers are those before the change.
    """
    fits = True
    for hunk in hunks:
        if hunk.old:
            state, agrees = with_lines(state, hunk.first, "\n".join(hunk.old))
            fits = fits and agrees
    for hunk in sorted(hunks, key=lambda each: each.first, reverse=True):
        last = hunk.first + len(hunk.old) - 1
        left, right = _split(state, hunk.first, last)
        new: list[Part] = [KnownLines("\n".join(hunk.new))] if hunk.new else []
        parts = _joined([*left, *new, *([Gap()] if right is None else right)])
        state = _with_parts(replace(state, exists=True), parts)
    return state, fits

"""Lays out a digest within a size limit. The oldest items are left out, and their number is stated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.compaction.digest.passages import clip
from stemmata.domain.compaction.summary.sections import Section

_LEFT_OUT = re.compile(r"^- \((\d+) (?:earlier|older) .* left out\)$")
_ROUNDS = 3  # rounds in which unused room is given to the parts that left items out
_OLDEST_SHARE = 75  # percent of the room for the oldest items of a part that keeps them
_OVERHEAD = 60  # characters of a part besides its items: headings, the line with the number of items left out


@dataclass(frozen=True, slots=True)
class LayoutItem:
    """A piece of Markdown that is kept whole or left out. Items with a higher weight are kept first.

    `short` is the text that replaces it when not all items fit at full length; "" when it cannot be shortened.
    """

    text: str
    weight: int = 0
    short: str = ""

    @property
    def least(self) -> str:
        """The shortest form of the item: `short`, or its text."""
        return self.short or self.text


@dataclass(frozen=True, slots=True)
class LayoutPart:
    """A list of items, oldest first, under a heading ("" for none). `share` is its share of the size limit.

    `claim` is the percentage of the size limit that the part may take before the other parts share the rest. Where
    not all items fit, the newest are kept; with `keeps_oldest`, the oldest in three quarters of the room, and the
    newest in the rest. `noun` names the items in "(12 earlier requests left out)". `left_out` is the number that an
    earlier digest already left out.
    """

    section: Section
    items: Sequence[LayoutItem]
    heading: str = ""
    noun: str = "items"
    share: int = 1
    left_out: int = 0
    claim: int = 0
    keeps_oldest: bool = False

    @property
    def size(self) -> int:
        """The number of characters of the part when no item is left out."""
        if not self.items and not self.left_out:
            return 0
        return sum(len(item.text) + 1 for item in self.items) + _OVERHEAD


def lay_out(parts: Sequence[LayoutPart], longest: int) -> str:
    """Return the document of at most `longest` characters: all sections in order, an empty one with "None"."""
    whole = longest - sum(len(section.value) + 12 for section in Section)
    rooms = _part_limits(parts, whole)
    rendered = [_render(part, room) for part, room in zip(parts, rooms, strict=True)]
    for _ in range(_ROUNDS):
        before, rooms = rooms, _with_spare(parts, rendered, rooms, whole)
        for at, part in enumerate(parts):
            if rooms[at] != before[at]:
                rendered[at] = _render(part, rooms[at])
    sections = []
    for section in Section:
        mine = [text for part, (text, _) in zip(parts, rendered, strict=True) if part.section is section]
        body = "\n\n".join(text for text in mine if text) or "- None"
        sections.append(f"## {section.value}\n\n{body}")
    text = "\n\n".join(sections)
    return text if len(text) <= longest else text[:longest].rpartition("\n")[0]


def split_left_out(items: Sequence[str]) -> tuple[list[str], int]:
    """Return the items of an earlier digest without its line on items left out, and the number in that line."""
    found = [(item, _LEFT_OUT.match(item)) for item in items]
    return [item for item, match in found if not match], sum(int(match[1]) for _, match in found if match)


def _part_limits(parts: Sequence[LayoutPart], whole: int) -> list[int]:
    """Return how many characters each part may have: its full size, or its claim and a share of the unused space."""
    whole = max(0, whole)
    rooms = [min(part.size, whole * part.claim // 100) for part in parts]
    wanted = [part.size - room for part, room in zip(parts, rooms, strict=True)]
    left, shares = whole - sum(rooms), sum(part.share for part in parts)
    for at in sorted(range(len(parts)), key=lambda at: wanted[at] / parts[at].share):
        more = min(wanted[at], left * parts[at].share // shares)
        rooms[at] += more
        left -= more
        shares -= parts[at].share
    return rooms


def _with_spare(
    parts: Sequence[LayoutPart], rendered: Sequence[tuple[str, bool]], rooms: Sequence[int], whole: int
) -> list[int]:
    """Return the sizes of the parts, with the unused characters shared out among the parts that left items out."""
    spare = whole - sum(len(text) + 2 for text, _ in rendered)
    short = [at for at, (_, is_whole) in enumerate(rendered) if not is_whole]
    shares = sum(parts[at].share for at in short)
    out = list(rooms)
    for at in short:
        out[at] = max(rooms[at], len(rendered[at][0]) + max(0, spare) * parts[at].share // shares)
    return out


def _render(part: LayoutPart, room: int) -> tuple[str, bool]:
    """Return the text of a part, and whether all of its items are in it."""
    kept = dict(enumerate(item.text for item in part.items)) if part.size <= room else _kept(part, room)
    texts = [kept[at] for at in sorted(kept)]
    if part.items and not kept:
        texts = [clip(part.items[_by_weight(part)[0]].least, max(0, room - _OVERHEAD))]
    left_out_count = len(part.items) - len(texts) + part.left_out
    if left_out_count:
        texts.insert(0, f"- ({left_out_count} earlier {part.noun} left out)")
    is_whole = all(kept.get(at) == item.text for at, item in enumerate(part.items))
    if not any(texts):
        return "", is_whole
    return (f"### {part.heading}\n\n" + _joined(texts) if part.heading else _joined(texts)), is_whole


def _kept(part: LayoutPart, room: int) -> dict[int, str]:
    """Return the items of a part that does not fit into the room, by their places, whole or in their short form."""
    kept, used, order = dict[int, str](), _OVERHEAD, _by_weight(part)
    for at, most in _candidates(part, order, room):
        size = len(part.items[at].least) + 1
        if at not in kept and used + size <= most:
            kept[at] = part.items[at].least
            used += size
    for at in order:  # the remaining room is used to restore shortened items
        more = len(part.items[at].text) - len(kept.get(at, ""))
        if at in kept and used + more <= room:
            kept[at] = part.items[at].text
            used += more
    return kept


def _by_weight(part: LayoutPart) -> list[int]:
    """Return the places of the items, those with the highest weight first, of equal ones the newest first."""
    return sorted(range(len(part.items)), key=lambda at: (part.items[at].weight, at), reverse=True)


def _candidates(part: LayoutPart, order: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yield the items in the order in which they are kept, each with the size that the part may have with it."""
    if part.keeps_oldest:
        oldest = sorted(order, key=lambda at: (-part.items[at].weight, at))
        yield from ((at, room * _OLDEST_SHARE // 100) for at in oldest)
    yield from ((at, room) for at in order)


def _joined(texts: Sequence[str]) -> str:
    """Return the texts joined: list items on consecutive lines, other texts separated by a blank line."""
    out = ""
    for before, text in zip(("", *texts), texts, strict=False):
        listed = before.startswith("- ") and text.startswith("- ")
        out += ("\n" if listed else "\n\n" if out else "") + text
    return out

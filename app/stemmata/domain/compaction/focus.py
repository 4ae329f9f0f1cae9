"""What a person asked a summary to keep most of, found again in the entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stemmata.domain.compaction.digest.passages import clip, code, one_line
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Role

EXCERPTS = 12
_LONGEST_EXCERPT = 320
_LONGEST_TEXT = 200_000  # characters of an entry that are searched
_PEOPLE = frozenset({"User", "Assistant"})
_WORD = re.compile(r"[\w./-]{3,}")
_COMMON = frozenset(
    """
    about all and any are been but can did does focus for from had has have how into its just keep more most not that
    the their them then there these this those was were what when where which who why with work you your
    """.split()
)


class Focus:
    """A focus text. It weighs a text by how many of its words are in it; empty weighs everything 0."""

    def __init__(self, text: str) -> None:
        self.text = one_line(text)
        words = {word.strip(".-/").casefold() for word in _WORD.findall(text)}
        self._words = sorted(words - _COMMON - {""})

    def weight(self, text: str) -> int:
        lowered = text[:_LONGEST_TEXT].casefold()
        return sum(word in lowered for word in self._words)

    def excerpts(self, entries: Iterable[Entry]) -> list[str]:
        """List items: the passages that match best, in the order they were said."""
        if not self._words:
            return []
        found: dict[str, tuple[int, bool, int, str]] = {}
        for at, (speaker, passage) in enumerate(_passages(entries)):
            weight = self.weight(passage)
            if weight:
                row = (weight, speaker in _PEOPLE, at, f"- {speaker}: {clip(passage, _LONGEST_EXCERPT)}")
                found[passage] = row
        best = sorted(found.values())[-EXCERPTS:]
        return [text for _, _, _, text in sorted(best, key=lambda row: row[2])]


def _passages(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.kind not in MESSAGE_KINDS or entry.flags & Flag.EXCLUDED:
            continue
        speaker, text = _speaker(entry), plain_text(entry.blocks)[:_LONGEST_TEXT]
        pieces = text.splitlines() if entry.role in (Role.TOOL_RESULT, Role.BASH_EXECUTION) else text.split("\n\n")
        yield from ((speaker, line) for line in map(one_line, pieces) if line)


def _speaker(entry: Entry) -> str:
    if entry.role is Role.ASSISTANT:
        return "Assistant"
    if entry.role is Role.TOOL_RESULT:
        return f"Result of {code(entry.tool or 'a tool')}"
    return f"Output of {code(entry.name)}" if entry.role is Role.BASH_EXECUTION else "User"

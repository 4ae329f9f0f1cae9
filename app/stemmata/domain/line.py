"""One path with its running totals, so that the context of any entry on it costs next to nothing.

Walking 14,000 entries for every step of a selection would take 20 ms a step; the walk is made once per path and a
step is then a few subtractions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate

from stemmata.domain.entries import Flag, Kind, Role
from stemmata.domain.tokens import UNITS_PER_TOKEN, to_tokens
from stemmata.domain.tree import Tree


class Category(IntEnum):
    """What a part of the context is. `text` is the word used in JSON."""

    SYSTEM = 0
    TOOL_DEFINITIONS = 1
    SUMMARIES = 2
    USER = 3
    ASSISTANT = 4
    THINKING = 5
    TOOL_CALLS = 6
    TOOL_RESULTS = 7
    IMAGES = 8
    MEMORY = 9

    @property
    def text(self) -> str:
        return self.name.lower()


class Emission(IntEnum):
    """What the projection does with an entry by its nature, before compactions and prunings are looked at."""

    NOTHING = 0  # bookkeeping: settings, labels, notes
    MESSAGE = 1
    SUMMARY = 2  # a compaction: emitted only when it is the last one
    WITHHELD = 3  # emitted by the projection and dropped by every provider's rules; see `withheld`


_TEXT_CATEGORY = {
    Role.USER: Category.USER,
    Role.ASSISTANT: Category.ASSISTANT,
    Role.TOOL_RESULT: Category.TOOL_RESULTS,
    Role.BASH_EXECUTION: Category.TOOL_RESULTS,
    Role.CUSTOM: Category.USER,
}
_BROKEN = int(Flag.FAILED | Flag.ABORTED)
_NOTE = int(Flag.EXCLUDED | Flag.OWN)  # what a command answered, see `Runs.note`; pi has no such entry
_UNREPORTED = _BROKEN | int(Flag.UNFINISHED)
_SUSPECT = _BROKEN | int(Flag.EXCLUDED)
MEMORY_PREFIX = "memory"


@dataclass(frozen=True)
class Line:
    """The path from a root to `path[-1]`, with prefix sums over the tokens each entry adds when it is sent."""

    tree: Tree
    path: array[int]

    @classmethod
    def through(cls, tree: Tree, entry: int | None) -> Line:
        """The line through this entry, down to the newest branch end below it."""
        return cls(tree, tree.path(None if entry is None else tree.newest_leaf_below(entry)))

    def __len__(self) -> int:
        return len(self.path)

    @cached_property
    def _ascending(self) -> bool:
        path = self.path
        return all(path[at - 1] < path[at] for at in range(1, len(path)))

    @cached_property
    def _places(self) -> dict[int, int]:
        """Entry → position, for a path whose parents were written after their children."""
        return {entry: at for at, entry in enumerate(self.path)}

    def position(self, entry: int) -> int:
        """Where on the path the entry stands. Raises KeyError."""
        if self._ascending:
            at = bisect_left(self.path, entry)
            if at < len(self.path) and self.path[at] == entry:
                return at
            raise KeyError(entry)
        return self._places[entry]

    def __contains__(self, entry: int) -> bool:
        try:
            self.position(entry)
        except KeyError:
            return False
        return True

    @cached_property
    def kinds(self) -> bytes:
        return bytes(map(self.tree.columns.kind.__getitem__, self.path))

    @cached_property
    def roles(self) -> bytes:
        return bytes(map(self.tree.columns.role.__getitem__, self.path))

    @cached_property
    def emissions(self) -> bytes:
        """One Emission per position."""
        codes = bytes(kind << 3 | role for kind, role in zip(self.kinds, self.roles, strict=True))
        out = bytearray(codes.translate(_NATURES))
        flags = self.tree.columns.flags
        for at, (entry, tokens) in enumerate(zip(self.path, self.tokens, strict=True)):
            if flags[entry] & _SUSPECT or not tokens:
                out[at] = _withheld(out[at], self.roles[at], flags[entry], tokens)
        return bytes(out)

    @cached_property
    def sent(self) -> bytes:
        """1 where pi lists a message: what is sent and what the providers' rules then withhold; 0 elsewhere."""
        return self.emissions.translate(_LISTED)

    @cached_property
    def tokens(self) -> array[int]:
        """Estimated tokens per position, of every entry whatever its emission."""
        c = self.tree.columns
        text, thinking, calls, images = c.text, c.thinking, c.calls, c.images
        return array("i", (-(-(text[e] + thinking[e] + calls[e] + images[e]) // 4) for e in self.path))

    @cached_property
    def shares(self) -> dict[Category, array[int]]:
        """Tokens per position by category, for entries that are sent as messages; zero elsewhere.

        The parts of an entry add up to its estimate: the remainder of the rounding goes to the text.
        """
        count = len(self.path)
        out = {category: array("i", bytes(4 * count)) for category in Category}
        c = self.tree.columns
        emissions, roles, kinds, tokens = self.emissions, self.roles, self.kinds, self.tokens
        message, summary, custom = int(Emission.MESSAGE), int(Kind.BRANCH_SUMMARY), int(Kind.CUSTOM_MESSAGE)
        thinking, calls, images = out[Category.THINKING], out[Category.TOOL_CALLS], out[Category.IMAGES]
        by_role = {int(role): out[category] for role, category in _TEXT_CATEGORY.items()}
        for at, entry in enumerate(self.path):
            if emissions[at] != message:
                continue
            rest = tokens[at]
            if c.thinking[entry]:
                thinking[at] = part = c.thinking[entry] // UNITS_PER_TOKEN
                rest -= part
            if c.calls[entry]:
                calls[at] = part = c.calls[entry] // UNITS_PER_TOKEN
                rest -= part
            if c.images[entry]:
                images[at] = part = c.images[entry] // UNITS_PER_TOKEN
                rest -= part
            if kinds[at] == summary:
                out[Category.SUMMARIES][at] = rest
            elif kinds[at] == custom and self.tree.name(entry).startswith(MEMORY_PREFIX):
                out[Category.MEMORY][at] = rest
            else:
                by_role[roles[at]][at] = rest
        return out

    @cached_property
    def totals(self) -> dict[Category, array[int]]:
        """Prefix sums of `shares`: totals[c][p] is the sum over positions before p; length n + 1."""
        return {
            category: array("q", accumulate(shares, initial=0)) if any(shares) else array("q", bytes(8))
            for category, shares in self.shares.items()
        }

    @cached_property
    def pruned_tokens(self) -> array[int]:
        """Tokens of what stands for a tool result once it is pruned: its tool's name; zero for other entries."""
        names, lengths = self.tree.columns.names, {}
        out = array("i", bytes(4 * len(self.path)))
        result = int(Role.TOOL_RESULT)
        for at, role in enumerate(self.roles):
            if role == result:
                name = self.tree.columns.name[self.path[at]]
                if name not in lengths:
                    lengths[name] = to_tokens(len(names[name]))
                out[at] = lengths[name]
        return out

    @cached_property
    def spared(self) -> dict[Category, array[int]]:
        """Prefix sums of the tokens that pruning takes out, were every tool result pruned; length n + 1."""
        count, message = len(self.path), int(Emission.MESSAGE)
        results, images = self.shares[Category.TOOL_RESULTS], self.shares[Category.IMAGES]
        is_result = [
            role == Role.TOOL_RESULT and emission == message
            for role, emission in zip(self.roles, self.emissions, strict=True)
        ]
        text = (results[at] - self.pruned_tokens[at] if is_result[at] else 0 for at in range(count))
        pictures = (images[at] if is_result[at] else 0 for at in range(count))
        return {
            Category.TOOL_RESULTS: array("q", accumulate(text, initial=0)),
            Category.IMAGES: array("q", accumulate(pictures, initial=0)),
        }

    def between(self, category: Category, start: int, stop: int) -> int:
        """Tokens of one category over positions start … stop - 1."""
        sums = self.totals[category]
        return sums[stop] - sums[start] if len(sums) > 1 else 0

    @cached_property
    def ranked(self) -> array[int]:
        """Positions of sent entries, the largest first; ties in the order of the path."""
        tokens, emissions, message = self.tokens, self.emissions, int(Emission.MESSAGE)
        sent = [at for at in range(len(self.path)) if emissions[at] == message]
        sent.sort(key=tokens.__getitem__, reverse=True)
        return array("i", sent)  # a list of a million numbers would be walked by every search for garbage

    @cached_property
    def reports(self) -> array[int]:
        """Positions of assistant messages with a usable report: whole, usage not all zero."""
        c = self.tree.columns
        reported, flags, assistant = c.reported, c.flags, int(Role.ASSISTANT)
        return array(
            "i",
            (
                at
                for at, (entry, role) in enumerate(zip(self.path, self.roles, strict=True))
                if role == assistant and reported[entry] > 0 and not flags[entry] & _UNREPORTED
            ),
        )


def _nature(kind: int, role: int) -> Emission:
    """The emission of a sound, non-empty entry of this kind and role."""
    if kind == Kind.COMPACTION:
        return Emission.SUMMARY
    if kind == Kind.BRANCH_SUMMARY:
        return Emission.MESSAGE
    speaks = kind in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE) and role not in (Role.NONE, Role.SYSTEM)
    return Emission.MESSAGE if speaks else Emission.NOTHING


_LISTED = bytes(code in (Emission.MESSAGE, Emission.WITHHELD) for code in range(256))
_NATURES = bytes(_nature(code >> 3, code & 7) for code in range(256))


def _withheld(nature: int, role: int, flags: int, tokens: int) -> int:
    """The emission of an entry that is marked or empty."""
    if nature != Emission.MESSAGE:
        return nature
    if flags & _NOTE == _NOTE:  # it hangs beside the conversation: no total has it
        return Emission.NOTHING
    if role == Role.NONE:  # a branch summary
        return nature if tokens else Emission.NOTHING
    broken = flags & Flag.EXCLUDED or (role == Role.ASSISTANT and flags & _BROKEN)
    return Emission.WITHHELD if broken or (not tokens and role != Role.TOOL_RESULT) else nature

"""Close a conversation that the end of its file cuts, so that its complete messages can be read."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from enum import Enum, auto

from stemmata.formats.shared.json_elements import KEY, QUOTED, quoted_text

_TOKEN = re.compile(rb'[\[\]{},]|"' + QUOTED, re.DOTALL)
_CLOSERS = {ord("{"): b"}", ord("["): b"]"}
_COMMA = ord(",")
_QUOTE = ord('"')


class _Part(Enum):
    """The part of a conversation to which an open bracket belongs."""

    ABOVE = auto()  # the conversation, and what leads to its messages
    MESSAGES = auto()
    MESSAGE = auto()
    OTHER = auto()


@dataclass(slots=True)
class _Bracket:
    """An open bracket. `path` has the keys that lead to it. `is_kept`: what is complete in it is kept."""

    opener: int
    part: _Part
    path: tuple[str, ...]
    is_kept: bool
    key: str = ""  # the latest key in it


def closed_conversation(
    data: bytes, paths: Collection[tuple[str, ...]], below: Set[str] = frozenset()
) -> tuple[bytes, int]:
    """Return the part of a cut conversation that is complete, with the brackets that it lacks, and the part's size.

    Each of the `paths` has the keys that lead to the messages, which are a list or an object. A message may contain
    its replies, as a list under a key of `below`: it is complete where this list begins. Of other messages that are
    cut nothing is kept. The result is JSON if the part is.
    """
    open_: list[_Bracket] = []
    size, depth = 0, 0
    for token in _TOKEN.finditer(data):
        first, place = data[token.start()], token.end()
        if first in _CLOSERS:
            open_.append(_opened(first, open_, paths, below))
        elif first == _QUOTE:
            if open_ and KEY.match(data, place):
                open_[-1].key = quoted_text(token[0])
            continue
        elif first == _COMMA:
            place = token.start()
        elif open_:
            open_.pop()
        if open_ and open_[-1].is_kept:
            size, depth = place, len(open_)
    return data[:size] + b"".join(_CLOSERS[one.opener] for one in reversed(open_[:depth])), size


def _opened(opener: int, open_: Sequence[_Bracket], paths: Collection[tuple[str, ...]], below: Set[str]) -> _Bracket:
    if not open_:
        return _Bracket(opener, _Part.ABOVE, (), is_kept=True)
    above = open_[-1]
    path = (*above.path, above.key)
    if above.part is _Part.ABOVE and path in paths:
        return _Bracket(opener, _Part.MESSAGES, (), is_kept=True)
    if above.part is _Part.ABOVE and any(path == one[: len(path)] for one in paths):
        return _Bracket(opener, _Part.ABOVE, path, is_kept=True)
    if above.part is _Part.MESSAGES:
        return _Bracket(opener, _Part.MESSAGE, (), is_kept=False)
    if above.part is _Part.MESSAGE and above.key in below and _CLOSERS[opener] == b"]":
        above.is_kept = True
        return _Bracket(opener, _Part.MESSAGES, (), is_kept=True)
    return _Bracket(opener, _Part.OTHER, (), is_kept=False)

"""Finds text in the entries of a session. Ignores case and searches all text that a transcript can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.session_facts import Body
from stemmata.domain.entries.tree import Tree

SLICE = 262_144  # characters of a text that are searched at a time
SIGMA = "Σ"


def block_texts(block: Block) -> Iterator[str]:
    """Yield the readable text of a block. In a call's JSON arguments, escaped line ends and quotes are unescaped."""
    match block:
        case Text() | Thinking():
            yield block.text
        case ToolCall():
            yield block.arguments.replace("\\n", "\n").replace('\\"', '"')
        case UnknownBlock():
            yield block.json
        case _:
            pass


def occurrences(body: Body, needle: str) -> int:
    """Return how often `needle`, which must be in lower case, occurs in the entry."""
    return sum(count_of(text, needle) for block in body.blocks for text in block_texts(block))


def count_of(text: str, needle: str, size: int = SLICE) -> int:
    """Return how often `needle`, which must be in lower case, occurs in the text in lower case.

    The text is read in slices of `size` characters, because a copy of 10 MB in lower case keeps Python's lock for
    half a frame. It is read as a whole for a needle that may overlap itself, such as "aa", and if it has a capital
    sigma, whose small letter depends on those around it.
    """
    overlaps = any(needle.startswith(needle[-end:]) for end in range(1, len(needle)))
    if len(text) <= size or overlaps or SIGMA in text:
        return text.lower().count(needle)
    found = begin = 0  # `begin`: where in the slice the match that crossed its border ends
    for start in range(0, len(text), size):
        border = len(text[start : start + size].lower())
        part = text[start : start + size + len(needle)].lower()
        end = border + len(needle) - 1
        found += part.count(needle, begin, end)
        last = part.rfind(needle, begin, end)
        begin = max((last + len(needle) if last >= 0 else begin) - border, 0)
    return found


def entries_off_path(tree: Tree, path: Sequence[int]) -> list[int]:
    """Return the indices of all entries of the tree that are not on the path."""
    on_path = bytearray(len(tree))
    for entry in path:
        on_path[entry] = 1
    return [entry for entry, on in enumerate(on_path) if not on]

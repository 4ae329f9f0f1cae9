"""Finds text in the entries of a session. Searches all text that a transcript can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.needle import Needle


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


def occurrences(body: Body, name: str, needle: Needle) -> int:
    """Return how often the needle occurs in the entry and in its name; "" for a name that is not shown."""
    return needle.count(name) + sum(needle.count(text) for block in body.blocks for text in block_texts(block))


def entries_off_path(tree: Tree, path: Sequence[int]) -> list[int]:
    """Return the indices of all entries of the tree that are not on the path."""
    on_path = bytearray(len(tree))
    for entry in path:
        on_path[entry] = 1
    return [entry for entry, on in enumerate(on_path) if not on]

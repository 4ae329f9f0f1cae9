"""Finding text in a session: letter by letter, whatever the case, in all that a transcript can show of an entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.entries.blocks import Block, Opaque, Text, Thinking, ToolCall
from stemmata.domain.entries.session_facts import Body
from stemmata.domain.entries.tree import Tree


def block_texts(block: Block) -> Iterator[str]:
    """What can be read of a block. Arguments are JSON as it is stored, with its line breaks opened."""
    match block:
        case Text() | Thinking():
            yield block.text
        case ToolCall():
            yield block.arguments.replace("\\n", "\n").replace('\\"', '"')
        case Opaque():
            yield block.json
        case _:
            pass


def occurrences(body: Body, needle: str) -> int:
    """How often the text stands in the entry; `needle` in lower case."""
    return sum(text.lower().count(needle) for block in body.blocks for text in block_texts(block))


def beside(tree: Tree, path: Sequence[int]) -> list[int]:
    """The entries of a tree, as indices, that are not on a path of it."""
    on_path = bytearray(len(tree))
    for entry in path:
        on_path[entry] = 1
    return [entry for entry, on in enumerate(on_path) if not on]

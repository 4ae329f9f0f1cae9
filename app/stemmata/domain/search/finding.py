"""Finds text in the entries of a session. Searches all text that a transcript can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.needle import Needle
from stemmata.domain.text.terminal_text import readable

_BACKSLASH = "\ue002"  # stands for a backslash while other escapes are replaced


def unescaped(json: str) -> str:
    """Return JSON with its escaped white space, quotes and backslashes unescaped, so that its words can be found."""
    if "\\" not in json:
        return json
    plain = json.replace("\\\\", _BACKSLASH).replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\n")
    return plain.replace('\\"', '"').replace(_BACKSLASH, "\\")


def block_texts(block: Block) -> Iterator[str]:
    """Yield the readable text of a block. The JSON arguments of a call are unescaped."""
    match block:
        case Text() | Thinking():
            yield readable(block.text)
        case ToolCall():
            yield unescaped(block.arguments)
        case UnknownBlock():
            yield block.json
        case _:
            pass


def occurrences(body: Body, name: str, needle: Needle) -> int:
    """Return how often the needle occurs in the entry, its tools' names, and its own name; "" for no shown name."""
    tools = sum(needle.count(block.name) for block in body.blocks if isinstance(block, ToolCall))
    return (
        needle.count(name) + tools + sum(needle.count(text) for block in body.blocks for text in block_texts(block))
    )


def entries_off_path(tree: Tree, path: Sequence[int]) -> list[int]:
    """Return the indices of all entries of the tree that are not on the path."""
    on_path = bytearray(len(tree))
    for entry in path:
        on_path[entry] = 1
    return [entry for entry, on in enumerate(on_path) if not on]

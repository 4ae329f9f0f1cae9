"""Messages as a person wrote them: what was attached, and what was said about it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stemmata.domain.entries.blocks import Block, Image, Text

_NAME_LINE = re.compile(r"([^\n]{1,255}):\n\n")


def name_of(block: Block) -> str:
    """Of what is attached, "" where it has none."""
    if isinstance(block, Text):
        named = _NAME_LINE.match(block.text)
        return named[1] if named else ""
    return block.name if isinstance(block, Image) else ""


def parted(blocks: Sequence[Block]) -> tuple[tuple[Block, ...], str]:
    """What is attached, in order, and the text. What is said comes last: a text at the end is no attachment."""
    attached, said = list[Block](), list[str]()
    for at, block in enumerate(blocks):
        if isinstance(block, Text) and (at == len(blocks) - 1 or not name_of(block)):
            said.append(block.text)
        else:
            attached.append(block)
    return tuple(attached), "\n\n".join(said)

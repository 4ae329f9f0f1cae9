"""Cutting a long Markdown text where no block is open, so that its parts can be rendered one by one."""

from __future__ import annotations

import re

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def chunks(text: str, size: int) -> list[str]:
    """Parts of at least `size` characters each (the last may be shorter); together they are the text.

    A cut is made in front of an unindented line behind a blank one, never inside a fenced code block.
    """
    out: list[str] = []
    start = position = 0
    fence, blank = "", False
    for line in text.splitlines(keepends=True):
        if blank and not fence and position - start >= size and line.strip() and not line[0].isspace():
            out.append(text[start:position])
            start = position
        fence = _fence_after(line, fence)
        blank = not line.strip()
        position += len(line)
    out.append(text[start:])
    return out


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open after this line; `fence` was open before it, "" for none."""
    found = FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    closes = found[1].startswith(fence) and not line[found.end() :].strip()
    return "" if closes else fence

"""The text in which librecode keeps a tool's result: sections with headings, in a fixed order.

The columns that librecode fills from it are wrong in older rows, so the text itself is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINES = ("tool", "call_id", "parent_call_id", "sequence")  # headings with their value on the same line
_SECTIONS = ("arguments", "error", "is_error", "details", "output")
_HEADING = re.compile(r"^(?:(arguments|is_error):.*|(error|details|output):)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToolText:
    """The facts in the text of a result. `call`, `parent` and `sequence` are known for calls inside another call."""

    tool: str = ""
    call: str = ""
    parent: str = ""
    sequence: str = ""
    arguments: str = ""
    error: str = ""
    is_error: bool = False
    details: str = ""
    output: str = ""


def tool_text(content: str) -> ToolText | None:
    """Return the facts in a result's text; None for a text that does not begin with the name of a tool.

    Headings count in their order only, so the output, which is the last section, may contain lines like them.
    """
    found: dict[str, str] = {}
    rest = content
    for name in _LINES:
        line, _, after = rest.partition("\n")
        if line.startswith(f"{name}: "):
            found[name], rest = line.removeprefix(f"{name}: ").strip(), after
    if "tool" not in found:
        return None
    sections = _sections(rest)
    return ToolText(
        tool=found["tool"], call=found.get("call_id", ""), parent=found.get("parent_call_id", ""),
        sequence=found.get("sequence", ""), arguments=sections.get("arguments", ""), error=sections.get("error", ""),
        is_error=sections.get("is_error", "") == "true", details=sections.get("details", ""),
        output=sections.get("output", ""),
    )  # fmt: skip


def _sections(rest: str) -> dict[str, str]:
    """Return the sections of a text by their headings."""
    found: dict[str, str] = {}
    name, start = "", 0
    for heading in _HEADING.finditer(rest):
        next_name = heading[1] or heading[2]
        if name and _SECTIONS.index(next_name) <= _SECTIONS.index(name):
            continue  # a line inside a section that looks like a heading
        found[name] = rest[start : heading.start()].removesuffix("\n")
        name, start = next_name, heading.start() + len(next_name) + 1
    found[name] = rest[start:]
    return {name: part.lstrip(" \t").removeprefix("\n") for name, part in found.items()}

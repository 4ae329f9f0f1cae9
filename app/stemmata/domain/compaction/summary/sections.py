"""The sections that every summary has, and the functions that find them in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple


class Section(Enum):
    """The sections of a summary, in order. The value is the heading."""

    GOAL = "Goal"
    CONSTRAINTS = "Constraints and preferences"
    PROGRESS = "Progress"
    DECISIONS = "Key decisions"
    FILES = "Files read and changed"
    COMMANDS = "Commands and results"
    ERRORS = "Errors"
    NEXT = "Next steps"
    CRITICAL = "Critical context"


DONE, IN_PROGRESS, BLOCKED = "Done", "In progress", "Blocked"

_TITLES = {section.value.lower(): section for section in Section} | {
    "files read/changed": Section.FILES,
    "files changed/read": Section.FILES,
    "key decisions made": Section.DECISIONS,
    "user preferences": Section.CONSTRAINTS,
}
_HEADING = re.compile(r"^##\s+(.+?)\s*$")
_GROUP = re.compile(r"^###\s+(.+?)\s*$")
_BULLET = re.compile(r"[-*](?: |$)|\d+\. ")
_FENCE = re.compile(r"^\s*(```|~~~)")
_COMPUTED = re.compile(r"\n*<(read|modified)-files>\n(.*?)\n</\1-files>", re.DOTALL)


class ListedFiles(NamedTuple):
    """The file lists that pi appends to a summary."""

    read: tuple[str, ...]
    modified: tuple[str, ...]


def split_file_lists(text: str) -> tuple[str, ListedFiles]:
    """Return a summary without the file lists at its end, and the lists."""
    lists = {kind: tuple(body.splitlines()) for kind, body in _COMPUTED.findall(text)}
    return _COMPUTED.sub("", text), ListedFiles(lists.get("read", ()), lists.get("modified", ()))


def sections_of(text: str) -> tuple[dict[Section, str], str]:
    """Return the known sections of a summary (pi's are a subset), and the rest of its text unchanged.

    A summary without a goal section has no known sections. The file lists that pi appends are left out, because the
    details of the entry contain them.
    """
    text = split_file_lists(text)[0].strip()
    found: dict[Section, str] = {}
    rest: list[str] = []
    for title, body in _split(text, _HEADING):
        section = _section(title)
        if section is None or section in found:
            rest.append(f"## {title}\n\n{body}" if title else body)
        else:
            found[section] = body
    return (found, "\n\n".join(rest).strip()) if Section.GOAL in found else ({}, text)


def section_groups(body: str) -> dict[str, str]:
    """Return the parts of a section by their level-three headings; "" is the text before the first heading."""
    found: dict[str, str] = {}
    for title, part in _split(body, _GROUP):
        if part:
            found[title] = f"{found[title]}\n\n{part}" if title in found else part
    return found


def list_items(body: str) -> list[str]:
    """Return the top-level list items of a part with their continuation lines; text without bullets is one item."""
    out: list[list[str]] = []
    for line in body.splitlines():
        if not out or _BULLET.match(line):
            out.append([line])
        else:
            out[-1].append(line)
    return [item for item in ("\n".join(lines).strip() for lines in out) if item and item not in ("- None", "-")]


def structure_problems(text: str) -> list[str]:
    """Return the faults in the structure of a summary that a model wrote; empty when it is valid."""
    if not text.strip():
        return ["The summary is empty."]
    out = []
    parts = list(_split(text.strip(), _HEADING))
    if not parts[0][0]:
        out.append("There is text before the first section.")
    titles = [_section(title) for title, _ in parts if title]
    known = [section for section in titles if section is not None]
    out += [f"The section “{section.value}” is missing." for section in Section if section not in known]
    if len(set(known)) != len(known):
        out.append("A section comes twice.")
    elif known != [section for section in Section if section in known]:
        out.append("The sections are not in order.")
    empty = [title for title, body in parts if title and _section(title) is not None and not body]
    out += [f"The section “{title}” is empty." for title in empty]
    if sum(1 for line in text.splitlines() if _FENCE.match(line)) % 2:
        out.append("A code block is not closed: the text was cut off.")
    return out


def _section(title: str) -> Section | None:
    name = title.rstrip(":").replace("&", "and").lower()
    return _TITLES.get(name)


def _split(text: str, heading: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield (title, body) for each heading outside code blocks, and ("", text) for text before the first heading."""
    title, lines, fenced = "", [], False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        found = None if fenced else heading.match(line)
        if found is None:
            lines.append(line)
            continue
        if title or "".join(lines).strip():
            yield title, "\n".join(lines).strip()
        title, lines = found[1], []
    yield title, "\n".join(lines).strip()

"""Puts a text on one line of bounded length, and cuts a line between words."""

from __future__ import annotations

import re

LENGTH = 200
TITLE = 60  # maximum characters of a title
_FORK = re.compile(r" \(fork(?: #\d{1,4})?\)\Z")  # the end of the name of a fork
GLANCE = 4 * LENGTH  # characters that are read, since collapsing white space shortens the text


def one_line(text: str, length: int = LENGTH) -> str:
    """Return the text on one line of at most `length` characters, cut with an ellipsis.

    White space is collapsed; lone surrogates and control characters become spaces.
    """
    start = " ".join(text[: length + length // 2].split())
    if len(start) > length and start.isprintable():  # the text after it is cut off
        return start[: length - 1].rstrip() + "…"
    glance = text[: max(GLANCE, 2 * length)]
    line = " ".join(glance.split())
    if not line.isprintable():
        line = " ".join("".join(character if _shows(character) else " " for character in line).split())
    if len(line) > length:
        return line[: length - 1].rstrip() + "…"
    return line + "…" if len(text) > len(glance) and len(line) < length else line


def cut_between_words(line: str, length: int) -> str:
    """Return at most `length` characters of a line and an ellipsis, cut between words; the line when it is short."""
    if len(line) <= length:
        return line
    end = line.rfind(" ", length // 2, length)
    return line[: end if end > 0 else length - 1].rstrip(" .,:;–-") + "…"


def without_fork(title: str) -> tuple[str, str]:
    """Return the title without the mark of a fork, and the mark, "" for none."""
    found = _FORK.search(title) if title.endswith(")") else None
    return (title, "") if found is None else (title[: found.start()], found[0])


def cut_title(title: str) -> str:
    """Return a title of more than TITLE characters, cut to that between words. The mark of a fork stays."""
    name, fork = without_fork(title)
    return cut_between_words(name, TITLE - len(fork)) + fork


def _shows(character: str) -> bool:
    """Return whether a character is kept: printable ones, and the joiners that shape emoji and many scripts."""
    return character.isprintable() or character in "\u200c\u200d"

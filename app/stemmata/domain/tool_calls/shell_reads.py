"""Recognises the shell commands that print a file or some of its lines, and nothing else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 1_000  # characters of a command; longer ones do more than print a file
_RANGE = re.compile(r"(\d{1,9})(?:,(\d{1,9}))?p")
_COUNT = re.compile(r"-(?:n)?(\d{1,9})")
_SIGNS = frozenset("();<>|&")
# The lines that Codex prints above the output of a command.
HEADS = re.compile(
    r"(?:(?:Command: .*|Chunk ID: .*|Exit code: .*|Wall time: .*|Process .*|Original token count: .*"
    r"|Total output lines: .*)\n)+(?:Output:\n)?"
)
_TRUNCATED = re.compile(
    r"(?:tokens|lines|characters|chars|bytes) (?:truncated|omitted)|\[Showing lines |output truncated"
)


@dataclass(frozen=True, slots=True)
class ShellRead:
    """A command that prints lines of a file, from line `first` on; `count` is None for all of them.

    `folder` is where the command changed to first, "" for none. Both may begin with `~`, the home folder. `numbered`:
    each line has its number before it.
    """

    path: str
    folder: str = ""
    first: int = 1
    count: int | None = None
    numbered: bool = False


def shell_read(command: str) -> ShellRead | None:
    """Return the part of a file that a command prints; None when it does anything else, or may do so."""
    if len(command) > LONGEST or any(sign in command for sign in "\n`$*?{}[]\\"):
        return None
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return None
    folder = ""
    if words[:1] == ["cd"] and words[2:3] == ["&&"]:
        folder, words = words[1], words[3:]
    if "|" in words:
        at = words.index("|")
        return _piped(words[:at], words[at + 1 :], folder)
    return None if any(set(word) <= _SIGNS for word in words) else _single(words, folder)


def _single(words: Sequence[str], folder: str) -> ShellRead | None:
    """Return the part of a file that a single program prints."""
    match [*words]:
        case ["cat", path] | ["bat", "-p", path] if not path.startswith("-"):
            return ShellRead(path, folder)
        case ["cat", "-n", path] | ["nl", "-ba", path]:
            return ShellRead(path, folder, numbered=True)
        case ["sed", "-n", lines, path]:
            return _ranged(lines, path, folder)
        case ["head", "-n", count, path] if count.isdecimal():
            return ShellRead(path, folder, count=int(count[:9]))
        case ["head", option, path] if (found := _COUNT.fullmatch(option)) is not None:
            return ShellRead(path, folder, count=int(found[1]))
        case _:
            return None


def _piped(first: Sequence[str], second: Sequence[str], folder: str) -> ShellRead | None:
    """Return the part of a file that a pipe such as `nl -ba FILE | sed -n 1,20p` prints.

    None for every other pipe.
    """
    read = _single(first, folder)
    if read is None or not read.numbered or [*second[:2]] != ["sed", "-n"] or len(second) != 3:
        return None
    lines = _ranged(second[2], read.path, folder)
    return None if lines is None else ShellRead(read.path, folder, lines.first, lines.count, numbered=True)


def _ranged(lines: str, path: str, folder: str) -> ShellRead | None:
    found = _RANGE.fullmatch(lines)
    if found is None:
        return None
    first = int(found[1])
    last = int(found[2] or found[1])
    return ShellRead(path, folder, first, last - first + 1) if 1 <= first <= last else None


def printed(text: str) -> str | None:
    """Return the output of a command, without the lines that Codex puts before it; None for a shortened output."""
    head = HEADS.match(text)
    output = text[head.end() :] if head is not None else text
    return None if _TRUNCATED.search(output) else output

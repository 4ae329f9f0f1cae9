"""The text that a terminal would show in the end for the output of a command."""

from __future__ import annotations

import re

from stemmata.domain.text.untrusted import SEQUENCES

_OVERTYPED = re.compile("[^\x08\n]\x08")
_PASSES = 3  # over the text; of more backspaces in a row, the rest is removed without a character before it
_WRITES = 20  # the last times that a line was written; earlier ones are seen only where a line became shorter
_ENDS = re.compile("\u2029|\ufdd0|\ufdd1")  # characters at which a text document of Qt begins another paragraph


def terminal_text(text: str) -> str:
    """Return the text without escape sequences and without overwritten text, as of progress bars.

    The number of lines stays the same: `\\r\\n` is one line end, and a lone `\\r` goes back to the start of the line.
    """
    if "\x1b" in text or "\x9b" in text:
        text = SEQUENCES.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            text = "\n".join(map(_overwritten, text.split("\n")))
    if "\b" in text:
        for _ in range(_PASSES):
            text, count = _OVERTYPED.subn("", text)
            if not count:
                break
        text = text.replace("\b", "")
    return text


def readable(text: str, *, is_printed: bool = False) -> str:
    """Return the text that people read and search: without escape sequences, so that words behind them are found.

    With `is_printed` it is the output of a program, in which overwritten text is left out as well.
    """
    if is_printed:
        return terminal_text(text)
    return SEQUENCES.sub("", text) if "\x1b" in text or "\x9b" in text else text


def with_one_line_end(text: str, *, overwrites: bool = False) -> str:
    """Return the text with a newline wherever a text document begins another line.

    With `overwrites`, a lone `\\r` stays as it is, because it goes back to the start of the line.
    """
    if "\r" in text:  # found much faster than a replacement that finds nothing
        text = text.replace("\r\n", "\n")
        text = text if overwrites else text.replace("\r", "\n")
    return text if text.isascii() else _ENDS.sub("\n", text)


def _overwritten(line: str) -> str:
    """Return the visible text of a line that was written several times: the last text, and the end of longer ones."""
    shown = ""
    for written in line.split("\r")[-_WRITES:]:
        shown = written + shown[len(written) :]
    return shown

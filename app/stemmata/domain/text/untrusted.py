"""Values that others wrote, a server or a file: numbers that can be stored, texts that steer no terminal."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MOST_TOKENS = 1 << 28  # of one figure; the tree keeps sums of four of these in 32 bits
MOST_STORED = (1 << 63) - 1  # what a column of the archive holds
_LONGEST_NUMBER = 4000  # digits; Python reads no whole number of more than 4,300

_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS and their like
    r"|\x1b[ -/]*[0-~]"
)
_CONTROLS = (*range(9), *range(11, 32), *range(127, 160))
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # of the reading order
_SURROGATES = range(0xD800, 0xE000)  # halves of characters, which no encoding takes
_STEERING = str.maketrans(dict.fromkeys((*_CONTROLS, *_TURNING)) | dict.fromkeys(_SURROGATES, "\ufffd"))
_SPELLED = {code: repr(chr(code))[1:-1] for code in (*_CONTROLS, *_TURNING)} | {
    code: f"\\u{code:04x}" for code in _SURROGATES
}
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def bounded(value: object, least: int, most: int) -> int | None:
    """The number, cut to a whole one, where it lies within the bounds; None for anything else, NaN and bools too."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        return None
    return int(value)


def whole(value: object, most: int = MOST_TOKENS) -> int:
    """A count: 0 for what is none or is below, at most `most`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return 0
    return most if value >= most else int(value)


def parsed(text: str | bytes) -> Any:
    """The JSON, with infinity for numbers that are too long to read. Raises ValueError, RecursionError."""
    return json.loads(text, parse_int=_read)


def _read(digits: str) -> float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else math.inf if digits[0] != "-" else -math.inf


def printable(text: str) -> str:
    """Without escape sequences, control characters (but tabs and line ends) and marks that turn the reading order.

    Takes time linear in the text; one without any of these comes back as it is.
    """
    if _SUSPECT.search(text) is None:
        return text
    return _SEQUENCES.sub("", text).translate(_STEERING)


def spelled(text: str) -> str:
    """The same characters written out where `printable` takes them away, `\\x1b` for the escape; for a terminal.

    The ends of lines as Windows has them are ends of lines.
    """
    if _SUSPECT.search(text) is None:
        return text
    return text.replace("\r\n", "\n").translate(_SPELLED)


def escaped(document: str) -> str:
    """JSON that says the same in which these characters are escaped. JSON has them in its texts only."""
    return _SUSPECT.sub(lambda found: f"\\u{ord(found.group()):04x}", document)

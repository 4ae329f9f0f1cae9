"""Checks values from servers and files: numbers are bounded for storage, control characters removed from texts."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MOST_TOKENS = 1 << 28  # the largest accepted token count; a sum of four of these must fit into 32 bits
_LONGEST_NUMBER = 4000  # digits; Python refuses to read integers of more than 4,300

SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS and similar
    r"|\x1b[ -/]*[0-~]"
)
_CONTROLS = (*range(9), *range(11, 32), *range(127, 160))
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # characters that change the reading direction
_SURROGATES = range(0xD800, 0xE000)  # halves of characters, which UTF-8 cannot encode
_STEERING = str.maketrans(dict.fromkeys((*_CONTROLS, *_TURNING)) | dict.fromkeys(_SURROGATES, "\ufffd"))
_SPELLED = {code: repr(chr(code))[1:-1] for code in (*_CONTROLS, *_TURNING)} | {
    code: f"\\u{code:04x}" for code in _SURROGATES
}
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def number_within(value: object, least: int, most: int) -> int | None:
    """Return the number, rounded toward zero, when it lies within the bounds; None for any other value.

    NaN and bools are not numbers here.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        return None
    return int(value)


def non_negative_int(value: object) -> int:
    """Return the value as an integer from 0 to MOST_TOKENS; 0 when it is negative or not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return 0
    return MOST_TOKENS if value >= MOST_TOKENS else int(value)


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; integers of too many digits become infinity.

    Raises ValueError for invalid JSON and RecursionError for JSON that nests too deep.
    """
    return json.loads(text, parse_int=_read)


def _read(digits: str) -> float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else math.inf if digits[0] != "-" else -math.inf


def printable(text: str) -> str:
    """Return the text without escape sequences, control characters and marks that change the reading direction.

    Tabs and line ends are kept; surrogates become U+FFFD. Takes time linear in the text.
    """
    if _SUSPECT.search(text) is None:
        return text
    return SEQUENCES.sub("", text).translate(_STEERING)


def with_visible_controls(text: str) -> str:
    """Return the text for a terminal, with the characters that `printable` removes written as escapes (`\\x1b`).

    Windows line ends become plain line ends.
    """
    if _SUSPECT.search(text) is None:
        return text
    return text.replace("\r\n", "\n").translate(_SPELLED)


def escape_controls(document: str) -> str:
    """Return an equal JSON document in which the characters that `printable` removes are written as `\\uXXXX`."""
    return _SUSPECT.sub(lambda found: f"\\u{ord(found.group()):04x}", document)

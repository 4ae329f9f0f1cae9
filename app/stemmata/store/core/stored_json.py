"""Values as JSON text. Strings may hold lone surrogates, which only the standard library reads and writes."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

PIECE = 128 * 1024  # characters of a string that are parsed at a time
_TO_QUOTE = re.compile(r"""[^"\\]*(?:\\.[^"\\]*)*""", re.DOTALL)


def to_json(value: Any) -> str:
    """Return a value as JSON text, with lone surrogates as escapes."""
    return json_bytes(value).decode()


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in UTF-8, with lone surrogates as escapes."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def from_json(text: str | bytes) -> Any:
    """Return the value of JSON text that `to_json` made."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # lone surrogates, which only the standard library reads
        return json.loads(text)


def from_large_json(text: str, piece: int = PIECE) -> Any:
    """Return the value of JSON text that `to_json` made of a body, like `from_json`.

    Long strings are parsed in pieces, because parsing keeps Python's lock: for 10 MB as long as a frame.
    """
    strings: list[str] = []
    rest: list[str] = []  # the text with an object of the key "", which no body has, for each long string
    at, start = 0, text.find('"')
    while start >= 0:
        pieces: list[str] = []
        end = start + 1
        while not pieces or text[end] != '"':
            pieces.append(_piece(text, end, piece))
            if "\\ud" in pieces[-1]:  # a piece may end within a pair of surrogates
                return from_json(text)
            end += len(pieces[-1])
        if len(pieces) > 1:
            rest += [text[at:start], f'{{"":{len(strings)}}}']
            strings.append("".join(orjson.loads(f'"{part}"') for part in pieces))
            at = end + 1
        start = text.find('"', end + 1)
    rest.append(text[at:])

    def whole(value: dict[str, Any]) -> Any:
        return strings[value[""]] if "" in value else value

    return json.loads("".join(rest), object_hook=whole)


def _piece(text: str, start: int, size: int) -> str:
    """Return about `size` characters of a JSON string, at most to the quote at its end; no escape is cut in two."""
    found = text[start : start + size]
    escape = found.rfind("\\", -len("\\u0000"))
    if escape >= 0 and len(found) == size:  # at the end of the text nothing is cut off
        backslashes = escape + 1 - len(found[: escape + 1].rstrip("\\"))
        found = found[: escape + 1 - backslashes % 2]
    # a quick test first: most pieces do not need the regular expression
    if '"' in found.replace("\\\\", "").replace('\\"', ""):
        match = _TO_QUOTE.match(found)
        assert match is not None
        return match[0]
    return found

"""From a line's bytes to a value: as JavaScript's JSON.parse accepts them, bounded, and safe to store."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

MAX_DEPTH = 200  # levels of nesting; keeps every later walk of the value far from the interpreter's limit
_SURROGATE = re.compile("[\ud800-\udfff]")


class BadLineError(ValueError):
    """The line is no usable JSON; the text says why, for the integrity report."""


def parse(data: bytes) -> Any:
    """The JSON value of a line. Invalid UTF-8 and lone surrogates become U+FFFD. Raises BadLineError."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = _parse_tolerantly(data)
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH and _is_deep(value):
        raise BadLineError(f"nested more than {MAX_DEPTH} levels deep")
    return value


def parse_object(data: bytes | None) -> dict[str, Any]:
    """A line that must hold a JSON object. `data` None: the line was too long to hold. Raises BadLineError."""
    if data is None:
        raise BadLineError("longer than a line may be")
    value = parse(data)
    if not isinstance(value, dict):
        raise BadLineError("not a JSON object")
    return value


def _parse_tolerantly(data: bytes) -> Any:
    try:
        value = json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)
        text = json.dumps(value, ensure_ascii=False)
        if _SURROGATE.search(text):
            value = json.loads(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
    except RecursionError:
        raise BadLineError(f"nested more than {MAX_DEPTH} levels deep") from None
    except ValueError as error:
        raise BadLineError("not valid JSON") from error
    return value


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _is_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def first_records(head: bytes, limit: int = 20) -> list[Any]:
    """The first values that parse in the beginning of a file; lines that do not are passed over."""
    records = []
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            records.append(parse(line))
        except BadLineError:
            continue
        if len(records) == limit:
            break
    return records

"""Prints JSON as JavaScript's `JSON.stringify` does, so that token estimates agree with those of the pi agent."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_NESTING = 100  # levels of lists and objects that are printed into requests and summaries
_MARK = "\0number:"
_MARKED = re.compile(r'"\\u0000number:([^"]*)"')


def compact_json(value: Any) -> str:
    """Return the value as JSON without spaces.

    Non-ASCII characters are kept, floats without a fraction are printed as integers, infinity and NaN as null, lone
    surrogates are escaped. The value may be nested to any depth, and parts of it may be `RawJson`.
    """
    try:
        text = json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (RecursionError, TypeError):
        return "".join(_pieces(value))
    if "\\u0000number:" in text:
        text = _MARKED.sub(r"\1", text)
    return _escaped(text)


def _string(text: str) -> str:
    return _escaped(json.dumps(text, ensure_ascii=False))


def _escaped(text: str) -> str:
    """Return a text of JSON with lone surrogates escaped."""
    return SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) if SURROGATE.search(text) else text


SURROGATE = re.compile("[\ud800-\udfff]")  # a lone surrogate, which UTF-8 cannot encode


def javascript_number(value: float) -> str:
    """Return the text that JavaScript's `Number.prototype.toString` gives for a finite float."""
    if value == 0:
        return "0"
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits.removesuffix(".0")
    power = int(exponent)
    if 0 < power < 21:
        whole, _, fraction = digits.partition(".")
        return whole + fraction.ljust(power, "0")
    if -7 < power < 0:
        places = len(digits.replace(".", "").lstrip("-")) - 1 - power
        return f"{value:.{places}f}"
    return f"{digits.removesuffix('.0')}e{power:+d}"


def _plain(value: Any) -> Any:
    """Return the value with floats replaced by something that `json.dumps` prints as JavaScript does.

    A float in exponent notation becomes a marked string; `compact_json` removes the mark and the quotes. Raises
    TypeError for a string that has the mark itself, which is left to `_pieces`.
    """
    if isinstance(value, str):
        if _MARK in value:
            raise TypeError(value)
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        text = javascript_number(value)
        return int(text) if text.lstrip("-").isdigit() else _MARK + text if "e" in text + repr(value) else value
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def indented_json(value: Any) -> str:
    """Return the value as indented JSON for people to read; compact JSON when it nests too deep to indent."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        return compact_json(value)


def nests_deeper_than(value: Any, levels: int) -> bool:
    """Return whether lists and mappings nest deeper than `levels`. Takes no recursion, so any depth is safe."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [outer for outer in layer if isinstance(outer, dict | list)]
        if not layer:
            return False
        layer = [item for outer in layer for item in (outer.values() if isinstance(outer, dict) else outer)]
    return True


@dataclass(frozen=True, slots=True)
class RawJson:
    """A JSON text that nests too deep for `json.loads`. `compact_json` prints it unchanged."""

    text: str


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, or `RawJson` when it nests too deep. Raises ValueError for invalid JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        if not _is_json(text):
            raise ValueError("invalid JSON") from None
        return RawJson(text)


def _pieces(value: Any) -> Iterator[str]:
    """Yield the pieces of the compact JSON text without recursion."""
    waiting: list[Any] = [value]  # a stack: the last value is printed next
    while waiting:
        each = waiting.pop()
        if isinstance(each, RawJson):
            yield each.text
        elif isinstance(each, dict):
            waiting.append(RawJson("}"))
            for at, (key, item) in reversed(list(enumerate(each.items()))):
                waiting += [item, RawJson(f"{',' if at else ''}{_string(str(key))}:")]
            yield "{"
        elif isinstance(each, list | tuple):
            waiting.append(RawJson("]"))
            for at, item in reversed(list(enumerate(each))):
                waiting += [item, RawJson("," if at else "")]
            yield "["
        elif isinstance(each, str):
            yield _string(each)
        elif each is None or isinstance(each, int | float):
            yield compact_json(each)
        else:
            raise TypeError(f"JSON cannot hold a value of type {type(each).__name__}")


_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
        (?P<mark>[{}\[\],:])
      | (?P<text>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")
      | (?P<other>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)
    )[ \t\n\r]*+""",
    re.VERBOSE,
)


def _is_json(text: str) -> bool:
    """Return whether a text is valid JSON, of any depth. A state machine over tokens, without recursion."""
    closing: list[str] = []  # the closing brackets of the open lists and objects, the innermost last
    expected = "value"  # a key of _NEXT_STATE, or "end"
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return False
        at = found.end()
        symbol = found["mark"] or ("key" if found["text"] and expected.startswith("key") else "value")
        state = _NEXT_STATE.get((expected, symbol))
        if state is None:
            return False
        if symbol in "{[":
            closing.append("}" if symbol == "{" else "]")
        elif symbol in "}]":
            closing.pop()  # the matching bracket: the table allows no other here
        expected = ("more " + closing[-1] if closing else "end") if state == "closed" else state
    return expected == "end"


# (expected, symbol found) → what is expected next. "closed": a value has ended; "more }" expects a comma or "}".
_NEXT_STATE = {
    ("value", "value"): "closed",
    ("value", "{"): "key or }",
    ("value", "["): "value or ]",
    ("value or ]", "value"): "closed",
    ("value or ]", "{"): "key or }",
    ("value or ]", "["): "value or ]",
    ("value or ]", "]"): "closed",
    ("key or }", "key"): "colon",
    ("key or }", "}"): "closed",
    ("key", "key"): "colon",
    ("colon", ":"): "value",
    ("more }", ","): "key",
    ("more }", "}"): "closed",
    ("more ]", ","): "value",
    ("more ]", "]"): "closed",
}

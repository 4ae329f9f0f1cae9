"""JSON as JavaScript's JSON.stringify prints it, so that lengths agree with pi's."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_NESTING = 100  # levels of what is printed into requests and summaries
_MARK = "\0number:"
_MARKED = re.compile(r'"\\u0000number:([^"]*)"')


def compact(value: Any) -> str:
    """Compact JSON text: no spaces, non-ASCII as is, whole floats without a point, lone surrogates escaped.

    A value may be nested to any depth, and parts of it may be `Verbatim`.
    """
    try:
        text = json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (RecursionError, TypeError):
        return "".join(_pieces(value))
    if "\\u0000number:" in text:
        text = _MARKED.sub(r"\1", text)
    if _SURROGATE.search(text):
        text = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text


_SURROGATE = re.compile("[\ud800-\udfff]")


def number(value: float) -> str:
    """JavaScript's Number.prototype.toString for a finite float."""
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
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        text = number(value)
        return int(text) if text.lstrip("-").isdigit() else _MARK + text if "e" in text + repr(value) else value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def laid_out(value: Any) -> str:
    """With a line for each part, for people; on one line where it nests too deep for that."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        return compact(value)


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and mappings nest deeper than so many levels: to know before printing them."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [outer for outer in layer if isinstance(outer, dict | list)]
        if not layer:
            return False
        layer = [item for outer in layer for item in (outer.values() if isinstance(outer, dict) else outer)]
    return True


@dataclass(frozen=True, slots=True)
class Verbatim:
    """JSON text that nests too deep to be held as a value. `compact` prints it as it is."""

    text: str


def value_of(text: str) -> Any:
    """The value of a JSON text, Verbatim where it nests too deep. Raises ValueError for a text that is no JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        if not _is_json(text):
            raise ValueError("no JSON") from None
        return Verbatim(text)


def _pieces(value: Any) -> Iterator[str]:
    """As `compact` prints it, piece by piece, without recursion."""
    waiting: list[Any] = [value]  # what is still to be printed, the next last
    while waiting:
        each = waiting.pop()
        if isinstance(each, Verbatim):
            yield each.text
        elif isinstance(each, dict):
            waiting.append(Verbatim("}"))
            for at, (key, item) in reversed(list(enumerate(each.items()))):
                waiting += [item, Verbatim(f"{',' if at else ''}{compact(str(key))}:")]
            yield "{"
        elif isinstance(each, list | tuple):
            waiting.append(Verbatim("]"))
            for at, item in reversed(list(enumerate(each))):
                waiting += [item, Verbatim("," if at else "")]
            yield "["
        elif each is None or isinstance(each, str | int | float):
            yield compact(each)
        else:
            raise TypeError(f"{type(each).__name__} is no part of JSON")


_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
        (?P<mark>[{}\[\],:])
      | (?P<text>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")
      | (?P<other>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)
    )[ \t\n\r]*+""",
    re.VERBOSE,
)


def _is_json(text: str) -> bool:
    """Whether a text is JSON, of any depth."""
    closing: list[str] = []
    wanted = "value"  # value, key, colon, more (a comma or the end), end
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return False
        at = found.end()
        there = found["mark"] or ("key" if found["text"] and wanted.startswith("key") else "value")
        after = _AFTER.get((wanted, there))
        if after is None:
            return False
        if there in "{[":
            closing.append("}" if there == "{" else "]")
        elif there in "}]":
            closing.pop()  # the right one: no other is wanted here
        wanted = ("more " + closing[-1] if closing else "end") if after == "closed" else after
    return wanted == "end"


# What comes next: (what is wanted, what there is) → what is wanted then. "closed": a value has ended.
_AFTER = {
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

"""JSON as JavaScript's JSON.stringify prints it, so that lengths agree with pi's."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MAX_NESTING = 100  # levels of what is printed into requests and summaries
_MARK = "\0number:"
_MARKED = re.compile(r'"\\u0000number:([^"]*)"')


def compact(value: Any) -> str:
    """Compact JSON text: no spaces, non-ASCII as is, whole floats without a point, lone surrogates escaped.

    Raises RecursionError for a value nested deeper than the interpreter's limit: readers cap nesting first.
    """
    text = json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
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


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and mappings nest deeper than so many levels: to know before printing them."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [outer for outer in layer if isinstance(outer, dict | list)]
        if not layer:
            return False
        layer = [item for outer in layer for item in (outer.values() if isinstance(outer, dict) else outer)]
    return True

"""JSON as people write it: comments, trailing commas, bare keys, single quotes."""

from __future__ import annotations

import json
import re
from typing import Any

from stemmata.formats.shared.json_lines import BadLineError, parse

# What is not closed runs to the end, and no part is tried twice: the time stays linear on any text.
_TOKEN = re.compile(
    r"""
    (?P<string> "(?:[^"\\]|\\.)*+(?:"|\Z) )
  | (?P<single> '(?:[^'\\]|\\.)*+(?:'|\Z) )
  | (?P<comment> //[^\n]*+ | /\*.*?(?:\*/|\Z) )
  | (?P<comma> ,(?=(?>\s++|//[^\n]*+|/\*.*?\*/)*+[}\]]) )
  | (?P<key> (?<![\w$])[A-Za-z_$][\w$]*+(?=\s*+:) )
    """,
    re.VERBOSE | re.DOTALL,
)


def parse_tolerantly(data: bytes) -> Any:
    """The value of a JSON or JSON5 text. Raises BadLineError."""
    try:
        return parse(data)
    except BadLineError:
        plain = _TOKEN.sub(_as_json, data.decode("utf-8-sig", "replace"))
        return parse(plain.encode("utf-8", "replace"))


def _as_json(match: re.Match[str]) -> str:
    kind, token = match.lastgroup, match[0]
    if kind == "string":
        return token
    if kind == "single":
        return '"' + token[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    return json.dumps(token) if kind == "key" else " "

"""Read single values from untrusted JSON: every function returns a value of the expected type for any input."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any, NoReturn

import orjson

from stemmata.domain.entries.blocks import Image, UnknownBlock
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.untrusted import non_negative_int

MAX_DEPTH = 200  # levels of nesting; later walks of the value stay far below the interpreter's recursion limit
BOM = b"\xef\xbb\xbf"  # byte order mark, which some editors write before every text
_SURROGATE = re.compile("[\ud800-\udfff]")


class BadLineError(ValueError):
    """The line is not usable JSON; the message is the reason shown in the import report."""


def parse(data: bytes) -> Any:
    """Return the JSON value of a line. Invalid UTF-8 and lone surrogates become U+FFFD. Raises BadLineError."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = _parse_tolerantly(data)
    if _opens_many(data) and _is_deep(value):
        raise BadLineError(f"nested more than {MAX_DEPTH} levels deep")
    return value


def _opens_many(data: bytes) -> bool:
    """Return whether a JSON text has so many opening brackets that it may be nested too deep.

    `bytes.count` looks at each byte by itself, which takes half as long as parsing; `find` does not.
    """
    left = MAX_DEPTH
    for mark in (b"{", b"["):
        at = data.find(mark)
        while at >= 0:
            if not left:
                return True
            left -= 1
            at = data.find(mark, at + 1)
    return False


def parse_object(data: bytes | None) -> dict[str, Any]:
    """Return the JSON object of a line. Raises BadLineError for any other value.

    `data` is None for a line that exceeds the line limit.
    """
    if data is None:
        raise BadLineError("exceeds the line length limit")
    value = parse(data)
    if not isinstance(value, dict):
        raise BadLineError("not a JSON object")
    return value


def _parse_tolerantly(data: bytes) -> Any:
    """Parse with the standard library, which accepts lone surrogates and large integers; skip a byte order mark."""
    try:
        value = json.loads(data.removeprefix(BOM).decode("utf-8", "replace"), parse_constant=_refuse)
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
    """Return whether the value is nested more than MAX_DEPTH levels deep."""
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


_UNFINISHED = 1 << 20  # bytes
# begins with a fixed byte, which is found much faster than the start of a line
_BETWEEN_BRACKETS = re.compile(rb"\n[^\S\n]*([\[{].*[\]}])[^\S\n]*$", re.MULTILINE)


def first_records(head: bytes, limit: int = 20) -> list[Any]:
    """Return the first `limit` JSON objects and lists in the beginning of a file, which stand on a line each.

    Only a line between brackets is parsed. Most lines of an indented document are no JSON value, and trying to parse
    each of them takes twenty times as long. A long last line without an end is skipped, too: it is cut, or the whole
    file is one document.
    """
    records = []
    head = b"\n" + head.removeprefix(BOM)
    last = head.rfind(b"\n") + 1
    for found in _BETWEEN_BRACKETS.finditer(head, 0, last if len(head) - last > _UNFINISHED else len(head)):
        try:
            records.append(parse(found[1]))
        except BadLineError:
            continue
        if len(records) == limit:
            break
    return records


_MOST_DOLLARS = 1_000_000  # per message; sums over millions of messages stay within 64 bits
_NS_LIMIT = (1 << 63) - 1
_MS_LIMIT = _NS_LIMIT // 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text(value: Any) -> str:
    """Return a string unchanged, "" for null, and the JSON text of any other value."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact_json(value)


def mapping(value: Any) -> dict[str, Any]:
    """Return an object unchanged, and {} for any other value."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """Return a list unchanged, nothing for an empty value, and any other one as the only item: no content is lost."""
    return value if isinstance(value, list) else [value] if value else []


def untaken(value: Any, *keys: str) -> tuple[UnknownBlock, ...]:
    """Return a value as a block if a reader that expects an object with one of the keys takes nothing from it.

    So a value of another type, or an object with other keys only, is shown as it is, and no text is lost. An empty
    value has no block.
    """
    if not value or (isinstance(value, dict) and any(key in value for key in keys)):
        return ()
    return (UnknownBlock("", compact_json(value)),)


def dump(value: Any) -> str:
    """Return compact JSON text, and "" for None."""
    if value is None:
        return ""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer of more than 64 bits
        return compact_json(value)


def exact_json(value: Any) -> str:
    """Return what `compact_json` prints, ten times faster where the value has no floats, which it prints differently.

    Lone surrogates and integers of more than 64 bits are left to `compact_json`, too.
    """
    return exact_bytes(value).decode("utf-8", "surrogatepass")


def exact_bytes(value: Any) -> bytes:
    """Return what `exact_json` returns as UTF-8, with lone surrogates as they are."""
    if _is_plain(value):
        try:
            return orjson.dumps(value)
        except TypeError:
            pass
    return compact_json(value).encode("utf-8", "surrogatepass")


_PLAIN = frozenset((str, int, bool, type(None)))


def _is_plain(value: Any) -> bool:
    """Return whether the value consists of dicts, lists, strings, integers, booleans and null."""
    found = [value]
    for each in found:  # the loop appends to this list
        if type(each) is dict:
            found += each.values()
        elif type(each) is list:
            found += each
        elif type(each) not in _PLAIN:
            return False
    return True


def count(value: Any) -> int:
    """Return a token count from 0 to MOST_TOKENS; 0 for a value that is not a number."""
    return non_negative_int(value)


def millionths(dollars: Any) -> int | None:
    """Convert dollars to whole millionths of a dollar; None for a value that is not a plausible cost."""
    if isinstance(dollars, bool) or not isinstance(dollars, int | float) or not 0 <= dollars <= _MOST_DOLLARS:
        return None
    return round(dollars * 1_000_000)


def instant(value: Any) -> int:
    """Return nanoseconds since the epoch for an ISO 8601 string or a number of milliseconds; 0 for any other value.

    A string without a time zone is taken as UTC.
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            since = moment - _EPOCH
        except (ValueError, OverflowError):
            return 0
        nanoseconds = (since.days * 86400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MS_LIMIT:
        nanoseconds = int(value * 1_000_000)
    else:
        return 0
    return nanoseconds if abs(nanoseconds) <= _NS_LIMIT else 0


_LONG_AGO = 100_000_000_000  # as seconds it is the year 5138, as milliseconds 1973


def seconds(value: Any) -> int:
    """Return nanoseconds since the epoch for a number of seconds, or of milliseconds; 0 for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return instant(value if abs(value) > _LONG_AGO else value * 1000)


def image(data: Any, media_type: Any, blobs: list[Blob]) -> Image | None:
    """Decode a base64 image and append its bytes to `blobs`; None when the text is not base64."""
    if not isinstance(data, str) or not data:
        return None
    try:
        content = base64.b64decode(data, validate=True)
    except ValueError:
        return None
    digest = hashlib.sha256(content).hexdigest()
    blobs.append(Blob(digest, content))
    return Image(text(media_type) or "application/octet-stream", digest, len(content))

"""Single values out of untrusted JSON: whatever stands there, a value of the wanted kind comes out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any, NoReturn

import orjson

from stemmata.domain.entries.blocks import Image
from stemmata.domain.entries.session_facts import Blob
from stemmata.domain.text.json_text import compact
from stemmata.domain.text.untrusted import whole

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


_MOST_DOLLARS = 1_000_000  # of one message; sums over millions of them stay within 64 bits
_NS_LIMIT = (1 << 63) - 1
_MS_LIMIT = _NS_LIMIT // 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text(value: Any) -> str:
    """A string as it is, nothing for null, JSON for anything else."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact(value)


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def dump(value: Any) -> str:
    """Compact JSON text for our own `details`; "" for None."""
    if value is None:
        return ""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer of more than 64 bits
        return compact(value)


def count(value: Any) -> int:
    """A number of tokens, 0 when it is none, at most MOST_TOKENS."""
    return whole(value)


def millionths(dollars: Any) -> int | None:
    """Dollars as whole millionths, None when it is no number, or none that a message can cost."""
    if isinstance(dollars, bool) or not isinstance(dollars, int | float) or not 0 <= dollars <= _MOST_DOLLARS:
        return None
    return round(dollars * 1_000_000)


def instant(value: Any) -> int:
    """Nanoseconds since the epoch from an ISO 8601 string (UTC where no zone is given) or milliseconds; 0 if odd."""
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


def image(data: Any, media_type: Any, blobs: list[Blob]) -> Image | None:
    """An image from its base64 text; its bytes are added to `blobs`. None when the text is no base64."""
    if not isinstance(data, str) or not data:
        return None
    try:
        content = base64.b64decode(data, validate=True)
    except ValueError:
        return None
    digest = hashlib.sha256(content).hexdigest()
    blobs.append(Blob(digest, content))
    return Image(text(media_type) or "application/octet-stream", digest, len(content))

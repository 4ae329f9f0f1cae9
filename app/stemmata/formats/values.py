"""Single values out of untrusted JSON: whatever stands there, a value of the wanted kind comes out."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from typing import Any

import orjson

from stemmata.domain.blocks import Image
from stemmata.domain.json_text import compact
from stemmata.domain.sessions import Blob

COUNT_LIMIT = 1 << 28  # tokens; the tree keeps sums of four of these in 32 bits
_MICRO_LIMIT = 1 << 53
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
    """A number of tokens, 0 when it is none, at most COUNT_LIMIT."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return 0
    return COUNT_LIMIT if value >= COUNT_LIMIT else int(value)


def millionths(dollars: Any) -> int | None:
    """Dollars as whole millionths, None when it is no number."""
    if isinstance(dollars, bool) or not isinstance(dollars, int | float) or abs(dollars) > _MICRO_LIMIT / 1e6:
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

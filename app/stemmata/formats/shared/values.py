"""Single values out of untrusted JSON: whatever stands there, a value of the wanted kind comes out."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from typing import Any

import orjson

from stemmata.domain.entries.blocks import Image
from stemmata.domain.entries.session_facts import Blob
from stemmata.domain.text.json_text import compact
from stemmata.domain.text.untrusted import whole

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

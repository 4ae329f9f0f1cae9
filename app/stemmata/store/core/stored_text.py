"""Strings as SQLite can hold them: no NUL (its functions stop there), no lone surrogates (UTF-8 has none).

A string with either is stored as MARK + its JSON text, so that nothing is lost and the column stays valid UTF-8.
"""

from __future__ import annotations

import json

MARK = "\ue002"


def stored(text: str) -> str:
    """Return the form of a string that a column can hold."""
    if "\0" not in text and (text.isascii() or (is_utf8(text) and not text.startswith(MARK))):
        return text
    return MARK + json.dumps(text)


def restored(text: str) -> str:
    """Return the string that `stored` was given."""
    return str(json.loads(text[1:])) if text[:1] == MARK else text


def shown(text: str) -> str:
    """Return a string for display only: NUL and lone surrogates become U+FFFD."""
    if text.isascii() or is_utf8(text):
        return text.replace("\0", "\ufffd")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")


def is_utf8(text: str) -> bool:
    """Return whether the text has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""Replies that are not for the reader: a model that has nothing to say begins its reply with a token.

Only a reply that *begins* with the token is silent. OpenClaw also silences a reply that ends with it, and so hides
real text.
"""

from __future__ import annotations

import re

MARK = "NO_REPLY"
_LEAD = "[\\s\ufeff\"'`*“‘]*"  # white space, byte order mark, quotes and emphasis around the token
_SILENT = re.compile(rf"{_LEAD}{MARK}(?![A-Za-z0-9_])")
_MAY_BECOME = re.compile(_LEAD + "(?:" + "|".join(re.escape(MARK[:size]) for size in range(len(MARK), -1, -1)) + ")")


def is_silent(text: str) -> bool:
    """Whether a whole reply is silent. Case counts."""
    return _SILENT.match(text) is not None


def may_become_silent(text: str) -> bool:
    """Whether the beginning of a reply leaves open if it will be silent: it is not to be shown yet."""
    return _MAY_BECOME.fullmatch(text) is not None


class SilentStream:
    """A reply as it streams: holds its beginning back until it is clear that it is to be shown."""

    def __init__(self) -> None:
        self._held = ""
        self._open = True
        self.silent = False

    def feed(self, text: str) -> str:
        """What is to be shown now; "" while it is not clear, and always once the reply is silent."""
        if self.silent:
            return ""
        if not self._open:
            return text
        self._held += text
        if may_become_silent(self._held):
            return ""
        return self._settled()

    def finish(self) -> str:
        """What is left to be shown when the reply has ended."""
        return self._settled() if self._open and not self.silent else ""

    def _settled(self) -> str:
        self.silent = is_silent(self._held)
        self._open = False
        shown, self._held = "" if self.silent else self._held, ""
        return shown

"""Silent replies: a model that has nothing to say begins its reply with a token, and the reply is not shown.

Only a reply that *begins* with the token is silent. OpenClaw also hides a reply that ends with it, and so hides
real text.
"""

from __future__ import annotations

import re

MARK = "NO_REPLY"
MEMORY_FLUSH = "memory_flush"  # name of the entry that begins a silent turn, in which the model stores notes
_LEAD = "[\\s\ufeff\"'`*“‘]*"  # white space, byte order mark, quotes and emphasis around the token
_SILENT = re.compile(rf"{_LEAD}{MARK}(?![A-Za-z0-9_])")
_MAY_BECOME = re.compile(_LEAD + "(?:" + "|".join(re.escape(MARK[:size]) for size in range(len(MARK), -1, -1)) + ")")


def is_silent(text: str) -> bool:
    """Return whether a complete reply is silent. The token is case-sensitive."""
    return _SILENT.match(text) is not None


def may_become_silent(text: str) -> bool:
    """Return whether a reply that begins with this text may still turn out silent, so that it is not shown yet."""
    return _MAY_BECOME.fullmatch(text) is not None


class SilenceFilter:
    """Filters a reply while it streams: its beginning is held back until it is clear whether the reply is silent."""

    def __init__(self) -> None:
        self._held = ""
        self._open = True
        self.silent = False

    def feed(self, text: str) -> str:
        """Add text of the reply and return the text to show now; "" while it is held back and for a silent reply."""
        if self.silent:
            return ""
        if not self._open:
            return text
        self._held += text
        if may_become_silent(self._held):
            return ""
        return self._settled()

    def finish(self) -> str:
        """Return the remaining text to show when the reply has ended."""
        return self._settled() if self._open and not self.silent else ""

    def _settled(self) -> str:
        self.silent = is_silent(self._held)
        self._open = False
        shown, self._held = "" if self.silent else self._held, ""
        return shown

"""The log file: rotated, readable by its owner alone, with keys made unreadable. Nothing else configures logging."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from stemmata.domain.text.untrusted import spelled

MAX_BYTES = 1_000_000
OLD_FILES = 3
REMOVED = "[removed]"

_SECRETS = (
    # name and value: "x-api-key: …", 'password="…"', "Authorization: Bearer …", JSON and Python alike
    re.compile(
        r"(?P<keep>(?:api[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|secret|password|authorization)"
        r"[\w-]{0,40}[\"']?\s*[:=]\s*(?:[bu]?[\"'])?(?:(?:bearer|basic|token)\s+)?)(?P<secret>[^\s\"',;&})\]]{4,})",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<keep>\b(?:bearer|basic)\s+)(?P<secret>[\w.~+/=-]{8,})", re.IGNORECASE),
    # values that show what they are
    re.compile(r"(?P<keep>)(?P<secret>\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|ghs|ghu|glpat|github_pat)[-_][\w-]{10,})"),
    re.compile(
        r"(?P<keep>)(?P<secret>\b(?:AIza[\w-]{20,}|AKIA[A-Z0-9]{12,}|eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]+))"
    ),
    re.compile(r"(?P<keep>://[^/\s:@]*:)(?P<secret>[^/\s@]+)(?=@)"),
)


def redact(text: str) -> str:
    """The text with everything that looks like a key, token or password taken out."""
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<keep>{REMOVED}", text)
    return text


class RedactingFormatter(logging.Formatter):
    """Redacts the whole line: message, arguments and traceback. What others wrote in it steers no terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return spelled(redact(super().format(record)))


class PrivateFileHandler(RotatingFileHandler):
    """A rotating file of mode 0600 from its first byte on."""

    def _open(self) -> io.TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")


class Logs:
    """The handlers of one run, until `close`."""

    def __init__(self, path: Path | None = None, *, verbose: int = 0) -> None:
        """Log to the file (INFO and above) and to stderr: warnings; `verbose` 1 adds INFO, 2 DEBUG.

        A file that cannot be opened costs the file, not the run: stderr says so.
        """
        self._root = logging.getLogger()
        self._before = self._root.level
        self._handlers: list[logging.Handler] = []
        self._add(logging.StreamHandler(sys.stderr), (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbose, 2)])
        if path is not None:
            self._open(path)
        self._root.setLevel(min(handler.level for handler in self._handlers))

    def close(self) -> None:
        for handler in self._handlers:
            self._root.removeHandler(handler)
            handler.close()
        self._handlers.clear()
        self._root.setLevel(self._before)

    def _open(self, path: Path) -> None:
        try:
            handler = PrivateFileHandler(path, maxBytes=MAX_BYTES, backupCount=OLD_FILES)
        except OSError as error:
            logging.getLogger(__name__).warning("No log file, %s: %s", path, error.strerror)
            return
        self._add(handler, logging.INFO)

    def _add(self, handler: logging.Handler, level: int) -> None:
        handler.setLevel(level)
        handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._root.addHandler(handler)
        self._handlers.append(handler)

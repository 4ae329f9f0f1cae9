"""The log file: rotated, readable by its owner alone, with keys made unreadable. Nothing else configures logging."""

from __future__ import annotations

import faulthandler
import io
import logging
import os
import re
import sys
import threading
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TextIO

from stemmata.domain.text.untrusted import with_visible_controls

log = logging.getLogger(__name__)

Report = Callable[[BaseException], None]


class CrashGuard:
    """Catches what is left over, in every thread, until `close`.

    `previous` is what a crash of the last run left behind, "" when it ended well. `report` is called for each
    uncaught error, in the thread that raised it.
    """

    def __init__(self, path: Path, report: Report | None = None) -> None:
        self.report = report
        self.previous = ""
        self._path = path
        self._file: TextIO | None = None
        self._hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._open()
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error
        sys.unraisablehook = self._on_unraisable

    def close(self) -> None:
        """Put everything back. The file goes too: this run ended well."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._hooks
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            self._path.unlink(missing_ok=True)

    def _open(self) -> None:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            log.warning("No crash file, %s: %s", self._path, error.strerror)
            return
        self._file = os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace")
        self.previous = self._file.read()
        self._file.truncate(0)
        self._file.seek(0)
        faulthandler.enable(self._file)

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._hooks[0](kind, error, trace)
            return
        self._tell("Uncaught error", error)

    def _on_thread_error(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            name = arguments.thread.name if arguments.thread else "a thread"
            self._tell(f"Uncaught error in {name}", arguments.exc_value)

    def _on_unraisable(self, arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:
            self._tell(arguments.err_msg or f"Error in {arguments.object!r}", arguments.exc_value)

    def _tell(self, what: str, error: BaseException) -> None:
        log.critical(what, exc_info=error)
        if self.report is not None:
            self.report(error)


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
        return with_visible_controls(redact(super().format(record)))


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

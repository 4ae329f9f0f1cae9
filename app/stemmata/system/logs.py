"""The log file and the crash file; keys are removed from every line. No other module configures logging.

The log file is rotated and readable by its owner only.
"""

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
    """Report uncaught errors of every thread until `close`.

    `previous` is the crash report of the previous run, or "" if it ended normally. `report` is called with each
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
        """Restore the previous hooks and delete the crash file, because this run ended normally."""
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
            log.warning("Could not open the crash file %s: %s", self._path, error.strerror)
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
        self._report_error("Uncaught error", error)

    def _on_thread_error(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            name = arguments.thread.name if arguments.thread else "a thread"
            self._report_error(f"Uncaught error in {name}", arguments.exc_value)

    def _on_unraisable(self, arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:
            self._report_error(arguments.err_msg or f"Error in {arguments.object!r}", arguments.exc_value)

    def _report_error(self, what: str, error: BaseException) -> None:
        log.critical(what, exc_info=error)
        if self.report is not None:
            self.report(error)


MAX_BYTES = 1_000_000
OLD_FILES = 3
REMOVED = "[removed]"

_SECRETS = (
    # name and value, in JSON or Python syntax: "x-api-key: …", 'password="…"', "Authorization: Bearer …"
    re.compile(
        r"(?P<keep>(?:api[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|secret|password|authorization)"
        r"[\w-]{0,40}[\"']?\s*[:=]\s*(?:[bu]?[\"'])?(?:(?:bearer|basic|token)\s+)?)(?P<secret>[^\s\"',;&})\]]{4,})",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<keep>\b(?:bearer|basic)\s+)(?P<secret>[\w.~+/=-]{8,})", re.IGNORECASE),
    # values with a recognisable prefix or structure
    re.compile(r"(?P<keep>)(?P<secret>\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|ghs|ghu|glpat|github_pat)[-_][\w-]{10,})"),
    re.compile(
        r"(?P<keep>)(?P<secret>\b(?:AIza[\w-]{20,}|AKIA[A-Z0-9]{12,}|eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]+))"
    ),
    re.compile(r"(?P<keep>://[^/\s:@]*:)(?P<secret>[^/\s@]+)(?=@)"),
)


def redact(text: str) -> str:
    """Return the text with everything that looks like a key, token or password replaced by REMOVED."""
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<keep>{REMOVED}", text)
    return text


class RedactingFormatter(logging.Formatter):
    """Redact the whole log line: message, arguments and traceback.

    Control characters are escaped, so that text from outside cannot control a terminal.
    """

    def format(self, record: logging.LogRecord) -> str:
        return with_visible_controls(redact(super().format(record)))


class PrivateFileHandler(RotatingFileHandler):
    """A rotating log file that is created with mode 0600."""

    def _open(self) -> io.TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")


class Logs:
    """The logging handlers of one run, active until `close`."""

    def __init__(self, path: Path | None = None, *, verbose: int = 0) -> None:
        """Log to the file (INFO and above) and to stderr (warnings; `verbose` 1 adds INFO, 2 DEBUG).

        If the file cannot be opened, a warning goes to stderr and the run continues without it.
        """
        self._root = logging.getLogger()
        self._before = self._root.level
        self._handlers: list[logging.Handler] = []
        self._add(logging.StreamHandler(sys.stderr), (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbose, 2)])
        if path is not None:
            self._open(path)
        self._root.setLevel(min(handler.level for handler in self._handlers))

    def close(self) -> None:
        """Remove the handlers and restore the previous log level."""
        for handler in self._handlers:
            self._root.removeHandler(handler)
            handler.close()
        self._handlers.clear()
        self._root.setLevel(self._before)

    def _open(self, path: Path) -> None:
        try:
            handler = PrivateFileHandler(path, maxBytes=MAX_BYTES, backupCount=OLD_FILES)
        except OSError as error:
            logging.getLogger(__name__).warning("Could not open the log file %s: %s", path, error.strerror)
            return
        self._add(handler, logging.INFO)

    def _add(self, handler: logging.Handler, level: int) -> None:
        handler.setLevel(level)
        handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._root.addHandler(handler)
        self._handlers.append(handler)

"""What happens to an error nobody caught: it goes to the log, and a hard crash leaves a file for the next start."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TextIO

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

"""Shows a file in the file manager of the desktop: selected where the file manager can do that, else its folder."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, QUrl
from PySide6.QtGui import QDesktopServices

WAIT_MS = 3000  # time in which the file manager must answer
_NAME = "org.freedesktop.FileManager1"


def selecting(path: Path, platform: str = sys.platform) -> tuple[str, list[str]] | None:
    """Return program and arguments that select a file in the file manager; None when there is no such program."""
    if platform == "win32":
        return "explorer.exe", ["/select,", str(path)]
    if platform == "darwin":
        return "open", ["-R", str(path)]
    program = shutil.which("dbus-send")
    if program is None:
        return None
    address = QUrl.fromLocalFile(str(path)).toString(QUrl.ComponentFormattingOption.FullyEncoded)
    items = f"array:string:{address.replace(',', '%2C')}"  # a comma would begin another item
    call = ["--session", "--type=method_call", "--print-reply", f"--reply-timeout={WAIT_MS}", f"--dest={_NAME}"]
    return program, [*call, "/org/freedesktop/FileManager1", f"{_NAME}.ShowItems", items, "string:"]


def show_file(path: Path, parent: QObject, on_failed: Callable[[], object]) -> None:
    """Select a file in the file manager, or else open its folder; call `on_failed` when neither works.

    The call does not wait. The program that asks the file manager is a child of `parent`, and is ended when no answer
    comes in time.
    """

    def open_folder() -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))):
            on_failed()

    command = selecting(path)
    if command is None:
        open_folder()
        return
    program, arguments = command
    if sys.platform in ("win32", "darwin"):
        started, _pid = QProcess.startDetached(program, arguments)
        if not started:
            open_folder()
        return
    process = QProcess(parent)
    QTimer.singleShot(WAIT_MS, process, process.kill)

    def on_state(state: QProcess.ProcessState) -> None:
        if state is QProcess.ProcessState.NotRunning:
            is_shown = process.exitStatus() is QProcess.ExitStatus.NormalExit and process.exitCode() == 0
            is_shown = is_shown and process.error() is QProcess.ProcessError.UnknownError
            process.deleteLater()
            if not is_shown:
                open_folder()

    process.stateChanged.connect(on_state)
    process.start(program, arguments)

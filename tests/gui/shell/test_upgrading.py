"""While an archive of an earlier version is brought up to date, a window says so and goes by itself."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar

from stemmata.gui.upgrading import UpgradeWindow, wait_for
from stemmata.store.archive import SqliteArchive
from stemmata.store.migrations import migrate
from stemmata.system.settings_values import Settings


def shown() -> list[UpgradeWindow]:
    return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, UpgradeWindow)]


@pytest.mark.usefixtures("qtbot")
def test_it_stays_until_the_archive_is_open() -> None:
    opened: Future[None] = Future()
    seen: list[str] = []

    def look() -> None:
        [window] = shown()
        window.close()
        seen.extend(part.text() for part in window.findChildren(QLabel) if part.isVisible())
        assert [bar.accessibleName() for bar in window.findChildren(QProgressBar)] != [""]
        Thread(target=opened.set_result, args=(None,)).start()

    QTimer.singleShot(0, look)
    wait_for(opened, Settings().window)
    assert seen[0] == "The archive is brought up to date"
    assert not any(window.isVisible() for window in shown())


@pytest.mark.usefixtures("qtbot")
def test_it_ends_too_where_the_archive_cannot_be_opened() -> None:
    opened: Future[None] = Future()
    opened.set_exception(OSError())
    wait_for(opened, Settings().window)
    assert not any(window.isVisible() for window in shown())


def test_only_an_archive_that_takes_long_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()

    def slow(*args: Any) -> None:
        go_on.wait(20)
        migrate(*args)

    monkeypatch.setattr("stemmata.store.archive.migrate", slow)
    archive = SqliteArchive(tmp_path / "archive.db", wait=False)
    try:
        assert archive.is_upgrading(0.1)
        go_on.set()
        archive.wait()
        assert not archive.is_upgrading(0.1)
    finally:
        go_on.set()
        archive.close()
    again = SqliteArchive(tmp_path / "archive.db", wait=False)
    assert not again.is_upgrading(20)
    again.close()

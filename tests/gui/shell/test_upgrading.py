"""While an archive of an earlier version is brought up to date, a window says so and goes by itself."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Thread

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar

from stemmata.gui.window.startup_dialogs import UpgradeWindow, wait_for
from stemmata.system.settings.schema import Settings


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
    assert seen[0] == "Upgrading the archive"
    assert not any(window.isVisible() for window in shown())


@pytest.mark.usefixtures("qtbot")
def test_it_ends_too_where_the_archive_cannot_be_opened() -> None:
    opened: Future[None] = Future()
    opened.set_exception(OSError())
    wait_for(opened, Settings().window)
    assert not any(window.isVisible() for window in shown())


@pytest.mark.usefixtures("qtbot")
def test_the_progress_of_a_long_step_is_shown() -> None:
    opened: Future[None] = Future()
    shares, seen = [None, 0.25, 0.5, None], list[tuple[int, int]]()

    def share() -> float | None:
        [window] = shown()
        [bar] = window.findChildren(QProgressBar)
        seen.append((bar.maximum(), bar.value()))
        if not shares:
            opened.set_result(None)
            return None
        return shares.pop(0)

    wait_for(opened, Settings().window, share)
    assert seen[0][0] == 0
    assert seen[1:4] == [(0, -1), (100, 25), (100, 50)]
    assert seen[4][0] == 0  # the next step tells nothing

"""An archive that cannot be opened is told in a window, with ways out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from stemmata.bootstrap import window as entrance
from stemmata.bootstrap.window import Application
from stemmata.domain.sessions.session import SessionInfo
from stemmata.gui.window.startup_dialogs import ArchiveErrorDialog
from stemmata.store.archive import SqliteArchive

Act = Callable[[ArchiveErrorDialog], object]


@pytest.fixture
def profile_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "profile"
    (folder / "data").mkdir(parents=True)
    return folder


@pytest.fixture
def archive(profile_folder: Path) -> Path:
    return profile_folder / "data" / "archive.db"


def fill(path: Path, name: str) -> None:
    archive = SqliteArchive(path)
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id=name))).result()
    archive.close()


def names(application: Application) -> list[str]:
    listed = application.store.read(lambda reader: reader.sessions()).result()
    application.close()
    return [session.source_id for session in listed]


def opened(folder: Path, *acts: Act) -> tuple[Application | None, list[str]]:
    """Answer the start-up dialogs one after the other; return the result and their texts."""
    told: list[str] = []
    waiting = list(acts)

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, ArchiveErrorDialog):
            told.append(dialog.accessibleDescription())
            waiting.pop(0)(dialog)

    timer = QTimer(interval=5)
    timer.timeout.connect(act)
    timer.start()
    application = entrance._opened(["--profile", str(folder)])
    timer.stop()
    assert not waiting
    return application, told


def click(name: str) -> Act:
    return lambda dialog: getattr(dialog, name).click()


def test_a_damaged_archive_is_told_and_its_backup_restored(qtbot: QtBot, profile_folder: Path, archive: Path) -> None:
    fill(archive, "kept")
    archive.with_name("archive.db.format-1.bak").write_bytes(archive.read_bytes())
    archive.write_bytes(b"damaged " * 4096)
    application, told = opened(profile_folder, click("restore"))
    assert "not an archive of Stemmata" in told[0]
    assert application is not None
    assert names(application) == ["kept"]
    assert archive.with_name("archive.db.damaged-1").exists()
    qtbot.wait(1)


def test_a_bad_backup_is_told_in_turn(qtbot: QtBot, profile_folder: Path, archive: Path) -> None:
    archive.write_bytes(b"damaged " * 4096)
    archive.with_name("archive.db.format-1.bak").write_bytes(b"damaged too")
    application, told = opened(profile_folder, click("restore"), click("quit"))
    assert application is None
    assert "backup cannot be read" in told[1]
    qtbot.wait(1)


def test_a_newer_archive_may_be_left_for_another(
    qtbot: QtBot, profile_folder: Path, archive: Path, tmp_path: Path
) -> None:
    fill(archive, "newer")
    fill(tmp_path / "other.db", "other")
    with closing(sqlite3.connect(archive)) as connection:
        connection.execute("PRAGMA user_version = 9999")

    def choose(dialog: ArchiveErrorDialog) -> None:
        assert not dialog.restore.isVisible()
        dialog.other.click()
        chooser = dialog.findChild(QFileDialog)
        assert chooser is not None
        chooser.fileSelected.emit(str(tmp_path / "other.db"))
        chooser.close()

    application, told = opened(profile_folder, choose)
    assert "newer" in told[0]
    assert application is not None
    assert names(application) == ["other"]
    qtbot.wait(1)


def test_what_was_mended_meanwhile_opens_again(qtbot: QtBot, profile_folder: Path, archive: Path) -> None:
    archive.mkdir()

    def mend(dialog: ArchiveErrorDialog) -> None:
        archive.rmdir()
        dialog.again.click()

    application, told = opened(profile_folder, mend)
    assert "its path names a folder" in told[0]
    assert application is not None
    assert names(application) == []
    qtbot.wait(1)

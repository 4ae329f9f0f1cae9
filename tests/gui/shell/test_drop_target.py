"""What is seen while files are dragged over the window or over the message."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.composer.view import Composer
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.drop_target import DropTarget

COPY, LEFT, NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_the_veil_covers_a_widget_and_lets_the_drag_through(theme: Theme, qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    inside = QWidget(host)
    inside.resize(100, 100)
    host.resize(300, 200)
    host.show()
    veil = DropTarget(theme, host, "Drop to import")
    bare = host.grab().toImage()
    veil.appear()
    assert veil.geometry() == host.rect()
    assert host.childAt(QPoint(10, 10)) is inside
    assert host.grab().toImage() != bare
    host.resize(400, 250)
    assert veil.geometry() == host.rect()


@pytest.mark.filterwarnings("ignore:Function. 'QDragEnterEvent:DeprecationWarning")  # PySide6 6.12
def test_the_message_shows_where_files_are_attached(theme: Theme, qtbot: QtBot, tmp_path: Path) -> None:
    composer = Composer(theme)
    qtbot.addWidget(composer)
    composer.open(1)
    composer.show()
    target, data = composer.editor.viewport(), files(tmp_path / "a.txt")

    def enter() -> None:
        QApplication.sendEvent(target, QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NONE))

    assert not composer.drop_target.isVisible()
    enter()
    assert composer.drop_target.isVisible()
    assert composer.drop_target.text == "Drop to attach"
    QApplication.sendEvent(target, QDragLeaveEvent())
    assert not composer.drop_target.isVisible()
    enter()
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), COPY, data, LEFT, NONE))
    assert not composer.drop_target.isVisible()

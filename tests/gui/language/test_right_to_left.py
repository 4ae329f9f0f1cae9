"""A window that is read from right to left, and messages that are, in one that is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QTextDocument
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import Application, build
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.widgets.labels import draw_words
from tests.accessible.scenes import SCENES, shown, until

HEBREW = "שלום, מה שלומך היום?"
LEFT, RIGHT = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft


@pytest.fixture
def mirrored(qapp: QApplication) -> Iterator[None]:
    qapp.setLayoutDirection(RIGHT)
    yield
    qapp.setLayoutDirection(LEFT)


@pytest.fixture
def application(qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    application = build(["--profile", str(tmp_path / "profile")])
    shown(application)
    application.window.resize(1440, 900)
    yield application
    application.close()
    qtbot.wait(1)


def left_of(widget: QWidget) -> int:
    return widget.mapToGlobal(widget.rect().topLeft()).x()


def test_the_columns_stand_from_right_to_left(mirrored: None, application: Application) -> None:
    SCENES["main"](application)
    window = application.window
    places = [left_of(part) for part in (window.sessions, window.branches, window.transcript, window.context)]
    assert places == sorted(places, reverse=True)


def test_all_menus_are_there(mirrored: None, application: Application) -> None:
    menus = application.window.top_bar.menus
    places = [menus.actionGeometry(action) for action in menus.actions()]
    assert len(places) == 7
    assert all(not place.isEmpty() and menus.rect().contains(place) for place in places)
    assert [place.x() for place in places] == sorted((place.x() for place in places), reverse=True)


def test_rows_of_sessions_are_mirrored(mirrored: None, application: Application) -> None:
    SCENES["main"](application)
    rows = application.window.sessions.list
    place = rows.visualRect(rows.selectionModel().selectedIndexes()[0])
    image = rows.viewport().grab(place).toImage()
    accent = application.gui.theme.color("accent").name()
    assert image.pixelColor(image.width() - 1, image.height() // 2).name() == accent
    assert image.pixelColor(0, image.height() // 2).name() != accent


@pytest.mark.parametrize("name", ["main", "workbench", "compare"])
def test_what_is_painted_keeps_its_direction(mirrored: None, application: Application, name: str) -> None:
    SCENES[name](application)
    window = application.window
    painted = {"main": window.branches.list, "workbench": window.transcript.view}
    view = painted[name] if name in painted else window.findChild(QWidget, "compareList")
    assert view is not None
    assert view.layoutDirection() is LEFT
    assert not window.grab().isNull()


def ink(image: QImage) -> QRect:
    """Return the rectangle in which something was painted."""
    columns = [x for x in range(image.width()) if any(image.pixelColor(x, y).alpha() for y in range(image.height()))]
    return QRect(columns[0], 0, columns[-1] - columns[0] + 1, image.height()) if columns else QRect()


@pytest.mark.parametrize("text", ["Hello", HEBREW])
@pytest.mark.parametrize(("window", "begins"), [(LEFT, "left"), (RIGHT, "right")])
def test_a_line_begins_where_the_window_does(
    qapp: QApplication, text: str, window: Qt.LayoutDirection, begins: str
) -> None:
    image = QImage(400, 30, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(0, 0, 0, 0))
    painter = QPainter(image)
    painter.setLayoutDirection(window)
    draw_words(painter, QRect(0, 0, 400, 30), Qt.AlignmentFlag.AlignLeft, text)
    painter.end()
    place = ink(image)
    assert (place.left() < 10) == (begins == "left")
    assert (place.right() > 390) == (begins == "right")


def test_a_message_has_the_direction_of_each_of_its_paragraphs(application: Application, tmp_path: Path) -> None:
    file = tmp_path / "hebrew.jsonl"
    header = {"type": "session", "version": 3, "id": "h", "timestamp": "2025-01-02T03:04:05.000Z", "cwd": "/x"}
    said = {"role": "user", "content": f"{HEBREW}\n\nAnd in English."}
    entry = {"type": "message", "id": "a", "parentId": None, "timestamp": "2025-01-02T03:04:06.000Z", "message": said}
    file.write_text(json.dumps(header) + "\n" + json.dumps(entry) + "\n", encoding="utf-8")
    application.gui.importing.import_paths([str(file)])
    until(lambda: application.gui.opened.session_tree is not None and application.window.transcript.view.visible_keys)
    view = application.window.transcript.view
    (document,) = documents(view)
    first, second = document.firstBlock(), document.firstBlock().next()
    assert first.textDirection() is RIGHT
    assert second.textDirection() is LEFT
    lines = [block.layout().lineAt(0) for block in (first, second)]
    assert lines[0].naturalTextRect().right() > document.textWidth() - 10
    assert lines[1].naturalTextRect().left() < 10


def documents(view: QWidget) -> list[QTextDocument]:
    from stemmata.gui.cards.card import Card

    pieces = [part for card in view.findChildren(Card) for part in card.parts if isinstance(part, TextPiece)]
    return [piece.document for piece in pieces]

"""JSON as a tree: rows are added as they are needed, values have colours, the selected one is shown in full."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.json_view import MOST_AT_ONCE, MOST_OPENED, JsonModel, JsonView, color_of, in_full, shown

VALUE = {"role": "user", "content": [{"type": "text", "text": "line\nline"}], "n": 1.5, "ok": True, "none": None}


def test_rows_are_added_as_they_are_needed(theme: Theme) -> None:
    model = JsonModel(theme, {"many": list(range(1000)), "few": {}})
    assert model.rowCount() == 0
    model.fetchMore(QModelIndex())
    many, few = model.index(0, 0), model.index(1, 0)
    assert model.hasChildren(many)
    assert not model.hasChildren(few)
    assert model.canFetchMore(many)
    model.fetchMore(many)
    assert model.rowCount(many) == MOST_AT_ONCE
    last = model.index(MOST_AT_ONCE - 1, 1, many)
    assert model.data(last) == str(MOST_AT_ONCE - 1)
    assert model.parent(last) == many
    assert model.data(last, Qt.ItemDataRole.AccessibleTextRole) == "199: 199"
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)


@pytest.mark.parametrize(
    ("value", "text", "color"),
    [
        ({"a": 1}, "{1}", "faint"), ([1, 2], "[2]", "faint"), ("a\nb", '"a⏎b"', "code_string"),
        ("x" * 300, '"' + "x" * 200 + "…", "code_string"), (True, "true", "code_keyword"),
        (None, "null", "code_keyword"), (1.5, "1.5", "code_number"),
    ],
)  # fmt: skip
def test_values_in_their_rows(value: object, text: str, color: str) -> None:
    assert (shown(value), color_of(value)) == (text, color)


def test_the_outer_values_are_open_and_the_selected_one_is_shown_in_full(qtbot: QtBot, theme: Theme) -> None:
    view = JsonView(theme, VALUE)
    qtbot.addWidget(view)
    view.show()
    rows, model = view.rows, view.model
    content = model.index(1, 0)
    assert rows.isExpanded(content)
    text = model.index(1, 0, model.index(0, 0, content))
    assert rows.isExpanded(model.index(0, 0, content))
    rows.setCurrentIndex(text)
    assert view.value.toPlainText() == "line\nline"
    QTest.keyClick(rows, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "line\nline"
    rows.setCurrentIndex(content)
    assert json.loads(view.value.toPlainText()) == VALUE["content"]


def test_much_stays_folded(qtbot: QtBot, theme: Theme) -> None:
    view = JsonView(theme, {"long": list(range(MOST_OPENED)), "text": "x" * 100_000})
    qtbot.addWidget(view)
    view.show()
    assert not view.rows.isExpanded(view.model.index(0, 0))
    QTest.keyClick(view.rows, Qt.Key.Key_Asterisk)
    assert not view.rows.isExpanded(view.model.index(0, 0))
    view.rows.setCurrentIndex(view.model.index(1, 0))
    assert len(view.value.toPlainText()) < 30_000
    assert in_full(3) == "3"


def test_the_row_used_by_keys_has_a_frame_and_no_second_ground(qtbot: QtBot, theme: Theme) -> None:
    view = JsonView(theme, VALUE)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.activateWindow()
    view.rows.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(view.rows.hasFocus)
    view.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    place = view.rows.visualRect(view.rows.currentIndex())
    picture = view.rows.viewport().grab().toImage()
    colors = [picture.pixelColor(picture.width() - 4, y).name() for y in range(place.top(), place.bottom() + 1)]
    accent, selection = theme.color("accent").name(), theme.color("selection").name()
    assert colors == [accent, *[selection] * (len(colors) - 2), accent]

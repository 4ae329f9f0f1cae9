"""What the window says: toasts with one thing to do, errors in plain words."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from stemmata.domain.errors import ConflictError
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.controller import safe_name
from stemmata.gui.widgets.figures import counted, size_text
from stemmata.gui.widgets.labels import MOST_SHOWN, ElidedLabel, label
from stemmata.gui.widgets.status import StatusLine
from stemmata.gui.widgets.surface import Shadow
from stemmata.gui.widgets.toast import Banner, Toast


class Resizes(QWidget):
    """Counts how often a widget is resized."""

    count = 0

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.count += 1


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(800, 600)
    host.show()
    return host


def test_a_toast_offers_one_act_and_goes(theme: Theme, host: QWidget) -> None:
    toast, acts = Toast(theme, host), list[str]()
    toast.tell("Moved to the trash.", "Undo", lambda: acts.append("undo"))
    assert toast.isVisible()
    assert host.rect().contains(toast.geometry())
    toast.tell("Something else.", "Redo", lambda: acts.append("redo"))
    toast.click()
    assert acts == ["redo"]
    assert not toast.isVisible()


def test_a_toast_leaves_the_hidden_parts_of_the_window_alone(theme: Theme, host: QWidget) -> None:
    """A picture of a widget, as for a graphics effect, makes Qt lay out all hidden ones."""
    hidden, toast = Resizes(host), Toast(theme, host)
    hidden.hide()
    toast.tell("Copied.")
    QApplication.processEvents()
    hidden.resize(300, 200)
    toast.update()
    QApplication.processEvents()
    assert toast.graphicsEffect() is None
    assert hidden.count == 0


def test_the_shadow_of_a_toast_follows_it_and_screen_readers_do_not_see_it(theme: Theme, host: QWidget) -> None:
    toast = Toast(theme, host)
    (shadow,) = host.findChildren(Shadow)
    assert not shadow.isVisible()
    for text in ("Copied.", "A longer message. " * 20):
        toast.tell(text)
        assert shadow.geometry().contains(toast.geometry())
        assert host.childAt(toast.geometry().bottomLeft() + QPoint(0, 4)) is None  # the mouse goes through it
        picture = host.grab().toImage()
        assert picture.pixelColor(toast.geometry().bottomLeft() + QPoint(40, 4)) != picture.pixelColor(2, 2)
    assert QAccessible.queryAccessibleInterface(host).childCount() == 1
    toast.hide()
    assert not shadow.isVisible()


def test_a_toast_stays_inside_a_window_that_shrinks(theme: Theme, host: QWidget) -> None:
    toast = Toast(theme, host)
    toast.tell("A long message that needs several lines when the window is narrow. " * 3)
    host.resize(320, 400)
    assert host.rect().contains(toast.geometry())


@pytest.fixture
def columns(host: QWidget) -> list[QListWidget]:
    """Two lists beside each other, each in a column; a row at the end of the first one is the current row."""
    out = list[QListWidget]()
    row = QHBoxLayout(host)
    row.setContentsMargins(0, 0, 0, 0)
    for _ in range(2):
        column, rows = QWidget(), QListWidget()
        QVBoxLayout(column).addWidget(rows)
        rows.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)  # as all lists of the window
        rows.addItems([f"row {at}" for at in range(100)])
        row.addWidget(column)
        out.append(rows)
    QApplication.processEvents()
    out[0].setCurrentRow(97)
    out[0].scrollToBottom()
    return out


def column_of(rows: QListWidget) -> QWidget:
    out = rows.parentWidget()
    assert out is not None
    return out


def shows_current(rows: QListWidget) -> bool:
    return rows.viewport().rect().contains(rows.visualRect(rows.currentIndex()))


def place_in(host: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(host, QPoint(0, 0)), widget.size())


def test_a_toast_covers_no_row_and_the_current_row_stays_in_view(
    theme: Theme, columns: list[QListWidget], qtbot: QtBot
) -> None:
    host = columns[0].window()
    toast, before = Toast(theme, host), columns[0].height()
    toast.place_over(lambda: [column_of(columns[0])])
    for text in ("Copied.", "A message of many words. " * 8):
        toast.tell(text, "Undo")
        QApplication.processEvents()
        assert not any(toast.geometry().intersects(place_in(host, each)) for each in columns)
        assert host.rect().contains(toast.geometry())
        qtbot.waitUntil(partial(shows_current, columns[0]))
    toast.withdraw()
    QApplication.processEvents()
    assert columns[0].height() == before


def test_a_toast_goes_with_the_columns_that_it_stands_on(theme: Theme, columns: list[QListWidget]) -> None:
    host = columns[0].window()
    first, second = map(column_of, columns)
    toast = Toast(theme, host)
    toast.place_over(lambda: [each for each in (first, second) if not each.isHidden()])
    toast.tell("A message of many words. " * 4, "Undo")
    assert toast.x() < second.x() < toast.geometry().right()
    assert not any(toast.geometry().intersects(place_in(host, each)) for each in columns)
    first.hide()
    QApplication.processEvents()
    assert first.contentsMargins().bottom() == 0
    assert not toast.geometry().intersects(place_in(host, columns[1]))
    toast.withdraw()
    assert second.contentsMargins().bottom() == 0


def test_the_action_stands_below_a_text_of_several_lines(theme: Theme, host: QWidget) -> None:
    toast = Toast(theme, host)
    (button,) = toast.findChildren(QPushButton)
    for text, is_below in (("Copied.", False), ("Many words. " * 30, True), ("Copied.", False)):
        toast.tell(text, "Undo")
        QApplication.processEvents()
        assert (button.y() > toast.height() // 2) is is_below


def test_the_action_of_a_toast_stays_when_its_time_is_over(theme: Theme, host: QWidget) -> None:
    toast, acts = Toast(theme, host), list[str]()
    rested, offered = list[tuple[str, str]](), list[bool]()
    toast.rested.connect(lambda text, action: rested.append((text, action)))
    toast.tell("Moved to the trash.", "Undo", lambda: acts.append("undo"))
    toast.offered.connect(offered.append)
    toast.rest()
    assert not toast.isVisible()
    assert rested[-1] == ("Moved to the trash.", "Undo")
    assert offered == []
    toast.click()
    assert acts == ["undo"]
    assert rested[-1] == ("", "")
    assert offered[-1] is False
    toast.tell("Copied.")
    toast.rest()
    assert rested[-1] == ("", "")  # there is nothing to do


def test_a_click_on_the_action_leaves_the_focus_where_it_is(theme: Theme, host: QWidget) -> None:
    fields = [QLineEdit(host) for _ in range(2)]
    toast, status = Toast(theme, host), StatusLine(theme)
    status.setParent(host)
    status.setGeometry(0, 560, 800, 28)
    for widget in (*fields, status):
        widget.show()
    for at, field in enumerate(fields):
        field.move(0, 40 * at)
    fields[1].setFocus()
    toast.tell("Pinned.", "Undo")
    QTest.mouseClick(toast.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert not toast.isVisible()
    assert host.focusWidget() is fields[1]
    status.show_offer("Pinned.", "Undo")
    status.offer.clicked.connect(lambda: status.show_offer("", ""))
    QTest.mouseClick(status.offer, Qt.MouseButton.LeftButton)
    assert not status.has_offer
    assert host.focusWidget() is fields[1]


def test_a_toast_says_whether_something_can_be_done(theme: Theme, host: QWidget) -> None:
    toast, offered = Toast(theme, host), list[bool]()
    toast.offered.connect(offered.append)
    toast.tell("Moved to the trash.", "Undo")
    toast.tell("Read.")
    toast.tell("Moved to the trash.", "Undo")
    toast.click()
    assert offered == [True, False, True, False]


def test_a_toast_is_as_wide_as_what_it_says(theme: Theme, host: QWidget) -> None:
    toast = Toast(theme, host)
    toast.tell("Pinned.")
    narrow = toast.width()
    toast.tell("Pinned.", "Undo")
    assert narrow < toast.width() < theme.px(metrics.TOAST)
    line = toast.height()
    toast.tell("A long message that needs several lines. " * 4)
    assert toast.width() == theme.px(metrics.TOAST)
    assert toast.height() > line


def test_a_known_error_speaks_for_itself_and_a_bug_is_owned(theme: Theme, qtbot: QtBot) -> None:
    banner = Banner(theme)
    qtbot.addWidget(banner)
    banner.tell_error(ConflictError("The session has moved on. Nothing was changed."))
    assert banner.text == "The session has moved on. Nothing was changed."
    banner.tell_error(ZeroDivisionError("secret detail"))
    assert "ZeroDivisionError" in banner.text
    assert "secret" not in banner.text


def test_the_banner_follows_the_theme(theme: Theme, qtbot: QtBot) -> None:
    banner = Banner(theme)
    qtbot.addWidget(banner)
    banner.resize(600, 40)
    banner.tell_error(ConflictError("No."))
    for scheme in ("light", "dark"):
        theme.set_scheme(scheme)
        image = banner.grab().toImage()
        assert image.pixelColor(image.width() // 2, 2) == theme.color("bad_bg")


def test_labels_never_read_markup(qtbot: QtBot) -> None:
    plain, elided = label("<b>x</b>"), ElidedLabel("<img src='file:///etc/passwd'> " * 10)
    for widget in (plain, elided):
        qtbot.addWidget(widget)
    assert plain.sizeHint().width() > plain.fontMetrics().horizontalAdvance("x") * 4
    elided.resize(60, 20)
    assert elided.minimumSizeHint().width() < 60


def test_counts_and_sizes() -> None:
    assert [counted(n, "session", "sessions") for n in (0, 1, 1284)] == ["0 sessions", "1 session", "1,284 sessions"]
    assert [size_text(n) for n in (412_000_000, 1_250_000_000, 999)] == ["412 MB", "1.3 GB", "999 bytes"]


@pytest.mark.parametrize(
    ("title", "name"),
    [("../../etc/passwd", ".. .. etc passwd"), ("a:b\x00c", "a b c"), ("...", "session"), ("x" * 300, "x" * 80)],
)
def test_file_names_are_safe(title: str, name: str) -> None:
    assert safe_name(title) == name.strip(" .")


@pytest.mark.parametrize(
    "hard", ["y" * 10_000_000, "[" * 3_000_000, ("a" + "\u0301" * 100) * 2_000], ids=["word", "brackets", "marks"]
)
def test_a_message_has_a_length_that_can_be_read(theme: Theme, host: QWidget, hard: str) -> None:
    toast, banner = Toast(theme, host), Banner(theme)
    toast.tell(hard)
    banner.tell_error(ConflictError(hard))
    assert len(toast.text) == len(banner.text) == MOST_SHOWN
    assert len(toast.accessibleName()) == len(banner.accessibleName()) == MOST_SHOWN
    banner.deleteLater()


def test_a_sign_is_not_parted_from_its_figure(host: QWidget, theme: Theme) -> None:
    toast = Toast(theme, host)
    toast.tell("The context now has ≈ 180.8k tokens.")
    assert any("≈\N{NO-BREAK SPACE}180.8k" in words.text() for words in toast.findChildren(QLabel))
    assert toast.text == "The context now has ≈ 180.8k tokens."

"""What the window says: toasts with one thing to do, errors in plain words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
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


def test_a_toast_covers_nothing_that_comes_below_it(theme: Theme, host: QWidget) -> None:
    toast, below, beside = Toast(theme, host), QWidget(host), QWidget(host)
    below.setGeometry(0, 500, 800, 100)
    toast.stay_clear_of(below, beside)
    toast.tell("Imported.")
    assert toast.geometry().bottom() > 500
    below.show()
    assert toast.geometry().bottom() < 500
    below.setGeometry(0, 300, 800, 300)
    assert toast.geometry().bottom() < 300
    below.hide()
    assert toast.geometry().bottom() > 500


def test_a_toast_covers_neither_the_message_nor_the_figures(theme: Theme, host: QWidget) -> None:
    toast, message, figures = Toast(theme, host), QWidget(host), QWidget(host)
    message.setGeometry(300, 450, 250, 120)
    figures.setGeometry(550, 0, 250, 570)
    toast.stay_clear_of(message, figures)
    message.show()
    figures.show()
    for text in ("Copied.", "A message of many words. " * 8):
        toast.tell(text, "Undo")
        assert not toast.geometry().intersects(message.geometry())
        assert not toast.geometry().intersects(figures.geometry())
        assert host.rect().contains(toast.geometry())
    toast.tell("Copied.")
    assert toast.geometry().bottom() > message.y()  # there is room beside the message


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

"""Small pop-up windows that Escape or a click elsewhere closes."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLineEdit, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button

GIVEN = "givenSize"  # property: the size that `fit` has given to a dialog


def dialog_size(theme: Theme, dialog: QDialog) -> QSize:
    """Return the standard size of a dialog, limited by its parent window so that large fonts still fit."""
    wanted = QSize(*map(theme.px, metrics.DIALOG))
    parent = dialog.parentWidget()
    if parent is None:
        return wanted
    room = parent.window().size().expandedTo(QSize(*metrics.WINDOW_MINIMUM)) * metrics.IMAGE_PLACE
    return wanted.boundedTo(room)


def fitted_size(theme: Theme, dialog: QDialog) -> QSize:
    """Return the standard size of a dialog, with less height when its content needs less."""
    size, layout = dialog_size(theme, dialog), dialog.layout()
    if layout is None:
        return size
    is_wrapped = layout.hasHeightForWidth()
    wanted = layout.totalHeightForWidth(size.width()) if is_wrapped else layout.totalSizeHint().height()
    return QSize(size.width(), min(size.height(), wanted))


def fit(dialog: QDialog) -> None:
    """Give a dialog the size that it asks for; a dialog that is shown keeps its middle and stays on its screen.

    A dialog that the user has resized only grows.
    """
    size, is_resized = dialog.sizeHint(), dialog.isVisible() and dialog.property(GIVEN) not in (None, dialog.size())
    if is_resized:
        size = size.expandedTo(dialog.size())
    if dialog.isVisible() and size == dialog.size():
        return
    middle = dialog.geometry().center()
    dialog.resize(size)
    if not is_resized:
        dialog.setProperty(GIVEN, dialog.size())
    if dialog.isVisible():
        at, frame, room = dialog.pos(), dialog.frameGeometry(), dialog.screen().availableGeometry()
        at += middle - dialog.geometry().center()  # `move` places the frame, and not what is inside
        at.setY(max(min(at.y(), room.bottom() + 1 - frame.height()), room.top()))
        dialog.move(at)


class Popup(QFrame):
    """A pop-up that returns the keyboard focus to its host when it closes."""

    def __init__(self, host: QWidget, name: str) -> None:
        super().__init__(host, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setProperty("overlay", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._host = host

    def open_at(self, at: QPoint, first: QWidget, *, above: int = 0) -> None:
        """Show the pop-up below a global point, moved so that all of it is on the screen, with the focus on `first`.

        `above` is the height of the anchor that ends at the point: without room below, the pop-up opens above the
        anchor.
        """
        window = self._host.window().geometry()
        x = max(window.left(), min(at.x(), window.right() - self.width()))
        lowest = window.bottom() - self.height()
        y = at.y() if at.y() <= lowest or not above else at.y() - above - self.height()
        y = max(window.top(), min(y, lowest))
        self.move(x, y)
        self.show()
        first.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return
        super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._host.activateWindow()  # some platforms do not return the focus to the window
        super().hideEvent(event)


LONGEST = 80  # characters of a label, so that it fits a row


class TextPopup(Popup):
    """A pop-up with one line of text. Enter accepts the text; Escape or a click elsewhere cancels."""

    accepted = Signal(str)

    def __init__(self, theme: Theme, host: QWidget, name: str) -> None:
        super().__init__(host, name)
        self._theme = theme
        self.field = QLineEdit(maxLength=LONGEST)
        self.field.returnPressed.connect(self._on_accepted)
        self.take_button = push_button("", self._on_accepted, look="primary")
        row = QHBoxLayout(self)
        row.setContentsMargins(*[metrics.SPACE[4]] * 4)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self.field, 1)
        row.addWidget(self.take_button)

    def ask(self, at: QPoint, text: str, *, hint: str, take: str) -> None:
        """Open at a global point with the current text. `hint` is the placeholder, `take` the name of the button."""
        self.field.setMaxLength(LONGEST)
        self.field.setText(text)
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.setAccessibleName(hint)
        self.field.selectAll()
        self.take_button.setText(take)
        self.resize(self._theme.px(metrics.POPUP), self.sizeHint().height())
        self.open_at(at, self.field, above=self._theme.px(metrics.NAVIGATOR_ROW))

    def _on_accepted(self) -> None:
        self.hide()
        self.accepted.emit(self.field.text().strip())

"""The popup that asks whether to summarise the branch that is abandoned."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPushButton, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.popup import Popup

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Right: 1}


class LeavePopup(Popup):
    """Asks whether to summarise an abandoned branch. Esc or a click outside cancels without an answer."""

    # focus of the summary ("" for none), or None for no summary; whether to stop asking
    answered = Signal(object, bool)

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host, "leavePopup")
        self._theme = theme
        self.text = label(wrap=True)
        self.go = push_button(self.tr("Leave without a summary"), lambda: self._answer(None))
        self.summarise = push_button(self.tr("Summarise the branch that I leave"), lambda: self._answer(""))
        self.with_focus = push_button(self.tr("Summarise with focus…"), self._ask_focus)
        self.focus = QLineEdit()
        self.focus.setPlaceholderText(self.tr("What matters for the summary?"))
        self.focus.setAccessibleName(self.focus.placeholderText())
        self.focus.returnPressed.connect(lambda: self._answer(self.focus.text().strip()))
        self.always = QCheckBox(self.tr("Do the same without asking until Stemmata is closed"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[5]] * 4)
        column.setSpacing(metrics.SPACE[3])
        for widget in (self.text, *self._buttons, self.focus, self.always):
            column.addWidget(widget)

    @property
    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.go, self.summarise, self.with_focus

    def ask(self, at: QPoint, text: str) -> None:
        """Open the popup at a global point."""
        self.text.setText(text)
        self.setAccessibleName(text)
        self.focus.clear()
        self.focus.hide()
        self.with_focus.show()
        self.always.setChecked(False)
        self._fit()
        self.open_at(at, self.go, above=self._theme.px(metrics.NAVIGATOR_ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        shown = [button for button in self._buttons if not button.isHidden()]
        at = next((at for at, button in enumerate(shown) if button.hasFocus()), None)
        if key in _STEPS:
            shown[((at or 0) + _STEPS[key]) % len(shown)].setFocus(Qt.FocusReason.TabFocusReason)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and at is not None:
            shown[at].click()
        else:
            super().keyPressEvent(event)

    def _ask_focus(self) -> None:
        self.with_focus.hide()
        self.focus.show()
        self._fit()
        self.focus.setFocus()

    def _fit(self) -> None:
        width, layout = self._theme.px(metrics.POPUP), self.layout()
        assert layout is not None
        layout.invalidate()  # the height was computed with other widgets visible
        layout.activate()
        self.resize(width, layout.totalHeightForWidth(width))

    def _answer(self, focus: str | None) -> None:
        self.hide()
        self.answered.emit(focus, self.always.isChecked())

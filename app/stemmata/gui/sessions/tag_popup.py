"""The popup that sets the tags of the selected sessions."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stemmata.domain.sessions.session import MAX_TAG_LENGTH, normalized_tag
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.popup import Popup

MOST_TYPED = 10 * MAX_TAG_LENGTH  # characters, for several tags at once


class TagPopup(Popup):
    """A list of tags with check boxes.

    Every change applies immediately; Esc or a click elsewhere closes the popup.
    """

    tags_changed = Signal(list, bool)  # tags (list[str]), and whether they are added (True) or removed

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host, "tagPopup")
        self._theme, self._at = theme, QPoint()
        self.setAccessibleName(self.tr("Tags"))
        self.field = QLineEdit(maxLength=MOST_TYPED)
        self.field.setPlaceholderText(self.tr("Add tags, separated by commas"))
        self.field.setAccessibleName(self.tr("Add a tag"))
        self.field.returnPressed.connect(self._on_entered)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Tags"))
        self.list.itemChanged.connect(self._on_ticked)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[4]] * 4)
        column.setSpacing(metrics.SPACE[4])
        column.addWidget(self.field)
        column.addWidget(self.list)

    def ask(self, at: QPoint, tags: Mapping[str, Qt.CheckState]) -> None:
        """Open the popup at a global point. `tags` maps every tag to its state for the selected sessions."""
        self.list.blockSignals(True)
        self.list.clear()
        for tag in sorted(tags, key=str.casefold):
            self._add(tag, tags[tag])
        self.list.blockSignals(False)
        self.field.clear()
        self._at = at
        self._fit()
        self.open_at(at, self.field)

    def items(self) -> dict[str, Qt.CheckState]:
        """Return the listed tags with their states."""
        rows = [self.list.item(row) for row in range(self.list.count())]
        return {item.text(): item.checkState() for item in rows}

    def _fit(self) -> None:
        """Fit the popup to its tags, up to a height from which on they scroll; without tags, to the field."""
        self.list.setVisible(self.list.count() > 0)
        rows = self.list.count() * max(self.list.sizeHintForRow(0), 0) + 2 * self.list.frameWidth()
        inside = self._theme.px(metrics.TAGS) - self.field.sizeHint().height() - 3 * metrics.SPACE[4]
        self.list.setFixedHeight(min(rows, inside))
        self.setFixedWidth(self._theme.px(metrics.POPUP))
        self.setFixedHeight(self.sizeHint().height())

    def _add(self, tag: str, state: Qt.CheckState) -> None:
        item = QListWidgetItem(tag)
        item.setCheckState(state)
        self.list.addItem(item)

    def _on_entered(self) -> None:
        """Add the typed tags, which commas separate; close the popup if the field is empty."""
        tags = [tag for text in self.field.text().split(",") if (tag := normalized_tag(text))]
        self.field.clear()
        if not tags:
            self.hide()
        self.list.blockSignals(True)
        taken = [tag for tag in dict.fromkeys(tags) if self._take(tag)]
        self.list.blockSignals(False)
        if tags:
            self._fit()
            self.open_at(self._at, self.field)  # where the grown popup has room
        if taken:
            self.tags_changed.emit(taken, True)

    def _take(self, tag: str) -> bool:
        """Tick a tag, and return whether it was not ticked before."""
        known = self.list.findItems(tag, Qt.MatchFlag.MatchFixedString)  # ignores case
        if not known:
            self._add(tag, Qt.CheckState.Checked)
            return True
        was_ticked = known[0].checkState() is Qt.CheckState.Checked
        known[0].setCheckState(Qt.CheckState.Checked)
        return not was_ticked

    def _on_ticked(self, item: QListWidgetItem) -> None:
        self.tags_changed.emit([item.text()], item.checkState() is not Qt.CheckState.Unchecked)

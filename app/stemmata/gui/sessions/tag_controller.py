"""Tagging the sessions that are selected in the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stemmata.domain.entries.session_facts import LONGEST, Session, tag_of
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.popup import Popup


class TagPopup(Popup):
    """Every tick counts at once; Esc or a click elsewhere closes it."""

    tag_changed = Signal(str, bool)  # tag, whether the sessions have it from now on

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host, "tagPopup")
        self._theme = theme
        self.setAccessibleName(self.tr("Tags"))
        self.field = QLineEdit(maxLength=LONGEST)
        self.field.setPlaceholderText(self.tr("Add a tag"))
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
        """Open at this global point. `tags` are all there are, ticked when all selected sessions have them."""
        self.list.blockSignals(True)
        self.list.clear()
        for tag in sorted(tags, key=str.casefold):
            self._add(tag, tags[tag])
        self.list.blockSignals(False)
        self.field.clear()
        self.setFixedSize(self._theme.px(metrics.POPUP), self._theme.px(metrics.TAGS))
        self.open_at(at, self.field)

    def items(self) -> dict[str, Qt.CheckState]:
        """The tags that are listed."""
        rows = [self.list.item(row) for row in range(self.list.count())]
        return {item.text(): item.checkState() for item in rows}

    def _add(self, tag: str, state: Qt.CheckState) -> None:
        item = QListWidgetItem(tag)
        item.setCheckState(state)
        self.list.addItem(item)

    def _on_entered(self) -> None:
        """Enter adds what was typed; on an empty field it closes."""
        tag = tag_of(self.field.text())
        self.field.clear()
        if not tag:
            self.hide()
            return
        known = self.list.findItems(tag, Qt.MatchFlag.MatchFixedString)  # whatever the case
        if known:
            known[0].setCheckState(Qt.CheckState.Checked)
        else:
            self._add(tag, Qt.CheckState.Checked)
            self.tag_changed.emit(tag, True)

    def _on_ticked(self, item: QListWidgetItem) -> None:
        self.tag_changed.emit(item.text(), item.checkState() is not Qt.CheckState.Unchecked)


class TagController(QObject):
    def __init__(self, desk: Desk, theme: Theme, sessions: SessionList, view: SessionsView) -> None:
        super().__init__(view)
        self._services, self._bridge, self._theme = desk.services, desk.bridge, theme
        self._list, self._view = sessions, view
        self._chosen: list[int] = []

    @cached_property
    def popup(self) -> TagPopup:
        made = TagPopup(self._theme, self._view.window())
        made.tag_changed.connect(lambda tag, on: self._tag(tag, on=on))
        return made

    def ask(self) -> None:
        """Show the tags of the selected sessions, to be changed."""
        chosen = self._view.selected
        if chosen:
            self._chosen = [session.key for session in chosen]
            everywhere = {tag for session in (*self._list.sessions.values(), *chosen) for tag in session.tags}
            self.popup.ask(self._view.below(chosen[0].key), {tag: _state(tag, chosen) for tag in everywhere})

    def _tag(self, tag: str, *, on: bool) -> None:
        tagged = self._services.sessions.tag(self._chosen, tag, on=on)
        self._bridge.when_done(tagged, lambda _done: None)


def _state(tag: str, sessions: Iterable[Session]) -> Qt.CheckState:
    has = {tag in session.tags for session in sessions}
    if len(has) > 1:
        return Qt.CheckState.PartiallyChecked
    return Qt.CheckState.Checked if has == {True} else Qt.CheckState.Unchecked

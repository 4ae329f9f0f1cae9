"""Edits a stored summary in a dialog, and stores the result as a sibling of the old summary."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from stemmata.domain.compaction.summary.signed import is_signed
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry_rows import Body
from stemmata.gui.compaction.summary_editor import SummaryEditor
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.popup import dialog_size
from stemmata.gui.widgets.surface import line


class SummaryDialog(QDialog):
    """A dialog, not modal, to edit a stored summary. `saved` carries the changed text.

    `signed` says that the provider signed the text.
    """

    saved = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget, text: str, *, signed: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("summaryDialog")
        self.setWindowTitle(self.tr("Edit summary"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._text = text
        self.summary = SummaryEditor(theme)
        self.summary.edit()  # before the text is set: rendering the hidden preview takes time
        self.summary.set_text(text)
        self.editor = self.summary.source
        self.save = push_button(self.tr("Save as sibling"), self._on_saved, look="primary")
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        note = self.tr("The old summary stays in the tree, as a sibling.")
        if signed:
            plain = self.tr(
                "The signature is valid only for the original text. The edited summary is sent as plain text."
            )
            note = f"{note} {plain}"
        foot.addWidget(label(note, "small", wrap=True), 1)
        foot.addWidget(push_button(self.tr("Cancel"), self.close))
        foot.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addLayout(line(label(self.tr("Summary"), "title"), self.summary.switch))
        column.addWidget(self.summary, 1)
        column.addLayout(foot)
        self.summary.text_changed.connect(self._on_typed)
        self._on_typed()
        self.summary.focus_page()  # only now the page has its place in the dialog
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return dialog_size(self._theme, self)

    def _on_typed(self) -> None:
        self.save.setEnabled(bool(self.summary.text.strip()) and self.summary.text != self._text)

    def _on_saved(self) -> None:
        self.saved.emit(self.summary.text)
        self.close()


class StoredSummaryController(QObject):
    """Opens the dialog for the summary of a stored compaction, and stores the changed text."""

    def __init__(self, shared: WindowContext, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._history, self._theme, self._window = shared.history, theme, window

    def edit(self, compaction: int) -> None:
        """Open the editor of a compaction's summary (entry key)."""
        show = self._opened.unless_selection_changed(lambda bodies: self._show(compaction, bodies[compaction]))
        self._bridge.when_done(self._services.entries.bodies([compaction]), show)

    def _show(self, compaction: int, body: Body) -> None:
        dialog = SummaryDialog(self._theme, self._window, plain_text(body.blocks), signed=is_signed(body.details))
        session = self._opened.key  # another session may be open when the dialog is closed
        dialog.saved.connect(lambda text: self.store(compaction, text, session))
        dialog.show()

    def store(self, compaction: int, text: str, session: int | None) -> None:
        """Store an edited summary in a session (key), as a sibling of the old summary."""
        if session is None:
            return
        if session == self._opened.key:
            self._opened.follow_leaf()
        told = self.tr("Saved as a new summary beside the old one.")
        stored = self._services.compaction.edit(session, compaction, text)
        self._bridge.when_done(stored, lambda _key: self._history.tell(told, session))

"""The dialog in which a session is handed over to another tool: tool, extent, folder, preview, brief."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.requests.hand_off import Extent
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.popup import fit, fitted_size
from stemmata.services.chat.handing_off import HandOffPreview

TYPING_MS = 400  # pause in typing after which the preview is asked again


class HandOffDialog(QDialog):
    """A dialog, not modal. It reports choices, and shows the preview and the result that it is given."""

    changed = Signal()  # tool, extent, folder or brief
    brief_requested = Signal()  # a brief by the model is wanted
    write_requested = Signal()
    copy_requested = Signal()
    terminal_requested = Signal()

    def __init__(
        self, theme: Theme, parent: QWidget, tools: Mapping[str, tuple[str, Sequence[Extent]]], cwd: str, title: str
    ) -> None:
        super().__init__(parent)
        self.setObjectName("handOffDialog")
        self.setWindowTitle(self.tr("Hand off"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme, self._tools = theme, tools
        self._has_own_brief = False
        self._pause = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._pause.timeout.connect(self.changed)
        self._make_choices(cwd)
        self._make_preview()
        self._lay_out(title)
        self.tool_box.currentIndexChanged.connect(self._on_tool)
        self.extent_box.currentIndexChanged.connect(self._on_extent)
        self.folder.textEdited.connect(lambda _text: self._pause.start())
        self.brief.textChanged.connect(self._on_brief)
        self._on_tool()

    # -- the choices --------------------------------------------------------------------------------------------

    @property
    def tool(self) -> str:
        """The name of the chosen tool."""
        return str(self.tool_box.currentData())

    @property
    def extent(self) -> Extent:
        """How much of the session is handed over, as chosen in the dialog."""
        return Extent(self.extent_box.currentData())

    @property
    def brief_text(self) -> str:
        """The brief when the person or the model wrote it; "" for the digest."""
        return self.brief.toPlainText() if self._has_own_brief and self.extent is Extent.BRIEF else ""

    # -- the answers --------------------------------------------------------------------------------------------

    def show_preview(self, preview: HandOffPreview) -> None:
        """Show the size, the parts that the tool does not get, and the brief unless it was written here."""
        size = preview.size
        self.size_line.setText(
            self.tr("{0}, {1}, ≈ {2} tokens").format(
                self.tr("%Ln messages", None, size.messages),
                self.tr("%Ln tool calls", None, size.calls),
                tokens_text(size.tokens),
            )
        )
        lost = "\n".join(f"– {translate_phrase(one)}" for one in preview.lost)
        self._show_lost(self.tr("Not handed over:") + f"\n{lost}" if lost else "")
        if preview.brief and not self._has_own_brief:
            self.brief.blockSignals(True)
            self.brief.setPlainText(preview.brief)
            self.brief.blockSignals(False)
        self.write.setEnabled(True)
        fit(self)

    def show_problem(self, text: str) -> None:
        """Show why the session cannot be handed over like this."""
        self.size_line.setText(text)
        self._show_lost("")
        self.write.setEnabled(False)
        fit(self)

    def show_brief(self, text: str) -> None:
        """Show the brief that the model wrote."""
        self.by_model.setEnabled(True)
        self.brief.setPlainText(text)

    def show_result(self, path: str, command: str) -> None:
        """Show where the session was written and the command that continues it."""
        self.size_line.setText(self.tr("Written: {0}").format(path))
        self._show_lost("")
        self.command.setText(command)
        for widget in (self.command, self.copy, self.terminal):
            widget.show()
        chosen = (self.tool_box, self.extent_box, self.folder, self.choose, self.brief, self.by_model)
        for other in chosen:
            other.setEnabled(False)
        self.write.hide()
        self.cancel.setText(self.tr("Close"))
        self.terminal.setFocus()
        fit(self)

    def _show_lost(self, text: str) -> None:
        self.lost.setText(text)
        self.lost.setVisible(bool(text))

    def sizeHint(self) -> QSize:
        return fitted_size(self._theme, self)

    # -- making -------------------------------------------------------------------------------------------------

    def _make_choices(self, cwd: str) -> None:
        self.tool_box = QComboBox()
        self.tool_box.setAccessibleName(self.tr("Tool"))
        for name, (title, _extents) in self._tools.items():
            self.tool_box.addItem(title, name)
        self._words = {
            Extent.WHOLE: self.tr("All messages of the path"),
            Extent.CONTEXT: self.tr("The current context: the last summary and the entries after it"),
            Extent.BRIEF: self.tr("A brief: one message with a summary"),
        }
        self.extent_box = QComboBox()
        self.extent_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.extent_box.setAccessibleName(self.tr("Content to hand over"))
        self.folder = QLineEdit(cwd)
        self.folder.setAccessibleName(self.tr("Folder to work in"))
        self.choose = push_button(self.tr("Choose folder…"), self._choose_folder)
        self.brief = QPlainTextEdit()
        self.brief.setAccessibleName(self.tr("Brief"))
        self.brief.setProperty("framed", True)
        self.by_model = push_button(self.tr("Write with a model"), self._ask_model)

    def _make_preview(self) -> None:
        self.size_line = label("", wrap=True)
        self.lost = label("", "small", wrap=True)
        self.command = QLineEdit(readOnly=True)
        self.command.setAccessibleName(self.tr("Command that continues the session"))
        self.copy = push_button(self.tr("Copy command"), self.copy_requested.emit)
        self.terminal = push_button(self.tr("Resume in terminal"), self.terminal_requested.emit, look="primary")
        for widget in (self.command, self.copy, self.terminal):
            widget.hide()
        self.cancel = push_button(self.tr("Cancel"), self.close)
        self.write = push_button(self.tr("Write session"), self.write_requested.emit, look="primary")
        self.write.setEnabled(False)

    def _lay_out(self, title: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addWidget(ElidedLabel(title, "title"))
        note = self.tr("The tool continues in a new session. This session is not changed.")
        column.addWidget(label(note, "dim", wrap=True))
        column.addLayout(self._form())
        column.addWidget(self.brief, 1)
        column.addWidget(self.size_line)
        column.addWidget(self.lost)
        column.addWidget(self.command)
        column.addStretch(0)  # takes what the brief leaves
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        foot.addStretch(1)
        for button in (self.cancel, self.copy, self.write, self.terminal):
            foot.addWidget(button)
        column.addLayout(foot)

    def _form(self) -> QGridLayout:
        """Return the choices, with their names in a column of its own."""
        form = QGridLayout()
        form.setHorizontalSpacing(metrics.SPACE[5])
        form.setVerticalSpacing(metrics.SPACE[4])
        form.setColumnStretch(1, 1)
        self._brief_title = label(self.tr("Brief"))
        names = (label(self.tr("Tool")), label(self.tr("Content to hand over")), label(self.tr("Folder")))
        for row, name in enumerate((*names, self._brief_title)):
            form.addWidget(name, row, 0)
        form.addWidget(self.tool_box, 0, 1, 1, 2)
        form.addWidget(self.extent_box, 1, 1, 1, 2)
        form.addWidget(self.folder, 2, 1)
        form.addWidget(self.choose, 2, 2)
        form.addWidget(self.by_model, 3, 1, Qt.AlignmentFlag.AlignLeft)
        return form

    # -- events -------------------------------------------------------------------------------------------------

    def _on_tool(self) -> None:
        _title, extents = self._tools[self.tool]
        before = self.extent_box.currentData()
        self.extent_box.blockSignals(True)
        self.extent_box.clear()
        for extent in extents:
            self.extent_box.addItem(self._words[extent], extent.value)
        self.extent_box.setCurrentIndex(max(self.extent_box.findData(before), 0))
        self.extent_box.blockSignals(False)
        self._on_extent()

    def _on_extent(self) -> None:
        self._show_brief_parts()
        self.changed.emit()

    def _show_brief_parts(self) -> None:
        is_brief = self.extent is Extent.BRIEF
        for widget in (self._brief_title, self.by_model, self.brief):
            widget.setVisible(is_brief)
        fit(self)

    def _on_brief(self) -> None:
        self._has_own_brief = True
        self._pause.start()

    def _ask_model(self) -> None:
        self.by_model.setEnabled(False)
        self.brief_requested.emit()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Folder to work in"), self.folder.text())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._on_folder)
        dialog.open()

    def _on_folder(self, folder: str) -> None:
        self.folder.setText(folder)
        self.changed.emit()

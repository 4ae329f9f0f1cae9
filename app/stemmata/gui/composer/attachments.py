"""The list of attachments: thumbnail, name, size and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from stemmata.gui.composer.rows import RowsArea
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.figures import size_text
from stemmata.gui.widgets.labels import ElidedLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedRow:
    """The data of a row. `size` is in bytes; `note` describes a change such as scaling.

    `problem` is the reason why the attachment cannot be sent, or "".
    """

    key: int
    name: str
    size: int = 0
    note: str = ""
    picture: QImage | None = None
    is_ready: bool = True  # False while the file is being read
    problem: str = ""


class AttachmentRow(QFrame):
    """The row of one attachment: its name, its size, and a button that removes it."""

    remove_requested = Signal(int)  # key

    def __init__(self, theme: Theme, attached: AttachedRow) -> None:
        super().__init__()
        self.attached = attached
        self._theme = theme
        self.setProperty("queued", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._picture = QLabel()
        size = size_text(attached.size) if attached.is_ready else self.tr("reading…")
        facts = attached.problem or " · ".join(part for part in (size, attached.note) if part)
        name = ElidedLabel(attached.name)
        self.remove = IconButton(theme, "close", self.tr("Remove attachment"))
        self.remove.clicked.connect(lambda: self.remove_requested.emit(attached.key))
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[2], 0, metrics.SPACE[1], 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._picture)
        row.addWidget(name, 1)
        told = ElidedLabel(facts, "warning" if attached.problem else "small")
        told.setAlignment(Qt.AlignmentFlag.AlignRight)
        row.addWidget(told, 1)
        row.addWidget(self.remove)
        self.setAccessibleName(self.tr("Attached: {0}, {1}").format(attached.name, facts))
        theme.changed.connect(self._restyle)
        self._restyle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the attachment on Delete or Backspace."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_requested.emit(self.attached.key)
            return
        super().keyPressEvent(event)

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.CONTROL))
        side = self._theme.px(metrics.CONTROL) - metrics.SPACE[2]
        self._picture.setFixedWidth(side + side // 2)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        picture, ratio = self.attached.picture, self.devicePixelRatioF()
        if picture is None:
            self._picture.setPixmap(self._theme.pixmap("file", ratio=ratio))
            return
        shape, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        room = self._picture.width()
        scaled = QPixmap.fromImage(picture).scaled(round(room * ratio), round(side * ratio), shape, smooth)
        scaled.setDevicePixelRatio(ratio)
        self._picture.setPixmap(scaled)


class AttachmentRows(RowsArea):
    """The list of attachments."""

    remove_requested = Signal(int)  # key

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setObjectName("attachmentRows")
        self.setAccessibleName(self.tr("Attachments"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_attachments(self, attached: Sequence[AttachedRow]) -> None:
        """Replace the rows."""
        rows = []
        for item in attached:
            row = AttachmentRow(self._theme, item)
            row.remove_requested.connect(self.remove_requested)
            rows.append(row)
        self.show_rows(rows)

    @property
    def rows(self) -> list[AttachmentRow]:
        """The rows shown."""
        return [row for row in self.shown if isinstance(row, AttachmentRow)]

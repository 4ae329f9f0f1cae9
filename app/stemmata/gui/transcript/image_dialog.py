"""Shows an image of the conversation in a dialog, fitted to the dialog or at any size up to all of its pixels."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import percent, size_text
from stemmata.gui.widgets.labels import label

STEP = 1.25  # factor of one zoom step
LEAST, MOST = 0.05, 16.0  # limits of the zoom, as factors on the image's size
LONGEST_SIDE = 16_000  # pixels; some platforms cannot paint larger widgets
_Key = Qt.Key


class ImageDialog(QDialog):
    """A dialog, not modal, that shows an image.

    `+` and `-` zoom, `0` fits, `1` shows it 1:1, Ctrl+C copies, Ctrl+S saves, Escape closes.
    """

    copy_requested = Signal()
    save_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget, image: QImage, size: int = 0) -> None:
        """Create the dialog; `size` is that of the file, in bytes, 0 when it is not known."""
        super().__init__(parent)
        self.setObjectName("imageDialog")
        self.setWindowTitle(self.tr("Image"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._most = parent.window().size() * metrics.IMAGE_PLACE
        self._fits = True
        self.scale = 1.0
        self.picture = Picture(image)
        self.picture.setAccessibleName(self.tr("Image, {0} by {1} pixels").format(image.width(), image.height()))
        self.area = QScrollArea()
        self.area.setWidget(self.picture)
        self.area.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.area.setAccessibleName(self.tr("Image"))
        self._percent = label("", "dim")
        self.buttons = {
            "copy": push_button(self.tr("Copy"), self.copy_requested.emit),
            "save": push_button(self.tr("Save…"), self.save_requested.emit),
            "fit": push_button(self.tr("Fit"), self.fit),
            "whole": push_button(percent(100), partial(self.zoom_to, 1.0)),
            "out": IconButton(theme, "minus", self.tr("Smaller")),
            "in": IconButton(theme, "plus", self.tr("Larger")),
        }
        self.buttons["out"].clicked.connect(lambda: self.zoom_to(self.scale / STEP))
        self.buttons["in"].clicked.connect(lambda: self.zoom_to(self.scale * STEP))
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        sides = f"{image.width()} × {image.height()}"
        self.facts = label(" · ".join(filter(None, (sides, size_text(size) if size else ""))), "dim")
        foot.addWidget(self.facts)
        foot.addWidget(self._percent)
        foot.addStretch(1)
        for button in self.buttons.values():
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[5]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addWidget(self.area, 1)
        column.addLayout(foot)
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Return the image's size, limited by the size of the parent window."""
        least = QSize(*map(self._theme.px, metrics.DIALOG))
        room = 4 * metrics.SPACE[5] + self._theme.px(metrics.CONTROL)
        return (
            (self.picture.image_size + QSize(room, room))
            .boundedTo(self._most)
            .expandedTo(least.boundedTo(self._most))
        )

    def fit(self) -> None:
        """Fit the image to the dialog, also after the dialog is resized. Small images are not enlarged."""
        self._fits = True
        room, size = self.area.maximumViewportSize(), self.picture.image_size
        self._show(min(room.width() / size.width(), room.height() / size.height(), 1.0))

    def zoom_to(self, scale: float) -> None:
        """Zoom to `scale`; 1.0 shows one image pixel per screen pixel."""
        self._fits = False
        self._show(scale)

    def _show(self, scale: float) -> None:
        size = self.picture.image_size
        most = min(MOST, LONGEST_SIDE / max(size.width(), size.height()))
        self.scale = max(min(scale, most), min(LEAST, most))
        self.picture.resize((size * self.scale).expandedTo(QSize(1, 1)))
        self._percent.setText(percent(100 * self.scale))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
            return
        if event.matches(QKeySequence.StandardKey.Save):
            self.save_requested.emit()
            return
        match event.key():
            case _Key.Key_Plus | _Key.Key_Equal:
                self.zoom_to(self.scale * STEP)
            case _Key.Key_Minus:
                self.zoom_to(self.scale / STEP)
            case _Key.Key_0:
                self.fit()
            case _Key.Key_1:
                self.zoom_to(1.0)
            case _:
                super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_to(self.scale * (STEP if event.angleDelta().y() > 0 else 1 / STEP))
            event.accept()
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fits:
            self.fit()


class Picture(QWidget):
    """A widget that paints the image scaled to the widget's size."""

    def __init__(self, image: QImage) -> None:
        super().__init__()
        self._pixmap = QPixmap.fromImage(image)
        self.image_size = image.size()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        shrinks = self.width() < self.image_size.width()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, shrinks)
        painter.drawPixmap(self.rect(), self._pixmap)
        painter.end()

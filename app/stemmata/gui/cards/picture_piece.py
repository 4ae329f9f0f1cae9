"""An image, decoded when it is first painted and at its displayed size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter, QPen, QPixmap

from stemmata.domain.entries.blocks import Image
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics

SMALL = 100_000  # pixels that can be decoded within a frame
FORMATS = (b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp")  # no format that can refer to other files


class PicturePiece(SinglePiece):
    """Shows an image, or a framed note when its bytes are missing or unreadable."""

    def __init__(self, style: CardStyle, image: Image, gap: int = 4) -> None:
        super().__init__(style, gap)
        self._image = image

    def measure(self, width: int) -> int:
        size = self._shown_size(width)
        return size.height() if size.isValid() else self.style.px(metrics.TOOL_ROW)

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        size = self._shown_size(self.rect.width())
        pixmap = self._pixmap(size, self.style.ratio) if size.isValid() else QPixmap()
        if self._is_coming:
            painter.fillRect(QRect(QPoint(), size), self.style.color("raised"))
            return
        if not pixmap.isNull():
            painter.drawPixmap(QRect(0, 0, size.width(), size.height()), pixmap)
            return
        self._paint_note(painter)

    def _paint_note(self, painter: QPainter) -> None:
        style, height, side = self.style, self.rect.height(), self.style.px(metrics.ICON)
        indent = style.space(5) + side + style.space(3)
        text = style.font_metrics("small").elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, self.rect.width() - indent - style.space(5)
        )
        width = indent + style.font_metrics("small").horizontalAdvance(text) + style.space(5)
        painter.setPen(QPen(style.color("line"), metrics.BORDER, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = style.px(metrics.RADIUS_CONTROL)
        painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, height - 1), radius, radius)
        painter.drawPixmap(style.space(5), (height - side) // 2, style.icon("image", "faint"))
        painter.setPen(style.color("faint"))
        painter.setFont(style.font("small"))
        painter.drawText(QRect(indent, 0, width - indent, height), int(_CENTRE), text)

    @property
    def actions(self) -> Sequence[Action]:
        return (Action(Request.IMAGE, self._image.blob),)

    def action_at(self, point: QPoint) -> Action | None:
        size = self._shown_size(self.rect.width())
        return Action(Request.IMAGE, self._image.blob) if QRect(QPoint(), size).contains(point) else None

    def tip_at(self, point: QPoint) -> str:
        return tr("View image") if self.action_at(point) is not None else ""

    def text(self) -> str:
        name = self._image.name or self._image.media_type
        return tr("Image: {name}").format(name=name)

    @cached_property
    def _full_size(self) -> QSize:
        digest, known = self._image.blob, self.style.picture_sizes
        if digest not in known:  # a card is built again whenever it comes back into view
            size = _size_of(self.style.head(digest))
            known[digest] = size if size.isValid() else _size_of(self.style.blob(digest))
        return known[digest]

    def _shown_size(self, width: int) -> QSize:
        size = self._full_size
        if not size.isValid() or size.isEmpty():
            return QSize()
        widest, highest = (self.style.px(side) for side in metrics.PICTURE)
        widest = min(width, widest)
        if size.width() > widest or size.height() > highest:
            size = size.scaled(widest, highest, Qt.AspectRatioMode.KeepAspectRatio)
        return size

    def _pixmap(self, size: QSize, ratio: float) -> QPixmap:
        if self._decoded is None and not self._is_coming:
            full, load = self._full_size, self.style.load_picture
            if load is None or full.width() * full.height() <= SMALL:
                self._decoded = QPixmap.fromImage(scaled(self.style.blob(self._image.blob), size * ratio))
            else:
                self._is_coming = True
                load(self._image.blob, size * ratio, self._take)
        return self._decoded or QPixmap()

    def _take(self, image: QImage) -> None:
        self._is_coming, self._decoded = False, QPixmap.fromImage(image)

    _decoded: QPixmap | None = None
    _is_coming = False


class LatePicture(LongText):
    """A picture among many, whose size is read when it comes into view."""

    is_said = False

    def __init__(self, style: CardStyle, image: Image) -> None:
        picture = PicturePiece(style, image)
        super().__init__(style, picture.text(), lambda _text: [picture], 4)

    def _estimate(self, width: int) -> int:
        widest, highest = (self.style.px(side) for side in metrics.PICTURE)
        return highest * min(width, widest) // widest


def scaled(content: bytes | None, size: QSize) -> QImage:
    """Return the image scaled to `size` in pixels; a null image for unreadable bytes. From any thread."""
    with _reader(QByteArray(content or b"")) as reader:
        reader.setScaledSize(size)
        return reader.read() if _is_readable(reader) else QImage()


def _size_of(content: bytes | None) -> QSize:
    with _reader(QByteArray(content or b"")) as reader:
        return reader.size() if _is_readable(reader) else QSize()


def decoded(content: QByteArray) -> QImage:
    """Return the image in its own size; a null image for unreadable bytes or a too large image."""
    with _reader(content) as reader:
        return reader.read() if _is_readable(reader) else QImage()


@contextmanager
def _reader(content: QByteArray) -> Iterator[QImageReader]:
    """Open an image reader over bytes."""
    buffer = QBuffer()
    buffer.setData(content)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    yield reader
    del reader  # must be deleted before its buffer
    buffer.close()


def _is_readable(reader: QImageReader) -> bool:
    return bytes(reader.format().data()) in FORMATS


_CENTRE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft

"""An image, decoded when it is first painted and at its displayed size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter, QPen, QPixmap

from stemmata.domain.entries.blocks import Image
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import Piece, SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.figures import size_text

SMALL = 100_000  # pixels that can be decoded within a frame
FORMATS = (b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp")  # only formats that cannot refer to other files


def name_of(image: Image) -> str:
    """Return the text that replaces an image, such as for screen readers."""
    return tr("Image: {name}").format(name=image.name or image.media_type)


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
    def full_size(self) -> QSize:
        """The size of the image, in pixels; invalid when it is missing or unreadable."""
        return self._full_size

    @property
    def actions(self) -> Sequence[Action]:
        view = Action(Request.IMAGE, self._image.blob)
        return (view,) if self.style.offers(view) else ()

    def action_at(self, point: QPoint) -> Action | None:
        size = self._shown_size(self.rect.width())
        return next(iter(self.actions), None) if QRect(QPoint(), size).contains(point) else None

    def tip_at(self, point: QPoint) -> str:
        return tr("View image") if self.action_at(point) is not None else ""

    def text(self) -> str:
        return name_of(self._image)

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


class PictureBlock(Piece):
    """A picture, and a line below it: its size, and the links *Copy* and *Save*."""

    def __init__(self, style: CardStyle, image: Image, gap: int = 4) -> None:
        super().__init__(style, gap)
        picture = PicturePiece(style, image, gap)
        self.children = [picture, *_caption(style, image, picture.full_size)]


def _caption(style: CardStyle, image: Image, size: QSize) -> list[Piece]:
    """Return the line below a picture; none for an image that cannot be shown."""
    if not size.isValid():
        return []
    kind = image.media_type.rpartition("/")[2].upper()
    facts = [f"{size.width()} × {size.height()}", kind, size_text(image.size) if image.size else "", image.name]
    words = [
        Word(" · ".join(filter(None, facts)), "faint"),
        Word(tr("Copy"), "accent", action=Action(Request.COPY_IMAGE, image.blob)),
        Word(tr("Save…"), "accent", action=Action(Request.SAVE_IMAGE, image.blob)),
    ]
    return [LinePiece(style, words, gap=1)]


class LatePicture(LongText):
    """A picture among many, whose size is read when it comes into view."""

    is_said = False

    def __init__(self, style: CardStyle, image: Image) -> None:
        super().__init__(style, name_of(image), lambda _text: [PictureBlock(style, image)], 4)

    def _estimate(self, width: int) -> int:
        widest, highest = (self.style.px(side) for side in metrics.PICTURE)
        return highest * min(width, widest) // widest + self.style.px(metrics.SMALL_LINE)


def scaled(content: bytes | None, size: QSize) -> QImage:
    """Return the image scaled to `size` in pixels; a null image for unreadable bytes. From any thread."""
    with _reader(QByteArray(content or b"")) as reader:
        reader.setScaledSize(size)
        return reader.read() if _is_readable(reader) else QImage()


def _size_of(content: bytes | None) -> QSize:
    with _reader(QByteArray(content or b"")) as reader:
        return reader.size() if _is_readable(reader) else QSize()


def format_of(content: QByteArray) -> str:
    """Return the format of an image by its first bytes, such as "png"; "" when it is not one that can be shown."""
    with _reader(content) as reader:
        return bytes(reader.format().data()).decode() if _is_readable(reader) else ""


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

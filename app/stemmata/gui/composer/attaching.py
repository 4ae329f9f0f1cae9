"""Convert files, pictures and pasted text to attachments. Pictures are scaled down if necessary.

These functions take long; do not call them on the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QIODevice, Qt
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from stemmata.domain.entries.blocks import Block, Image, Text, name_of
from stemmata.domain.errors import KnownError
from stemmata.services.chat import attachments
from stemmata.services.chat.attachments import Attachment

# Anthropic accepts 5 MB per image as base64, and edges of 2,000 pixels in requests with many images.
MOST_BYTES = 5 * 1024 * 1024 * 3 // 4
MOST_EDGE = 2000
THUMBNAIL = 64  # height in pixels
QUALITY = 85
TAKEN = {
    b"png": "image/png",
    b"jpeg": "image/jpeg",
    b"gif": "image/gif",
    b"webp": "image/webp",
}  # by Qt's names


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text about pictures."""
    return QCoreApplication.translate("Pictures", text, comment, count)


@dataclass(frozen=True, slots=True)
class FittedPicture:
    """A picture that may be sent. `before` is its original size in pixels; None if it was not scaled."""

    data: bytes
    media_type: str
    size: tuple[int, int]
    thumbnail: QImage
    before: tuple[int, int] | None = None


def fitted(source: bytes | QImage) -> FittedPicture:
    """Return the picture unchanged if models accept it, else scaled down and re-encoded.

    Raises KnownError if unreadable.
    """
    if isinstance(source, QImage):
        return _written(source, "png", scaled=_is_large(source))
    format, image = _read(source)
    media_type = TAKEN.get(format)
    if media_type is not None and len(source) <= MOST_BYTES and not _is_large(image):
        return FittedPicture(source, media_type, _size(image), _thumbnail(image))
    return _written(image, format.decode(), scaled=_is_large(image))


def _read(data: bytes) -> tuple[bytes, QImage]:
    """Decode a picture. Qt refuses pictures that would take more than 256 MB. Raises KnownError."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    format, image = bytes(reader.format().data()), reader.read()
    if image.isNull():
        raise KnownError(tr("Could not read the picture: {0}. It was not attached.").format(reader.errorString()))
    return format, image


def _written(image: QImage, format: str, *, scaled: bool) -> FittedPicture:
    """Encode as PNG if the source was lossless and the result is small enough.

    Otherwise encode as JPEG, scaled down until it fits.
    """
    before, edge = _size(image), MOST_EDGE
    shown = _scaled(image, edge) if scaled else image
    data, media_type = b"", "image/png"
    if format in ("png", "gif", "webp"):
        data = _bytes(shown, "PNG")
    while not data or len(data) > MOST_BYTES:
        data, media_type = _bytes(_opaque(shown), "JPEG"), "image/jpeg"
        if not data:
            raise KnownError(tr("Could not convert the picture to PNG or JPEG. It was not attached."))
        if len(data) > MOST_BYTES:
            edge = edge * 3 // 4
            shown = _scaled(image, edge)
    smaller = _size(shown) != before
    return FittedPicture(data, media_type, _size(shown), _thumbnail(shown), before if smaller else None)


def _is_large(image: QImage) -> bool:
    return max(image.width(), image.height()) > MOST_EDGE


def _scaled(image: QImage, edge: int) -> QImage:
    ratio, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    return image.scaled(min(edge, image.width()), min(edge, image.height()), ratio, smooth)


def _opaque(image: QImage) -> QImage:
    return image.convertToFormat(QImage.Format.Format_RGB32) if image.hasAlphaChannel() else image


def _thumbnail(image: QImage) -> QImage:
    if image.height() <= THUMBNAIL:
        return image
    return image.scaledToHeight(THUMBNAIL, Qt.TransformationMode.SmoothTransformation)


def _size(image: QImage) -> tuple[int, int]:
    return image.width(), image.height()


def _bytes(image: QImage, format: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, format.encode())
    if format == "JPEG":
        writer.setQuality(QUALITY)
    writer.write(image)
    return bytes(buffer.data().data())


def _is_cut(data: bytes) -> bool:
    """Return whether the end of a JPEG or BMP is missing, which Qt reads without an error."""
    if data.startswith(b"BM"):
        start, width, height = (int.from_bytes(data[at : at + 4], "little", signed=True) for at in (10, 18, 22))
        is_plain = data[30:34] in (b"\0\0\0\0", b"\3\0\0\0") and data[14] >= 40  # not compressed
        row = (width * int.from_bytes(data[28:30], "little") + 31) // 32 * 4
        return is_plain and len(data) < start + row * abs(height)
    at = 2
    while data.startswith(b"\xff\xd8") and data[at : at + 1] == b"\xff" and data[at + 1 : at + 2] != b"\xda":
        at += 2 + int.from_bytes(data[at + 2 : at + 4])  # a part before the pixels, which may hold a small picture
    return data.startswith(b"\xff\xd8") and data.find(b"\xff\xd9", at) < 0


PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg", ".heic", ".avif"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerAttachment(Attachment):
    """An attachment with a thumbnail. `before` is the original size of a picture that was scaled, in pixels."""

    thumbnail: QImage | None = None
    before: tuple[int, int] | None = None


def of_file(path: Path) -> ComposerAttachment:
    """Return the attachment for a file.

    Raises KnownError if it is unreadable, too large, or of an unsupported type.
    """
    data = attachments.read(path)
    if path.suffix.lower() in PICTURES and not data.startswith(b"%PDF-"):
        if _is_cut(data):
            raise KnownError(tr("The picture is damaged: its end is missing. It was not attached."))
        return _picture(fitted(data), path.name)
    plain = attachments.of_bytes(path.name, data)
    return ComposerAttachment(name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files)


def of_text(text: str, name: str) -> ComposerAttachment:
    """Return the attachment for a text. Raises KnownError if it is too large."""
    plain = attachments.of_bytes(name, text.encode("utf-8", "replace"))
    return ComposerAttachment(name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files)


def of_picture(image: QImage, name: str) -> ComposerAttachment:
    """Return the attachment for a picture. Raises KnownError if it cannot be encoded."""
    return _picture(fitted(image), name)


def of_block(block: Block, data: bytes | None) -> ComposerAttachment:
    """Return the attachment for a block of an earlier message. Raises KnownError when its bytes are gone.

    `data` holds the bytes that the block refers to, or None.
    """
    name = name_of(block) or QCoreApplication.translate("Attachments", "Attachment")
    if isinstance(block, Text):
        return ComposerAttachment(name=name, size=len(block.text.encode()), blocks=(block,))
    if not isinstance(block, Image) or data is None:
        told = QCoreApplication.translate("Attachments", "“{0}” is no longer in the archive.")
        raise KnownError(told.format(name))
    thumbnail = fitted(data).thumbnail if block.media_type.startswith("image/") else None
    return ComposerAttachment(
        name=name, size=len(data), blocks=(block,), files={block.blob: data}, thumbnail=thumbnail
    )


def _picture(fit: FittedPicture, name: str) -> ComposerAttachment:
    plain = attachments.of_media(attachments.shown(name), fit.media_type, fit.data)
    return ComposerAttachment(
        name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files, thumbnail=fit.thumbnail,
        before=fit.before,
    )  # fmt: skip

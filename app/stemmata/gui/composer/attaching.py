"""Pictures as blocks of a message, made small enough; all else as the services read it. Not for the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QIODevice, Qt
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from stemmata.domain.entries.blocks import Block, Image, Text, name_of
from stemmata.domain.errors import KnownError
from stemmata.services.chat import attachments
from stemmata.services.chat.attachments import Attachment

# Anthropic takes 5 MB an image as base64, and 2,000 pixels an edge in requests of many images; others take more.
MOST_BYTES = 5 * 1024 * 1024 * 3 // 4
MOST_EDGE = 2000
THUMBNAIL = 64  # pixels of height
QUALITY = 85
TAKEN = {b"png": "image/png", b"jpeg": "image/jpeg", b"gif": "image/gif", b"webp": "image/webp"}  # by Qt's names


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Pictures", text, comment, count)


@dataclass(frozen=True, slots=True)
class FittedPicture:
    """`before` are the pixels it had when it was made smaller, None when it was not touched."""

    data: bytes
    media_type: str
    size: tuple[int, int]
    thumbnail: QImage
    before: tuple[int, int] | None = None


def fitted(source: bytes | QImage) -> FittedPicture:
    """As it is where it may be sent so, else scaled and written anew. Raises KnownError for what is no picture."""
    if isinstance(source, QImage):
        return _written(source, "png", scaled=_is_large(source))
    format, image = _read(source)
    media_type = TAKEN.get(format)
    if media_type is not None and len(source) <= MOST_BYTES and not _is_large(image):
        return FittedPicture(source, media_type, _size(image), _thumbnail(image))
    return _written(image, format.decode(), scaled=_is_large(image))


def _read(data: bytes) -> tuple[bytes, QImage]:
    """Qt itself refuses pictures that would take more than 256 MB."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    format, image = bytes(reader.format().data()), reader.read()
    if image.isNull():
        raise KnownError(tr("This picture cannot be read: {0}.").format(reader.errorString()))
    return format, image


def _written(image: QImage, format: str, *, scaled: bool) -> FittedPicture:
    """As PNG where it was one and that is small enough, else as JPEG, smaller until it fits."""
    before, edge = _size(image), MOST_EDGE
    shown = _scaled(image, edge) if scaled else image
    data, media_type = b"", "image/png"
    if format in ("png", "gif", "webp"):
        data = _bytes(shown, "PNG")
    while not data or len(data) > MOST_BYTES:
        data, media_type = _bytes(_opaque(shown), "JPEG"), "image/jpeg"
        if not data:
            raise KnownError(tr("This picture cannot be written in a format that is sent."))
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


PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg", ".heic", ".avif"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerAttachment(Attachment):
    """`before` are the pixels of a picture that was made smaller."""

    thumbnail: QImage | None = None
    before: tuple[int, int] | None = None


def of_file(path: Path) -> ComposerAttachment:
    """Raises KnownError for what cannot be read, is too large, or is of no kind that a model takes."""
    data = attachments.read(path)
    if path.suffix.lower() in PICTURES and not data.startswith(b"%PDF-"):
        return _picture(fitted(data), path.name)
    plain = attachments.of_bytes(path.name, data)
    return ComposerAttachment(name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files)


def of_text(text: str, name: str) -> ComposerAttachment:
    """Raises KnownError for what is too large."""
    plain = attachments.of_bytes(name, text.encode("utf-8", "replace"))
    return ComposerAttachment(name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files)


def of_picture(image: QImage, name: str) -> ComposerAttachment:
    return _picture(fitted(image), name)


def of_block(block: Block, data: bytes | None) -> ComposerAttachment:
    """What went with a message once. `data` are the bytes that it names, None where they are gone."""
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

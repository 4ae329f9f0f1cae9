"""Pictures as blocks of a message, made small enough; all else as the services read it. Not for the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from stemmata.domain.entries.attachments import name_of
from stemmata.domain.entries.blocks import Block, Image, Text
from stemmata.domain.errors import KnownError
from stemmata.gui.composer.pictures import FittedPicture, fitted
from stemmata.services.chat import attachments
from stemmata.services.chat.attachments import Attachment as Plain

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg", ".heic", ".avif"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment(Plain):
    """`before` are the pixels of a picture that was made smaller."""

    thumbnail: QImage | None = None
    before: tuple[int, int] | None = None


def of_file(path: Path) -> Attachment:
    """Raises KnownError for what cannot be read, is too large, or is of no kind that a model takes."""
    data = attachments.read(path)
    if path.suffix.lower() in PICTURES and not data.startswith(b"%PDF-"):
        return _picture(fitted(data), path.name)
    plain = attachments.of_bytes(path.name, data)
    return Attachment(name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files)


def of_text(text: str, name: str) -> Attachment:
    """Raises KnownError for what is too large."""
    plain = attachments.of_bytes(name, text.encode("utf-8", "replace"))
    return Attachment(name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files)


def of_picture(image: QImage, name: str) -> Attachment:
    return _picture(fitted(image), name)


def of_block(block: Block, data: bytes | None) -> Attachment:
    """What went with a message once. `data` are the bytes that it names, None where they are gone."""
    name = name_of(block) or QCoreApplication.translate("Attachments", "Attachment")
    if isinstance(block, Text):
        return Attachment(name=name, size=len(block.text.encode()), blocks=(block,))
    if not isinstance(block, Image) or data is None:
        told = QCoreApplication.translate("Attachments", "“{0}” is not in the archive any more.")
        raise KnownError(told.format(name))
    thumbnail = fitted(data).thumbnail if block.media_type.startswith("image/") else None
    return Attachment(name=name, size=len(data), blocks=(block,), files={block.blob: data}, thumbnail=thumbnail)


def _picture(fit: FittedPicture, name: str) -> Attachment:
    plain = attachments.of_media(attachments.shown(name), fit.media_type, fit.data)
    return Attachment(
        name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files, thumbnail=fit.thumbnail,
        before=fit.before,
    )  # fmt: skip

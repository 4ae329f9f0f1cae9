"""Pictures as blocks of a message, made small enough; all else as the services read it. Not for the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QImage

from stemmata.gui.pictures import FittedPicture, fitted
from stemmata.services import attachments
from stemmata.services.attachments import Attachment as Plain

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


def of_picture(image: QImage, name: str) -> Attachment:
    return _picture(fitted(image), name)


def _picture(fit: FittedPicture, name: str) -> Attachment:
    plain = attachments.of_media(attachments.shown(name), fit.media_type, fit.data)
    return Attachment(
        name=plain.name, size=plain.size, blocks=plain.blocks, files=plain.files, thumbnail=fit.thumbnail,
        before=fit.before,
    )  # fmt: skip

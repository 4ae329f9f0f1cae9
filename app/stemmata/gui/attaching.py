"""Files and pictures as blocks of a message. Reads files: not for the GUI thread."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from stemmata.domain.blocks import Block, Image, Text
from stemmata.domain.errors import KnownError
from stemmata.gui.pictures import FittedPicture, fitted

MOST_BYTES = 20_000_000  # of a file: Anthropic takes 32 MB a request, as base64
MOST_TEXT = 400_000  # bytes of a text file: about 100,000 tokens
PDF = "application/pdf"
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg", ".heic", ".avif"})


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Attachments", text, comment, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """`files` are the bytes that its blocks name; `before` the pixels of a picture that was made smaller."""

    name: str
    size: int
    blocks: tuple[Block, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    thumbnail: QImage | None = None
    before: tuple[int, int] | None = None


def of_file(path: Path) -> Attachment:
    """Raises KnownError for what cannot be read, is too large, or is of no kind that a model takes."""
    data = _read(path)
    if data.startswith(b"%PDF-"):
        digest = hashlib.sha256(data).hexdigest()
        block = Image(PDF, digest, len(data), path.name)
        return Attachment(name=path.name, size=len(data), blocks=(block,), files={digest: data})
    if path.suffix.lower() in PICTURES:
        return _picture(fitted(data), path.name)
    return _text(path.name, data)


def of_picture(image: QImage, name: str) -> Attachment:
    return _picture(fitted(image), name)


def _picture(fit: FittedPicture, name: str) -> Attachment:
    digest = hashlib.sha256(fit.data).hexdigest()
    block = Image(fit.media_type, digest, len(fit.data), name)
    return Attachment(
        name=name, size=len(fit.data), blocks=(block,), files={digest: fit.data}, thumbnail=fit.thumbnail,
        before=fit.before,
    )  # fmt: skip


def _text(name: str, data: bytes) -> Attachment:
    """The text with a line that names it, as one block."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise KnownError(tr("“{0}” is neither a picture, nor a PDF, nor text: no model takes it.").format(name))
    if len(data) > MOST_TEXT:
        told = tr("“{0}” is too long to be sent as text: {1} of {2} kB.")
        raise KnownError(told.format(name, len(data) // 1000, MOST_TEXT // 1000))
    return Attachment(name=name, size=len(data), blocks=(Text(f"{name}:\n\n{text}"),))


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise KnownError(tr("“{0}” is no file.").format(path.name))
        if path.stat().st_size > MOST_BYTES:
            told = tr("“{0}” is too large: at most {1} MB can be sent.")
            raise KnownError(told.format(path.name, MOST_BYTES // 1_000_000))
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        told = tr("“{0}” cannot be read: {1}.").format(path.name, error.strerror or error)
        raise KnownError(told) from error

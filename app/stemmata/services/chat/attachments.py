"""Attachments of a message: images, PDFs and text files, with their limits.

The functions read files, so do not call them on the GUI thread.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stemmata.domain.chat.run import OutgoingMessage
from stemmata.domain.entries.blocks import Block, Image, Text
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.domain.requests.request import LARGEST_IMAGE, LARGEST_PDF, PDF, detected_media_type
from stemmata.domain.text.phrases import Phrase, template
from stemmata.services.regular_file import read_regular

MOST = 20  # attachments per message
MOST_BYTES = LARGEST_PDF  # largest file that is read
MOST_TEXT = 400_000  # bytes of a text file; about 100,000 tokens
LONGEST_NAME = 120  # characters
_MEGA = 1024 * 1024
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """An attachment. `files` are the bytes that its blocks refer to, by SHA-256 in hex."""

    name: str
    size: int
    blocks: tuple[Block, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


def of_file(path: Path) -> Attachment:
    """Read a file as an attachment. Raises KnownError when it is unreadable, too large, or of an unsupported type."""
    return of_bytes(path.name, read(path))


def of_bytes(name: str, data: bytes) -> Attachment:
    """Make an attachment from bytes, whose type is detected from the content. Raises KnownError."""
    name = shown(name)
    media_type = detected_media_type(data)
    if media_type is not None:
        return of_media(name, media_type, data)
    text = f"{name}:\n\n{_text(name, data)}"
    return Attachment(name=name, size=len(data), blocks=(Text(text),))


def of_media(name: str, media_type: str, data: bytes) -> Attachment:
    """Make an attachment from an image or a PDF. Raises KnownError when it is too large."""
    is_pdf = media_type == PDF
    most = LARGEST_PDF if is_pdf else LARGEST_IMAGE
    if len(data) > most:
        told = template("“{0}” is too large: it has {1} MB, and a picture may have at most {2} MB.")
        if is_pdf:
            told = template("“{0}” is too large: it has {1} MB, and a PDF may have at most {2} MB.")
        raise KnownError(Phrase(told, name, f"{len(data) / _MEGA:.1f}", most // _MEGA))
    digest = hashlib.sha256(data).hexdigest()
    block = Image(media_type, digest, len(data), name)
    return Attachment(name=name, size=len(data), blocks=(block,), files={digest: data})


def read(path: Path) -> bytes:
    """Read a regular file up to the size limit. Raises KnownError."""
    name = shown(path.name)
    try:
        data = read_regular(path, MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise KnownError(
            Phrase("“{0}” cannot be read: {1}.", name, getattr(error, "strerror", None) or error)
        ) from error
    if data is None:
        raise KnownError(Phrase("“{0}” is not a regular file.", name))
    if len(data) > MOST_BYTES:
        raise KnownError(Phrase("“{0}” is too large: at most {1} MB can be sent.", name, MOST_BYTES // _MEGA))
    return data


def message(text: str, attachments: Sequence[Attachment]) -> OutgoingMessage:
    """Return the message: attachments first, then the text. Raises KnownError for too many attachments."""
    if len(attachments) > MOST:
        raise KnownError(Phrase("A message can have at most {0} attachments.", MOST))
    blocks = tuple(block for attachment in attachments for block in attachment.blocks)
    files = {digest: data for attachment in attachments for digest, data in attachment.files.items()}
    return OutgoingMessage(blocks=(*blocks, *((Text(text),) if text else ())), files=files)


def refused(attachments: Iterable[Attachment], traits: ModelTraits) -> str:
    """Return the reason why the model does not accept one of the attachments; "" when it accepts all."""
    for attachment in attachments:
        why = refusal(attachment.blocks, traits)
        if why:
            return Phrase("{0}, so “{1}” cannot be sent.", why, attachment.name)
    return ""


def refusal(blocks: Iterable[Block], traits: ModelTraits) -> str:
    """Return a phrase that names the attachments which the model does not accept; "" when it accepts all."""
    media = {block.media_type == PDF for block in blocks if isinstance(block, Image)}
    if True in media and not traits.takes_pdfs:
        return Phrase("{0} does not accept PDFs", traits.id)
    return Phrase("{0} does not accept images", traits.id) if False in media and not traits.takes_images else ""


def shown(name: str) -> str:
    """Return a file's name as one short line."""
    clean = "".join(character if character.isprintable() else "�" for character in name)
    return clean if len(clean) <= LONGEST_NAME else f"{clean[: LONGEST_NAME - 1]}…"


def _text(name: str, data: bytes) -> str:
    encoding = "utf-16" if data.startswith(_WIDE) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise KnownError(Phrase("“{0}” is not an image, a PDF or text. Models do not accept other files.", name))
    if len(data) > MOST_TEXT:
        sizes = len(data) // 1000, MOST_TEXT // 1000
        raise KnownError(
            Phrase(
                "“{0}” is too long to be sent as text: it has {1} kB, and at most {2} kB can be sent.", name, *sizes
            )
        )
    return text

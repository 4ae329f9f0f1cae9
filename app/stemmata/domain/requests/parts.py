"""Texts and files as they go into a request, whatever the API's form of them."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.requests.request import PDF, Encoding, clean_text, file_name


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that is sent whole. `data` is base64; `name` is for those that have one."""

    media_type: str
    data: str
    name: str

    @property
    def is_pdf(self) -> bool:
        return self.media_type == PDF

    @property
    def url(self) -> str:
        return f"data:{self.media_type};base64,{self.data}"


def shown(block: Text | Image, encoding: Encoding) -> str | Attached:
    """The file, or a text: the block's own, or what stands in for a file that cannot be sent."""
    if isinstance(block, Text):
        return clean_text(block.text)
    image = encoding.image(block)
    return clean_text(image) if isinstance(image, str) else Attached(*image, file_name(block))

"""Heads and ends of pictures of any size, without what they show."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", width, height) + b"IEND"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + pack("<HH", width, height)


def jpeg(width: int, height: int, before: bytes = b"") -> bytes:
    """`before` are segments between the beginning and the frame."""
    return (
        b"\xff\xd8"
        + before
        + b"\xff\xc4\x00\x02"
        + b"\xff\xc2\x00\x11\x08"
        + pack(">HH", height, width)
        + b"\xff\xd9"
    )


def webp(kind: bytes) -> Callable[[int, int], bytes]:
    """Return the maker of pictures of one of WebP's three kinds."""

    def made(width: int, height: int) -> bytes:
        match kind:
            case b"VP8 ":
                body = bytes(6) + pack("<HH", width | 0x4000, height)
            case b"VP8L":
                body = b"\x2f" + pack("<I", (width - 1) | (height - 1) << 14) + bytes(5)
            case _:
                body = bytes(4) + pack("<I", width - 1)[:3] + pack("<I", height - 1)[:3]
        rest = b"WEBP" + kind + bytes(4) + body
        return b"RIFF" + pack("<I", len(rest)) + rest

    return made

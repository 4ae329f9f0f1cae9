"""Detects damaged pictures, and leaves out pictures that Anthropic's API would refuse because of their size or
number.

The limits are those of Anthropic's documentation of images.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LONGEST_SIDE = 8_000  # pixels
FEW = 20  # pictures; in a request with more of them, none may have a side longer than `LONGEST_OF_MANY`
LONGEST_OF_MANY = 2_000  # pixels
MOST = 100  # pictures of a request
MOST_IN_LARGE, USUAL_WINDOW = 600, 200_000  # pictures for a model with a larger window than so many tokens
STEP = 10  # pictures left out at once, so that the next requests begin alike and the prompt cache holds them
_HEAD = 65_536  # characters of base64 that nearly always tell the sides
_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})  # segments of JPEG that do not tell the sides, among those that do


def leave_out_pictures(messages: Sequence[Mapping[str, Any]], window: int | None) -> None:
    """Replace the pictures that would be refused by notes, in place. The oldest make room for later ones.

    Of many pictures, the large ones are left out instead when these are fewer.

    `messages` are those of a request's body. `window` is that of the model in tokens, None when unknown.
    """
    kept: list[dict[str, Any]] = []
    large: list[tuple[dict[str, Any], str]] = []  # with their sizes
    for picture in _pictures(messages):
        width, height = _sides_of(picture["source"]["data"]) or (0, 0)
        size = f"{width} × {height}"
        if max(width, height) > LONGEST_SIDE:
            _replace(picture, f"image of {size} pixels left out: at most {LONGEST_SIDE} can be sent")
            continue
        kept.append(picture)
        if max(width, height) > LONGEST_OF_MANY:
            large.append((picture, size))
    if large and len(large) < _left_out(len(kept), FEW):
        for picture, size in large:
            words = f"at most {LONGEST_OF_MANY} can be sent with more than {FEW} images"
            _replace(picture, f"image of {size} pixels left out: {words}")
        kept, large = [picture for picture in kept if picture["type"] == "image"], []
    usual = MOST_IN_LARGE if window is not None and window > USUAL_WINDOW else MOST
    for picture in kept[: _left_out(len(kept), FEW if large else usual)]:
        _replace(picture, "image left out to make room for later ones")


def _left_out(count: int, most: int) -> int:
    """Return how many of `count` pictures are left out so that at most `most` remain: a multiple of STEP."""
    return -(-max(count - most, 0) // STEP) * STEP


def sides(data: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG, GIF, WebP or JPEG picture in pixels; None when the bytes do not tell."""
    if data.startswith(b"\x89PNG") and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if data.startswith(b"GIF8") and len(data) >= 10:
        return _little_endian(data, 6, 2), _little_endian(data, 8, 2)
    if data.startswith(b"RIFF") and len(data) >= 30:
        return _sides_of_webp(data)
    return _sides_of_jpeg(data) if data.startswith(b"\xff\xd8") else None


def is_damaged(data: bytes) -> bool:
    """Whether a picture of these bytes surely cannot be decoded: its head tells no sides, or its end is missing.

    A GIF may lack its end. Only the head and the end are looked at.
    """
    if 0 in (sides(data) or (0, 0)):
        return True
    if data.startswith(b"\x89PNG"):
        return b"IEND" not in data
    if data.startswith(b"RIFF"):
        return len(data) < 8 + _little_endian(data, 4, 4)
    return data.startswith(b"\xff\xd8") and b"\xff\xd9" not in data


def _pictures(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        for block in message["content"]:
            parts = block["content"] if block["type"] == "tool_result" else (block,)
            yield from (part for part in parts if part["type"] == "image")


def _sides_of(encoded: str) -> tuple[int, int] | None:
    """Return the sides of a picture in base64. A JPEG whose sides come late in the data is decoded whole."""
    return sides(base64.b64decode(encoded[:_HEAD])) or sides(base64.b64decode(encoded))


def _sides_of_webp(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8 ":  # 14 bits each, then two bits of a scale
            return _little_endian(data, 26, 2) & 0x3FFF, _little_endian(data, 28, 2) & 0x3FFF
        case b"VP8L":  # 14 bits each, less one
            bits = _little_endian(data, 21, 4)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":  # 24 bits each, less one
            return _little_endian(data, 24, 3) + 1, _little_endian(data, 27, 3) + 1
    return None


def _sides_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """Go from segment to segment to the one of the frame. A segment is 0xFF, its kind and its length."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind == 0xFF:  # a byte that fills
            at += 1
        elif 0xC0 <= kind <= 0xCF and kind not in _NO_FRAME:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return None


def _little_endian(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _replace(picture: dict[str, Any], words: str) -> None:
    picture.clear()
    picture.update(type="text", text=f"[{words}]")

"""Pictures that Anthropic's API would refuse are left out of a request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Block, Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.requests.apis import API_NAMES, payload_of
from stemmata.domain.requests.pictures import FEW, LONGEST_OF_MANY, LONGEST_SIDE, MOST, STEP, is_damaged, sides
from stemmata.domain.requests.request import Payload, RequestOptions
from tests.fakes.pictures import gif, jpeg, png, webp
from tests.fakes.request_rules import violations

LEFT_OUT = {"type": "text", "text": "[image left out to make room for later ones]"}


def built(*pictures: bytes, api: str = "anthropic", window: int | None = None) -> Payload:
    """The request of a message with these pictures."""
    files = {str(at): data for at, data in enumerate(pictures)}
    blocks: tuple[Block, ...] = tuple(Image("image/png", blob, len(data)) for blob, data in files.items())
    asked = Entry(id="u", role=Role.USER, blocks=(*blocks, Text("See."))), Form.WHOLE
    facts = None if window is None else OfferedModel(id="m", window=window)
    options = RequestOptions(model="claude-opus-4-5", provider="p", facts=facts)
    payload = payload_of(api, [asked], options, files.get)
    if window is None:
        assert violations(payload, api) == []
    return payload


def shown(payload: Payload) -> list[dict[str, Any]]:
    """The parts of the message except its text."""
    parts: list[dict[str, Any]] = payload["messages"][0]["content"]
    return parts[:-1]


def notes(payload: Payload) -> list[dict[str, Any]]:
    """The notes that replace pictures."""
    return [part for part in shown(payload) if part["type"] == "text"]


@pytest.mark.parametrize("made", [png, gif, jpeg, *(webp(kind) for kind in (b"VP8 ", b"VP8L", b"VP8X"))])
def test_the_sides_are_read_from_the_bytes(made: Any) -> None:
    assert sides(made(640, 480)) == (640, 480)
    assert sides(made(8001, 3)) == (8001, 3)
    assert sides(made(640, 480)[:9]) is None


@pytest.mark.parametrize(
    "data", [b"", b"RIFF" + bytes(40), b"%PDF-", b"\xff\xd8\xff\xe0\x00\x05ab", b"\xff\xd8" * 20]
)
def test_other_bytes_tell_no_sides(data: bytes) -> None:
    assert sides(data) is None


def test_a_jpeg_may_have_much_before_its_sides() -> None:
    assert sides(jpeg(3, 5, before=b"\xff\xff\xe1\x00\x08thumbs" * 9)) == (3, 5)
    long = b"\xff\xe2\xff\xff" + bytes(65_533)
    [note] = shown(built(jpeg(9_000, 5, before=long)))
    assert note["type"] == "text"


def test_a_picture_with_too_long_a_side_becomes_a_note() -> None:
    note, kept = shown(built(png(120, LONGEST_SIDE + 1), png(120, LONGEST_SIDE)))
    assert note["text"] == "[image of 120 × 8001 pixels left out: at most 8000 can be sent]"
    assert kept["type"] == "image"
    assert shown(built(png(120, 9_000), api="openai-chat"))[0]["type"] == "image_url"


def test_of_many_pictures_the_few_large_ones_are_left_out() -> None:
    large, small = png(LONGEST_OF_MANY + 1, 5), png(LONGEST_OF_MANY, 5)
    assert notes(built(*[small] * (FEW - 1), large)) == []
    assert notes(built(*[small] * (FEW + 1))) == []
    parts = shown(built(large, *[small] * FEW, large))
    note = "[image of 2001 × 5 pixels left out: at most 2000 can be sent with more than 20 images]"
    assert [part.get("text") for part in parts] == [note, *[None] * FEW, note]


def test_many_large_pictures_leave_out_the_oldest() -> None:
    large, small = png(LONGEST_OF_MANY + 1, 5), png(LONGEST_OF_MANY, 5)
    assert notes(built(*[large] * FEW)) == []
    parts = shown(built(*[small] * (FEW + 1 - STEP), *[large] * STEP))
    assert [part == LEFT_OUT for part in parts] == [True] * STEP + [False] * (FEW + 1 - STEP)


def test_pictures_without_the_large_ones_can_be_too_many() -> None:
    large, small = png(LONGEST_OF_MANY + 1, 5), png(LONGEST_OF_MANY, 5)
    parts = notes(built(large, *[small] * (MOST + 1)))
    assert (len(parts), parts.count(LEFT_OUT)) == (1 + STEP, STEP)


def test_the_next_request_begins_alike() -> None:
    """Else the provider's cache would hold nothing after the first picture that was left out."""
    large = png(LONGEST_OF_MANY + 1, 5)
    left_out = [shown(built(*[large] * count)).count(LEFT_OUT) for count in range(FEW + 1, FEW + 1 + STEP + 1)]
    assert left_out == [STEP] * STEP + [2 * STEP]


@pytest.mark.parametrize(("window", "kept"), [(None, MOST), (200_000, MOST), (1_000_000, 102)])
def test_the_number_of_pictures_is_limited(window: int | None, kept: int) -> None:
    parts = shown(built(*[png(5, 5)] * 102, window=window))
    assert parts.count(LEFT_OUT) == (102 - kept and STEP)


def test_pictures_of_tools_count_too() -> None:
    call = Entry(id="a", role=Role.ASSISTANT, blocks=(ToolCall("1", "look"),))
    image = Image("image/png", "0")
    result = Entry(id="r", role=Role.TOOL_RESULT, call="1", tool="look", blocks=(image,))
    asked = Entry(id="u", role=Role.USER, blocks=(Text("Look."),))
    options = RequestOptions(model="claude-opus-4-5", provider="p", cache="5m")
    messages = [(entry, Form.WHOLE) for entry in (asked, call, result)]
    payload = payload_of("anthropic", messages, options, lambda _blob: png(9_000, 9_000))
    assert violations(payload, "anthropic") == []
    [part] = payload["messages"][-1]["content"][0]["content"]
    assert "9000 × 9000 pixels left out" in part["text"]


WHOLE = (png(5, 5), gif(5, 5), jpeg(5, 5), *(webp(kind)(5, 5) for kind in (b"VP8 ", b"VP8L", b"VP8X")))


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("data", WHOLE, ids=["png", "gif", "jpeg", "webp", "webp-lossless", "webp-extended"])
def test_a_damaged_picture_becomes_a_note(api: str, data: bytes) -> None:
    """Else the provider would refuse each request of the session."""
    assert "damaged" not in json.dumps(built(data, api=api))
    end = -2 if data[:4] != b"GIF8" else 9  # a GIF needs no end, but sides
    assert "damaged, so it cannot be sent]" in json.dumps(built(data[:end], api=api))


def test_a_picture_without_a_side_or_with_a_head_alone_is_damaged() -> None:
    assert is_damaged(png(0, 5))
    assert is_damaged(b"\xff\xd8\xff\xd9")
    assert is_damaged(b"\x89PNG\r\n\x1a\n")
    assert not is_damaged(jpeg(5, 5, before=b"\xff\xe2\xff\xff" + bytes(65_533)) + b"what a camera adds")

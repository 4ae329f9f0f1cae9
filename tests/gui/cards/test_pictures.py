"""Pictures in a card: their size, and what can be done with them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QImage, QImageWriter

from stemmata.domain.entries.blocks import Image
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.picture_piece import format_of
from stemmata.gui.transcript.controller import ending_of
from tests.fakes.cards import wanted, words

MakeCard = Callable[..., Card]


def shown(*images: Image) -> Entry:
    return Entry(id="u", role=Role.USER, blocks=images)


def encoded(width: int, height: int, format: bytes = b"PNG") -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, format).write(image)
    return bytes(buffer.data().data())


def test_a_picture_tells_its_size_and_can_be_copied_and_saved(make_card: MakeCard, blobs: dict[str, bytes]) -> None:
    blobs["a1"] = encoded(320, 200)
    card = make_card(shown(Image("image/png", "a1", 48_211, "chart.png")))
    assert "320 × 200 · PNG · 48.2 kB · chart.png Copy Save…" in words(card)
    requests = (Request.IMAGE, Request.COPY_IMAGE, Request.SAVE_IMAGE)
    assert {Action(request, "a1") for request in requests} <= wanted(card)


def test_many_pictures_have_their_lines_too(make_card: MakeCard, blobs: dict[str, bytes]) -> None:
    images = [Image("image/png", f"a{at}") for at in range(8)]
    blobs.update({image.blob: encoded(10 + at, 10) for at, image in enumerate(images)})
    card = make_card(shown(*images))
    assert [f"{10 + at} × 10 · PNG" in words(card) for at in range(8)] == [True] * 8


def test_a_missing_picture_has_no_size(make_card: MakeCard) -> None:
    card = make_card(shown(Image("image/png", "gone", 5, "x.png")))
    assert "Image: x.png" in words(card)
    assert "Save…" not in words(card)


def test_the_ending_of_a_saved_picture_is_that_of_its_content() -> None:
    assert [ending_of(encoded(2, 2, format)) for format in (b"PNG", b"JPG", b"BMP")] == ["png", "jpg", "bmp"]
    assert ending_of(None) == ending_of(b"<svg/>") == "png"
    assert format_of(QByteArray(b"no picture")) == ""

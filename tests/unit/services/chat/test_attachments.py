"""What may go with a message, and what is refused in words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.domain.requests.request import LARGEST_IMAGE, LARGEST_PDF
from stemmata.services.chat import attachments
from stemmata.services.chat.attachments import MOST, MOST_TEXT, message, of_bytes, of_file, refused

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"), (b"%PDF-1.7", "application/pdf"),
    ],
)  # fmt: skip
def test_pictures_and_pdfs_are_known_by_their_bytes(data: bytes, media_type: str) -> None:
    made = of_bytes("anything.txt", data)
    [block] = made.blocks
    assert isinstance(block, Image)
    assert (block.media_type, block.size, block.name) == (media_type, len(data), "anything.txt")
    assert made.files == {block.blob: data}


@pytest.mark.parametrize("data", ["Grüße".encode(), "Grüße".encode("utf-8-sig"), "Grüße".encode("utf-16")])
def test_text_is_inlined_behind_its_name(data: bytes) -> None:
    made = of_bytes("a.md", data)
    assert (made.blocks, made.files) == ((Text("a.md:\n\nGrüße"),), {})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\0\1\2", "not an image"),
        (b"\xff\xfeabc", "not an image"),
        (b"caf\xe9", "not an image"),
        (b"a" * (MOST_TEXT + 1), "400 kB, and at most 400 kB"),
        (PNG + b"\0" * LARGEST_IMAGE, "5.0 MB, and a picture may have at most 5 MB"),
        (b"%PDF-" + b"\0" * LARGEST_PDF, "a PDF may have at most 20 MB"),
    ],
    ids=["bytes", "odd-utf-16", "latin-1", "long", "picture", "pdf"],
)
def test_what_no_model_takes_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(KnownError, match=told):
        of_bytes("a.bin", data)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Hello", encoding="utf-8")
    assert of_file(tmp_path / "a.md").blocks == (Text("a.md:\n\nHello"),)


def test_only_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path, Path(os.devnull)):
        with pytest.raises(KnownError, match="is not a regular file"):
            of_file(path)
    with pytest.raises(KnownError, match="cannot be read: No such file"):
        of_file(tmp_path / "gone")
    with pytest.raises(KnownError, match="cannot be read"):
        of_file(Path("a\0b"))
    monkeypatch.setattr(attachments, "MOST_BYTES", 4)
    (tmp_path / "large").write_bytes(b"12345")
    with pytest.raises(KnownError, match="too large"):
        of_file(tmp_path / "large")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(KnownError, match="is not a regular file"):
        of_file(tmp_path / "pipe")


def test_a_name_is_one_short_line() -> None:
    made = of_bytes("a\n\x1b[31m" + "b" * 300, b"x")
    assert made.name.startswith("a��[31mb")
    assert len(made.name) == 120
    assert made.name.endswith("…")


def test_a_message_is_its_attachments_and_its_words() -> None:
    picture, text = of_bytes("a.png", PNG), of_bytes("b.md", b"B")
    out = message("Look", [picture, text])
    assert out.blocks == (*picture.blocks, Text("b.md:\n\nB"), Text("Look"))
    assert out.files == dict(picture.files)
    with pytest.raises(KnownError, match="can have at most"):
        message("", [text] * (MOST + 1))


def test_a_pdf_goes_only_where_it_is_taken() -> None:
    pdf = of_bytes("a.pdf", b"%PDF-1.7")
    assert refused([pdf], ModelTraits("claude-opus-4-5")) == ""
    assert refused([pdf], ModelTraits("llama3")) == "llama3 does not accept PDFs, so “a.pdf” cannot be sent."
    assert refused([of_bytes("b.md", b"B")], ModelTraits("llama3")) == ""

"""Pictures are made small enough to be sent, and only those that need it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage, QImageWriter
from PySide6.QtWidgets import QApplication

from stemmata.domain.errors import KnownError
from stemmata.gui.composer.attaching import MOST_BYTES, fitted, of_file


def picture(width: int, height: int, *, noise: bool = False) -> QImage:
    if noise:
        pixels = random.Random(1).randbytes(width * height * 4)
        return QImage(pixels, width, height, QImage.Format.Format_RGB32).copy()
    out = QImage(width, height, QImage.Format.Format_ARGB32)
    out.fill(QColor(10, 20, 30, 128))
    return out


def encoded(image: QImage, format: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, format.encode()).write(image)
    return bytes(buffer.data().data())


@pytest.mark.parametrize(("format", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_a_small_picture_is_sent_as_it_is(format: str, media_type: str, qapp: QApplication) -> None:
    data = encoded(picture(300, 200), format)
    fit = fitted(data)
    assert (fit.data, fit.media_type, fit.size, fit.before) == (data, media_type, (300, 200), None)
    assert fit.thumbnail.height() == 64


def test_a_wide_picture_is_scaled_and_keeps_its_shape(qapp: QApplication) -> None:
    fit = fitted(encoded(picture(4000, 1000), "PNG"))
    assert (fit.size, fit.before, fit.media_type) == ((2000, 500), (4000, 1000), "image/png")


def test_a_heavy_picture_becomes_a_jpeg_that_fits(qapp: QApplication) -> None:
    fit = fitted(picture(1990, 1990, noise=True))
    assert fit.media_type == "image/jpeg"
    assert len(fit.data) <= MOST_BYTES


def test_a_format_that_no_provider_takes_is_written_anew(qapp: QApplication) -> None:
    assert fitted(encoded(picture(10, 10), "BMP")).media_type == "image/jpeg"


@pytest.mark.parametrize("data", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 100])
def test_what_is_no_picture_is_told(data: bytes, qapp: QApplication) -> None:
    with pytest.raises(KnownError, match="Could not read the picture"):
        fitted(data)


@pytest.mark.parametrize("format", ["JPEG", "BMP"])
def test_a_picture_without_its_end_is_told(format: str, tmp_path: Path, qapp: QApplication) -> None:
    path = tmp_path / f"tea.{format.lower()}"
    data = encoded(picture(300, 200, noise=True), format)
    path.write_bytes(data + b"more")
    assert of_file(path).thumbnail is not None
    if format == "JPEG":  # a small whole picture before the pixels is not the end of the picture
        data = data[:2] + b"\xff\xe1\x00\x06\xff\xd8\xff\xd9" + data[2:]
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(KnownError, match="its end is missing"):
        of_file(path)

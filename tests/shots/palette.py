"""Pictures of 256 colours: a window has few, and the repository carries them for ever."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

MOST = 256
SHADE = 0xF0F0F0  # colours alike in these bits are one shade


def reduced(picture: QImage) -> QImage:
    """With the colours that occur most often, one of each shade; each other one becomes the nearest of them."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    counts = Counter(memoryview(image.constBits()).cast("I"))
    shades: dict[int, int] = {}
    for color, _ in counts.most_common():
        shades.setdefault(color & SHADE, color)
    seen = Counter[int]()
    for color, count in counts.items():
        seen[color & SHADE] += count
    table = [shades[shade] for shade, _ in seen.most_common(MOST)]
    return image.convertToFormat(QImage.Format.Format_Indexed8, table, Qt.ImageConversionFlag.AvoidDither)

"""Pictures of 256 colours: a window has few, and the repository carries them for ever."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

MOST = 256
EXACT = 160  # colours kept as they are
SHADE = 0xF0F0F0  # colours alike in these bits are one shade


def reduced(picture: QImage) -> QImage:
    """With the colours that occur most often and one of each other shade; the rest become the nearest of them."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    counts = Counter(memoryview(image.constBits()).cast("I"))
    table = [color for color, _ in counts.most_common(EXACT)]
    shades = {color & SHADE for color in table}
    for color, _ in counts.most_common():
        if len(table) < MOST and color & SHADE not in shades:
            shades.add(color & SHADE)
            table.append(color)
    return image.convertToFormat(QImage.Format.Format_Indexed8, table, Qt.ImageConversionFlag.AvoidDither)

"""Pictures of few colours: a window has few, and the repository carries them for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

MOST, FINE = 80, 256  # colours; the more where a shadow runs through many shades
EXACT = 0.3  # part of them kept as they are: the surfaces differ by little, and all of them are seen
STEPS = range(4, 256, 4)  # how far apart the others may be, by their most different channel: the least that does
OPAQUE = 0xFF000000

Color = tuple[int, int, int]


def reduced(picture: QImage, most: int = MOST) -> QImage:
    """Reduce a picture to its most frequent colours and as many others as are needed."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    counts = Counter(memoryview(image.constBits()).cast("I"))
    colors = [_parts(color) for color, _ in counts.most_common()]
    tables = (spread(colors, distance, most) for distance in STEPS)
    table = next(table for table in tables if table is not None)
    numbers = [OPAQUE | red << 16 | green << 8 | blue for red, green, blue in table]
    return image.convertToFormat(QImage.Format.Format_Indexed8, numbers, Qt.ImageConversionFlag.AvoidDither)


def spread(colors: Iterable[Color], distance: int, most: int) -> list[Color] | None:
    """The first ones, and of the others those that are this far from all taken before; None for too many."""
    out: list[Color] = []
    for at, color in enumerate(colors):
        if at < EXACT * most or not any(is_near(color, other, distance) for other in out):
            out.append(color)
            if len(out) > most:
                return None
    return out


def is_near(one: Color, other: Color, distance: int) -> bool:
    return (
        abs(one[0] - other[0]) < distance and abs(one[1] - other[1]) < distance and abs(one[2] - other[2]) < distance
    )


def _parts(color: int) -> Color:
    return color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF

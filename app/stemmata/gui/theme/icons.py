"""Load the program's icons: single-colour SVG files that are tinted when they are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap

from stemmata import APPLICATION_ID
from stemmata.assets import resource

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgRenderer

SCALABLE = ("desktop", "share", "icons", "hicolor", "scalable", "apps")
SIZES = (16, 24, 32, 48, 64, 128)  # sizes that desktops request, in pixels


def application_icon() -> QIcon:
    """Return the application icon, drawn at every size, because desktops blur icons that they scale."""
    drawing = _drawing(resource(*SCALABLE, f"{APPLICATION_ID}.svg").read_bytes())
    icon = QIcon()
    for side in SIZES:
        pixmap = QPixmap(side, side)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        drawing.render(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


class IconSet:
    """The tinted icons of one theme. Sources, pixmaps and icons are cached."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}
        self._icons: dict[tuple[str, str, str, str, int], QIcon] = {}
        self._ratios: list[float] = []  # device pixel ratios for which `_icons` were drawn

    def svg(self, name: str, color: str) -> bytes:
        """Return the icon's SVG source with the colour filled in. Raises FileNotFoundError."""
        if name not in self._sources:
            self._sources[name] = resource("icons", f"{name}.svg").read_text(encoding="utf-8")
        return self._sources[name].replace("currentColor", color).encode()

    def pixmap(self, name: str, color: str, size: int, ratio: float) -> QPixmap:
        """Return the icon as a square of `size` device-independent pixels at this device pixel ratio."""
        key = name, color, size, ratio
        if key not in self._pixmaps:
            self._pixmaps[key] = self._render(name, color, size, ratio)
        return self._pixmaps[key]

    def icon(self, name: str, color: str, *, active: str, disabled: str, size: int) -> QIcon:
        """Return an icon with its normal, hovered and disabled colours, sharp on every connected screen."""
        ratios = sorted({screen.devicePixelRatio() for screen in QGuiApplication.screens()})
        if ratios != self._ratios:
            self._ratios = ratios
            self._icons.clear()
        key = name, color, active, disabled, size
        if key not in self._icons:
            self._icons[key] = self._build(*key)
        return self._icons[key]

    def _build(self, name: str, color: str, active: str, disabled: str, size: int) -> QIcon:
        icon = QIcon()
        modes = ((QIcon.Mode.Normal, color), (QIcon.Mode.Active, active), (QIcon.Mode.Disabled, disabled))
        for mode, tint in modes:
            for ratio in self._ratios:
                icon.addPixmap(self.pixmap(name, tint, size, ratio), mode)
        return icon

    def _render(self, name: str, color: str, size: int, ratio: float) -> QPixmap:
        drawing = _drawing(self.svg(name, color))
        side = round(size * ratio)
        pixmap = QPixmap(side, side)
        pixmap.fill(QColor(Qt.GlobalColor.transparent))
        painter = QPainter(pixmap)
        drawing.render(painter, QRectF(0, 0, side, side))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap


def _drawing(svg: bytes) -> QSvgRenderer:
    from PySide6.QtSvg import QSvgRenderer  # loads a library; most first windows are painted without an icon

    return QSvgRenderer(QByteArray(svg))

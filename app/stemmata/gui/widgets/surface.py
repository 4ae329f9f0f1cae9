"""Widgets with a background and hairlines of their own."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

Edge = Literal["", "top", "bottom", "left", "right"]
Surface = Literal["", "bg", "panel", "raised"]


def set_surface(widget: QWidget, surface: Surface = "", edge: Edge = "") -> None:
    """Let the style sheet paint the widget: Qt leaves plain widgets unpainted unless it is asked."""
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    if surface:
        widget.setProperty("surface", surface)
    if edge:
        widget.setProperty("edge", edge)

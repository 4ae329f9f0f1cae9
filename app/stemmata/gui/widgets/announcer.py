"""Announcements for screen readers."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Make a screen reader say `text` after its current sentence; an urgent text interrupts that sentence."""
    if text and QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, text)
        levels = QAccessible.AnnouncementPoliteness
        event.setPoliteness(levels.Assertive if urgent else levels.Polite)
        QAccessible.updateAccessibility(event)

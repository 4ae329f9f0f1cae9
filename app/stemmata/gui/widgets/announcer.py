"""What is said to people who do not see that something began or ended."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Have a screen reader say it when it is done with what it says; an urgent text interrupts."""
    if text and QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, text)
        levels = QAccessible.AnnouncementPoliteness
        event.setPoliteness(levels.Assertive if urgent else levels.Polite)
        QAccessible.updateAccessibility(event)

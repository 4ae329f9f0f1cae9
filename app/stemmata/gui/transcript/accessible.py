"""The transcript's accessible interfaces: a list of the visible cards, each with the actions of its entry."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, QObject, QPoint, QRect, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget, QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.transcript.cursor import CursorFrame
from stemmata.gui.widgets.items_accessible import NO_INTERFACE

MILLISECOND = 10**6


class ReadableTranscript(QAbstractScrollArea):
    """The base of the transcript view for its accessible interfaces: it names the entry that is being read.

    `TranscriptView` extends it. The base exists because the view and its interfaces would otherwise import each
    other.
    """

    visible_entry_changed = Signal(int)  # store key
    interface: QAccessibleInterface | None = None  # keeps the interface alive

    @property
    def focused_entry(self) -> int:
        """The store key of the entry under the cursor; -1 for none, as in this base, which has no cursor."""
        return -1


class CardInterface(QAccessibleWidget):
    """The accessible interface of a card, named like `You, 14:02: Why is this slow?` after the entry it shows."""

    def __init__(self, card: Card, view: ReadableTranscript) -> None:
        super().__init__(card, QAccessible.Role.ListItem)
        self._card = card
        self._view = view

    def parent(self) -> QAccessibleInterface:
        """Return the interface of the transcript."""
        return QAccessible.queryAccessibleInterface(self._view)

    def text(self, which: QAccessible.Text) -> str:
        """Return the card's name, description or help."""
        if which is QAccessible.Text.Name:
            return name_of(self._card)
        if which is QAccessible.Text.Description:
            return ", ".join(self._card.remarks)
        return ""

    def state(self) -> QAccessible.State:
        """Return whether the card is focused or can be selected."""
        state = super().state()
        state.focusable = state.selectable = True
        state.selected = self._card.key == self._view.focused_entry
        state.focused = state.selected and self._view.hasFocus()
        state.offscreen = self._card.visibleRegion().isEmpty()
        return state

    def actionNames(self) -> list[str]:
        return [name for name, _action in self._offers()]

    def localizedActionName(self, name: str) -> str:
        return name

    def doAction(self, name: str) -> None:
        action = dict(self._offers()).get(name)
        if action is not None:
            self._card.acted.emit(self._card.key, action)

    def _offers(self) -> Sequence[tuple[str, Action]]:
        return [(self._view.tr("Select"), Action(Request.ACTIVATE)), *self._card.offers]


class TranscriptInterface(QAccessibleWidget):
    """The accessible interface of the transcript.

    Its children are the cards from the top, then buttons and scroll bar.
    """

    def __init__(self, view: ReadableTranscript) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._view = view

    def childCount(self) -> int:
        return len(self._parts())

    def child(self, index: int) -> QAccessibleInterface:
        """Return the interface of a child."""
        parts = self._parts()
        return QAccessible.queryAccessibleInterface(parts[index]) if 0 <= index < len(parts) else NO_INTERFACE

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        thing = child.object()
        return next((at for at, part in enumerate(self._parts()) if part is thing), -1)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        point = QPoint(x, y)
        for at, part in reversed([*enumerate(self._parts())]):
            if QRect(part.mapToGlobal(QPoint()), part.size()).contains(point):
                return self.child(at)
        return NO_INTERFACE

    def focusChild(self) -> QAccessibleInterface:
        card = next((part for part in self._parts() if _shows(part, self._view.focused_entry)), None)
        return QAccessible.queryAccessibleInterface(card) if card is not None else NO_INTERFACE

    def _parts(self) -> list[QWidget]:
        viewport, bar = self._view.viewport(), self._view.verticalScrollBar()
        there = [part for part in viewport.children() if isinstance(part, QWidget) and not part.isHidden()]
        shown = [part for part in there if not isinstance(part, CursorFrame)]
        ordered = sorted(shown, key=lambda part: (not isinstance(part, Card), part.y()))
        return [*ordered, *([bar] if bar.isVisibleTo(self._view) else [])]


def name_of(card: Card) -> str:
    """Return the accessible name of a card."""
    if card.content is None:
        return card.accessibleName()
    row = card.content.entry.row
    speaker = card.accessibleName()
    said = row.preview if row.preview not in speaker else ""
    if row.time > 0:
        moment = QDateTime.fromMSecsSinceEpoch(row.time // MILLISECOND).time()
        speaker = f"{speaker}, {QLocale().toString(moment, QLocale.FormatType.ShortFormat)}"
    return f"{speaker}: {said}" if said else speaker


def _shows(part: QWidget, key: int) -> bool:
    return isinstance(part, Card) and part.key == key


def make_accessible(view: ReadableTranscript) -> None:
    """Register the factory of the transcript's interfaces. Calling it twice is harmless; widgets keep them alive."""
    kind = type(view)
    view.visible_entry_changed.connect(lambda _key: announce_reading(view))

    def interface_of(_name: str, thing: QObject) -> QAccessibleInterface | None:
        if isinstance(thing, kind):
            thing.interface = TranscriptInterface(thing)
            return thing.interface
        viewport = thing.parentWidget() if isinstance(thing, Card) else None
        inside = viewport.parentWidget() if viewport is not None else None
        if isinstance(thing, Card) and isinstance(inside, kind):
            thing.interface = CardInterface(thing, inside)
            return thing.interface
        return None

    QAccessible.installFactory(interface_of)


def announce_reading(view: ReadableTranscript) -> None:
    """Tell screen readers which card is being read, when the transcript has the keyboard focus."""
    if QAccessible.isActive() and view.hasFocus():
        card = QAccessible.queryAccessibleInterface(view).focusChild()
        if card is not None:
            QAccessible.updateAccessibility(QAccessibleEvent(card.object(), QAccessible.Event.Focus))

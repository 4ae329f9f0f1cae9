"""What the cards of a transcript ask for: told to others, or done to the cards themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QGuiApplication

from stemmata.domain.entries.blocks import plain_text
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.core.pages import PageCache
from stemmata.gui.transcript.card_pool import TranscriptCards

if TYPE_CHECKING:
    from stemmata.gui.transcript.view import TranscriptView


class TranscriptRequests:
    """`arrange` lays the transcript out anew."""

    def __init__(
        self,
        cards: TranscriptCards,
        cache: PageCache,
        view: TranscriptView,
        arrange: Callable[[], None],
    ) -> None:
        self._cards = cards
        self._cache = cache
        self._told = told_by(view)
        self._view = view
        self._wanted = view.wanted
        self._arrange = arrange

    def act(self, key: int, action: Action) -> None:
        """Do what the card of this entry asks for."""
        signal = self._told.get(action.request)
        if signal is not None:
            self._cards.clear_selections(but=key)
            match action.request:
                case Request.SIBLING:
                    signal.emit(key, action.step)
                case Request.LINK:
                    signal.emit(action.text)
                case _:
                    signal.emit(key)
            return
        match action.request:
            case Request.COPY if not self._view.unread(key):
                self._copy_entry(key)
            case Request.COPY_TEXT:
                QGuiApplication.clipboard().setText(action.text)
            case Request.FOLD:
                self._cards.fold(key, action.text)
                self._arrange()
            case Request.SHOW_ALL if not self._view.unread(key):
                self._cards.show_whole(key, {})
                self._arrange()
            case _:
                self._wanted.emit(key, action)

    def copy(self, text: str, *, wide: bool) -> None:
        """Copy this selected text; what is selected over several cards is copied by others."""
        if wide:
            self._wanted.emit(-1, Action(Request.COPY_SELECTION))
        elif text:
            QGuiApplication.clipboard().setText(text)

    def offers(self, key: int) -> list[tuple[str, Callable[[], None]]]:
        """What the card of an entry offers to do, by name."""
        card = self._cards.get(key)
        return [(name, partial(self.act, key, action)) for name, action in card.offers] if card is not None else []

    def _copy_entry(self, key: int) -> None:
        """The entry's own text, as it was written: Markdown."""
        loaded = self._cache.get(key)
        if loaded is not None:
            QGuiApplication.clipboard().setText(plain_text(self._cache.uncut(loaded).body.blocks, "\n\n"))


def told_by(view: TranscriptView) -> dict[Request, SignalInstance]:
    """The signals that tell others what they are asked to do."""
    return {
        Request.ACTIVATE: view.entry_activated,
        Request.FORK: view.fork_requested,
        Request.EDIT: view.edit_requested,
        Request.REGENERATE: view.regenerate_requested,
        Request.PIN: view.pin_requested,
        Request.UNDO_COMPACTION: view.compaction_undo_requested,
        Request.EDIT_COMPACTION: view.compaction_edit_requested,
        Request.SHOW_SUMMARISED: view.summarised_requested,
        Request.SIBLING: view.sibling_requested,
        Request.LINK: view.link_activated,
    }

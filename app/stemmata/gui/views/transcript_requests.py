"""What the cards of a transcript ask for: told to others, or done to the cards themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QGuiApplication

from stemmata.domain.blocks import plain_text
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.models.transcript_pages import PageCache
from stemmata.gui.views.transcript_cards import TranscriptCards


class TranscriptRequests:
    """`told`: what others are asked to do. `arrange` lays the transcript out anew."""

    def __init__(
        self,
        cards: TranscriptCards,
        cache: PageCache,
        told: Mapping[Request, SignalInstance],
        arrange: Callable[[], None],
    ) -> None:
        self._cards = cards
        self._cache = cache
        self._told = told
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
            case Request.COPY:
                self._copy_entry(key)
            case Request.COPY_TEXT:
                QGuiApplication.clipboard().setText(action.text)
            case Request.FOLD:
                self._cards.fold(key, action.text)
                self._arrange()
            case Request.SHOW_ALL:
                self._cards.show_whole(key)
                self._arrange()
            case _:
                pass

    def _copy_entry(self, key: int) -> None:
        """The entry's own text, as it was written: Markdown."""
        loaded = self._cache.get(key)
        if loaded is not None:
            QGuiApplication.clipboard().setText(plain_text(self._cache.uncut(loaded).body.blocks, "\n\n"))

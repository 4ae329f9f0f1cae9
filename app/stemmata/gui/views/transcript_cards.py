"""The live cards of a transcript: a few widgets that are given one entry after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, CardContent, CardMarks, Stage
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.models.transcript import Place, TranscriptModel
from stemmata.gui.models.transcript_pages import PageCache

MOST_SPARE = 8


class TranscriptCards:
    """Cards by entry key. `stage(key)` says where an entry would stand after the compaction being previewed."""

    def __init__(
        self, viewport: QWidget, cache: PageCache, style: CardStyle, acted: Callable[[int, Action], None]
    ) -> None:
        self._viewport = viewport
        self._cache = cache
        self._style = style
        self._acted = acted
        self._live: dict[int, Card] = {}
        self._spare: list[Card] = []
        self._unfolded: dict[int, frozenset[str]] = {}
        self._whole: set[int] = set()
        self.stage: Callable[[int], Stage] = lambda _key: Stage.NONE

    def set_folder(self, folder: str) -> None:
        """The session's folder: paths in it are shown without it."""
        self._style.folder = folder

    @property
    def count(self) -> int:
        """Widgets there are, in use or not."""
        return len(self._live) + len(self._spare)

    def live(self) -> Iterable[Card]:
        return self._live.values()

    def get(self, key: int) -> Card | None:
        return self._live.get(key)

    def height(self, model: TranscriptModel, at: int, width: int) -> int:
        """Height of the card at this position, laid out now if need be. The model learns it."""
        key = model.path.key(at)
        card = self._live.get(key)
        heading = model.place(at) == Place.CARD
        if card is None or card.content is None or card.content.heading != heading:
            card = self._fill(model, at, card)
        height = card.lay_out(width) if card is not None else 0
        model.measured(at, height)
        return height

    def release(self, keep: set[int]) -> None:
        """Take the cards of all other entries out of sight."""
        for key in [key for key in self._live if key not in keep]:
            card = self._live.pop(key)
            card.hide()
            if len(self._spare) < MOST_SPARE:
                self._spare.append(card)
            else:
                card.deleteLater()

    def refresh_marks(self, model: TranscriptModel) -> None:
        for key, card in self._live.items():
            at = model.path.position(key)
            if at is not None:
                card.show_marks(self._marks(model, at))

    def fold(self, key: int, part: str) -> None:
        """Fold or unfold a part of an entry's card."""
        self._unfolded[key] = self._unfolded.get(key, frozenset()) ^ {part}
        self._drop(key)

    def show_whole(self, key: int) -> None:
        self._whole.add(key)
        self._drop(key)

    def restyle(self, style: CardStyle) -> None:
        style.folder = self._style.folder
        self._style = style
        self.release(set())

    def forget_state(self) -> None:
        """Another session: nothing is unfolded."""
        self._unfolded.clear()
        self._whole.clear()
        self.release(set())

    def next_uncoloured(self) -> tuple[Card, CodePiece] | None:
        for card in self._live.values():
            for part in card.pending():
                return card, part
        return None

    def _drop(self, key: int) -> None:
        card = self._live.get(key)
        if card is not None:
            card.content = None  # built again when it is laid out next

    def _fill(self, model: TranscriptModel, at: int, card: Card | None) -> Card | None:
        content = self._content(model, at)
        if content is None:
            return None
        if card is None:
            card = self._spare.pop() if self._spare else self._create()
            self._live[model.path.key(at)] = card
        card.show_content(self._style, content, self._marks(model, at))
        return card

    def _create(self) -> Card:
        card = Card(self._viewport)
        card.acted.connect(self._acted)
        return card

    def _content(self, model: TranscriptModel, at: int) -> CardContent | None:
        """None when the archive has the entry no more."""
        key = model.path.key(at)
        answers = [model.path.key(item) for item in model.answers(at) if model.place(item) == Place.FOLDED]
        self._cache.load([key, *answers])
        entry = self._cache.get(key)
        if entry is None:
            return None
        found = [loaded for loaded in map(self._cache.get, answers) if loaded is not None]
        whole = key in self._whole
        if whole:
            entry, found = self._cache.uncut(entry), [self._cache.uncut(loaded) for loaded in found]
        unfolded = self._unfolded.get(key, frozenset())
        return CardContent(entry, tuple(found), model.place(at) == Place.CARD, unfolded, whole)

    def _marks(self, model: TranscriptModel, at: int) -> CardMarks:
        return CardMarks(model.path.marks(at), self.stage(model.path.key(at)))

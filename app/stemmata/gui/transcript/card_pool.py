"""The pool of card widgets of a transcript. A few widgets are reused for the entries in view."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from time import thread_time

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.search.needle import Needle
from stemmata.gui.cards.card import Card, ColouredPiece
from stemmata.gui.cards.content import Action, CardContent, CardMarks, Stage
from stemmata.gui.cards.finding import hiding, leaving_out, thought_parts, tool_parts
from stemmata.gui.cards.parts import time_word
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.written_text import stored_length
from stemmata.gui.core.pages import LoadedEntry, PageCache
from stemmata.gui.core.shown_path import ContextSizes, EntryAppearance
from stemmata.gui.transcript.cut import CutPreview
from stemmata.gui.transcript.layout import CardInSight, MeasuredCard
from stemmata.gui.transcript.model import TranscriptModel

NEAR = 32  # positions between a call and its result that are searched


def answers_of(model: TranscriptModel, at: int, cache: PageCache) -> list[LoadedEntry]:
    """Return the results that the card at a position shows.

    Neighbouring cards are read only when the number of results differs from the number of calls.
    """
    own = model.answers(at)
    cache.load(map(model.path.key, (at, *own)))
    entry = cache.get(model.path.key(at))
    found = _loaded(model, own, cache)
    if entry is None or _calls(entry) == {answer.row.call for answer in found}:
        return found
    return _matched_by_call(model, at, len(own), cache)


def card_with(model: TranscriptModel, at: int, cache: PageCache) -> int | None:
    """Return the position of the card that shows the entry at a position; None when no card shows it.

    The results of parallel calls may come after the card of another call.
    """
    card = model.card_of(at)
    if card is None or card == at:
        return card
    key = model.path.key(at)
    near = [card, *(position for position in _back(model, card) if model.has_card(position))]
    return next((one for one in near if any(key == loaded.row.key for loaded in answers_of(model, one, cache))), card)


def results_near(model: TranscriptModel, at: int) -> int:
    """Return the number of results near a card. When it changes, the card's own results must be determined again."""
    near = (model.appearance(item) for item in _ahead(model, at, NEAR))
    return max(sum(appearance == EntryAppearance.FOLDED for appearance in near), len(model.answers(at)))


def _matched_by_call(model: TranscriptModel, at: int, own: int, cache: PageCache) -> list[LoadedEntry]:
    """Return the results that belong to the card at a position, looked for among the entries near it.

    A result belongs to the last card before it with a call of its id that has no result yet, else to the card that it
    follows. `own` is the number of results that follow this card.
    """
    positions = [*reversed(list(_back(model, at))), at, *_ahead(model, at, max(own, NEAR))]
    cache.load(map(model.path.key, positions))
    waiting: dict[str, int] = {}
    out: list[LoadedEntry] = []
    card = at
    for position in positions:
        loaded = cache.get(model.path.key(position))
        if loaded is None:
            continue
        if model.appearance(position) == EntryAppearance.FOLDED:
            caller = waiting.pop(loaded.row.call, card)
            if (caller if position - caller <= NEAR else card) == at:
                out.append(loaded)
        elif model.has_card(position):
            card = position
            waiting.update(dict.fromkeys(_calls(loaded), card))
    return out


def _back(model: TranscriptModel, at: int) -> Iterator[int]:
    """Yield the positions before a card, back to the first entry of its speaker."""
    for position in range(at, max(at - NEAR, 0), -1):
        if model.appearance(position) == EntryAppearance.CARD:
            return
        yield position - 1


def _ahead(model: TranscriptModel, at: int, most: int) -> Iterator[int]:
    """Yield the positions after a card, up to the first entry of another speaker, at most `most`."""
    for position in range(at + 1, min(at + 1 + most, len(model))):
        if model.appearance(position) == EntryAppearance.CARD:
            return
        yield position


def _loaded(model: TranscriptModel, positions: list[int], cache: PageCache) -> list[LoadedEntry]:
    found = (cache.get(model.path.key(position)) for position in positions)
    return [loaded for loaded in found if loaded is not None]


def _calls(loaded: LoadedEntry) -> set[str]:
    return {block.id for block in loaded.body.blocks if isinstance(block, ToolCall)}


LEAST_SPARE = 8  # free cards that keep their content before they are used for other entries
MOST_SPARE = 18
MOST_READ = 300_000  # characters missing from a body that the GUI thread may read; the db thread reads longer bodies
MOST_WHOLE = 3  # cards whose long bodies are kept in memory


class TranscriptCards:
    """The card widgets, by store key of their entry. `preview` is the previewed compaction, or None."""

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
        self._whole: OrderedDict[int, Mapping[int, Body]] = OrderedDict()  # bodies read for a card, by the card's key
        self._read: OrderedDict[int, tuple[LoadedEntry, LoadedEntry]] = OrderedDict()  # entries cut and whole, by key
        # by the card's key: the text whose matches are all unfolded, and the state of the content they are in
        self._revealed: dict[int, tuple[Needle, bool, int, int | None]] = {}
        self._asked: set[int] = set()  # keys of cards whose long bodies are being read
        self._opens_tools = self._opens_thoughts = False
        self._session_opens = False  # whether the session shows its tools open
        self.preview: CutPreview | None = None
        self.pressed: Callable[[Card], None] = lambda _card: None
        self.dragged: Callable[[QPoint], None] = lambda _point: None
        self.released: Callable[[], None] = lambda: None
        self.wants_whole: Callable[[int], None] = lambda _key: None  # asks for an entry's long body
        self.allowance: Callable[[], float | None] = lambda: None  # until when cards may be laid out
        self._build_until: float | None = None  # seconds of this thread's time; None: every card is built at once
        self._built = 0  # cards since `build_for` began
        self._missing: set[int] = set()  # keys of cards that were left for later
        # the card in which a mouse button is held down; it keeps the mouse even out of view
        self._held: Card | None = None

    @property
    def style(self) -> CardStyle:
        """The fonts, colours and sizes of the cards."""
        return self._style

    def set_folder(self, folder: str) -> None:
        """Set the session's folder; paths inside it are displayed relative to it."""
        if folder != self._style.folder:
            self._style.folder = folder
            self._forget_spare()

    def open_tools(self, *, on: bool) -> bool:
        """Show calls of tools with their arguments and output, or only as lines; return whether this changes a card.
        Parts that the user folded or unfolded are changed, too.
        """
        if on is self._session_opens:
            return False
        self._session_opens = self._opens_tools = on
        self._drop_all()
        return True

    def toggle_tools(self) -> None:
        """Unfold all calls of tools, or fold them all, including those that the user folded or unfolded."""
        self._opens_tools = not self._opens_tools
        self._forget_folds(("call", "answer"))

    def toggle_thoughts(self) -> None:
        """Unfold all thoughts, or fold them all, including those that the user folded or unfolded."""
        self._opens_thoughts = not self._opens_thoughts
        self._forget_folds(("thinking",))

    def _forget_folds(self, kinds: tuple[str, ...]) -> None:
        for key, parts in self._unfolded.items():
            self._unfolded[key] = frozenset(part for part in parts if not part.startswith(kinds))
        self._drop_all()

    def _drop_all(self) -> None:
        for key in self._live:
            self._drop(key)
        self._forget_spare()

    def warm_up(self) -> None:
        """Load the Markdown library and the time zones, so that the first session opens faster."""
        self._style.markdown.load()
        time_word(1)  # the first date in words takes 4 ms

    @property
    def count(self) -> int:
        """The number of card widgets, in use or spare."""
        return len(self._live) + len(self._spare)

    @property
    def is_late(self) -> bool:
        """Whether a visible card is not built, or not fully laid out yet."""
        return bool(self._missing) or any(card.is_late and card.isVisible() for card in self._live.values())

    def selected_text(self) -> str:
        """The selected text of the visible cards, from the top."""
        cards = sorted(self._live.values(), key=Card.y)
        return "\n\n".join(text for card in cards if (text := card.selection.text()))

    def clear_selections(self, *, but: int) -> None:
        """Clear the selection of every card except the card of entry `but`."""
        for key, card in self._live.items():
            if key != but:
                card.clear_selection()

    def live(self) -> Iterable[Card]:
        """The cards that show an entry."""
        return self._live.values()

    def get(self, key: int) -> Card | None:
        """Return the card of an entry; None when the entry has no card now."""
        return self._live.get(key)

    @contextmanager
    def build_for(self, seconds: float) -> Iterator[None]:
        """Build missing cards for about this many seconds, but at least one card; the others have estimated heights.

        `missing` then has the keys of those in view, which a later layout builds.
        """
        outer = self._build_until, self._built
        self._build_until, self._built = thread_time() + seconds, 0
        try:
            yield
        finally:
            self._build_until, self._built = outer

    @property
    def missing(self) -> Set[int]:
        """The store keys of the cards in view that were left for later."""
        return self._missing

    def begin_layout(self) -> None:
        """Start to collect the missing cards."""
        self._missing.clear()

    def build_another(self) -> None:
        """Build at least one more card in this layout, because the cards built before may be out of view."""
        self._built = 0

    def _is_left_out(self, model: TranscriptModel, at: int, sight: CardInSight) -> bool:
        """Return whether the missing card at a position is to be built by a later layout."""
        if self._build_until is None:
            return False
        model.appearance(at)  # estimates its height
        if sight.top < sight.bottom and model.heights[at] <= sight.top:
            return True  # it would not be in view
        if self._built and thread_time() >= self._build_until:
            self._missing.add(model.path.key(at))
            return True
        return False

    def measure(self, model: TranscriptModel, at: int, width: int, sight: CardInSight) -> MeasuredCard:
        """Lay out the card at a position and store its height in the model."""
        key = model.path.key(at)
        card = self._live.get(key) or self._take_back(model, at)
        if card is None and self._is_left_out(model, at, sight):
            return MeasuredCard(model.heights[at], sight.keep)
        if card is None or not self._is_current(card.content, model, at):
            card = self._fill(model, at, card)
        measured = (
            MeasuredCard(*card.lay_out(width, *sight, self.allowance())) if card is not None else MeasuredCard(0, 0)
        )
        model.measured(at, measured.height)
        return measured

    def release(self, keep: set[int]) -> None:
        """Take the cards of all entries but `keep` back into the pool, where they can be used for other entries.

        Each stays visible at its place until it is used again or `tidy` hides it, and keeps its content for the case
        that the same entry is shown again.
        """
        for key in [key for key, card in self._live.items() if key not in keep and card is not self._held]:
            card = self._live.pop(key)
            if not card.selection.is_empty:
                card.clear_selection()
            self._spare.append(card)

    def tidy(self) -> None:
        """Hide the free cards and delete those beyond the pool's size."""
        for card in self._spare[:-MOST_SPARE]:  # freed longest ago
            card.hide()
            card.deleteLater()
        del self._spare[:-MOST_SPARE]
        for card in self._spare:
            if not card.isHidden():
                card.hide()

    def put(self, places: Mapping[int, QRect]) -> None:
        """Move cards to their rectangles, by store key; all other cards are moved out of view."""
        shown = [(card, places[key]) for key, card in self._live.items() if key in places]
        moves = {place.y() - card.y() for card, place in shown if card.isVisible()}
        if len(moves) == 1:
            self._viewport.scroll(0, moves.pop())  # copies the pixels instead of repainting every card
        for card, place in shown:
            card.setGeometry(place)
            card.show()
        for key, card in self._live.items():
            if card is self._held and key not in places:
                card.move(0, -card.height())  # moved, not hidden: a hidden widget loses the mouse
            elif key not in places and not card.isHidden():
                card.hide()

    def refresh_marks(self, model: TranscriptModel) -> None:
        """Update the margin marks of all cards."""
        for key, card in self._live.items():
            if card.content is None:
                continue
            at = model.path.position(key)
            if at is not None:
                card.show_marks(self._marks(model, at))

    def toggle_parts(self, key: int, parts: frozenset[str]) -> None:
        """Toggle these parts of an entry's card: fold the unfolded parts, unfold the folded parts."""
        self._unfolded[key] = self._unfolded.get(key, frozenset()) ^ parts
        self._drop(key)

    def show_whole(self, key: int, bodies: Mapping[int, Body]) -> None:
        """Show the long texts of an entry's card in full; `bodies` are those of the keys that `unread` returned."""
        self._whole[key] = bodies
        self._asked.discard(key)
        self._drop(key)
        long = [key for key, bodies in self._whole.items() if bodies]
        for other in long[:-MOST_WHOLE]:
            del self._whole[other]
            self._drop(other)

    def unread(self, model: TranscriptModel, key: int) -> list[int]:
        """Return the keys of a card's entries that are too long for the GUI thread to read."""
        at = model.path.position(key)
        content = self._content(model, at) if at is not None else None
        if content is None:
            return []
        loaded = (content.entry, *content.answers)
        return [one.row.key for one in loaded if one.body.cut > MOST_READ]

    def length(self, model: TranscriptModel, at: int) -> int:
        """Return the number of characters that are read for the card at a position."""
        content = self._content(model, at)
        return 0 if content is None else sum(map(stored_length, (content.entry, *content.answers)))

    def reveal(self, model: TranscriptModel, at: int, wanted: int | None = None) -> bool:
        """Unfold the parts that hide a match of the searched text in the card at a position.

        `wanted` is the key of the entry whose match is wanted. Return whether a long text of the card is being read.
        """
        key, content = model.path.key(at), self._content(model, at)
        if content is None:
            return False
        state = self._style.needle, content.whole, len(content.answers), wanted
        if self._revealed.get(key) == state:
            return key in self._asked
        unfolded, whole = hiding(content, self._style.needle, wanted)
        self._show(model, key, unfolded - content.unfolded, whole=whole)
        if whole and not content.whole and key not in self._asked:  # the read part may have the match
            return self.reveal(model, at, wanted)
        self._revealed[key] = state
        return key in self._asked

    def card_with(self, model: TranscriptModel, at: int) -> int | None:
        """Return the position of the card that shows the entry at a position; None when no card shows it."""
        return card_with(model, at, self._cache)

    def shows_only_its_own(self, model: TranscriptModel, at: int) -> bool:
        """Return whether the card at a position shows the results that follow it, and no others."""
        own = {model.path.key(position) for position in model.answers(at)}
        return own == {loaded.row.key for loaded in answers_of(model, at, self._cache)}

    def show_left_out(self, model: TranscriptModel, at: int, wanted: int, block: int | None = None) -> bool:
        """Show the texts of an entry (key) with a match in full and as they are written, in its card at a position.

        This is needed when the card does not show the matching words. With `block` only the text of the block with
        this number is shown. Return whether this changes the card.
        """
        key, content = model.path.key(at), self._content(model, at)
        if content is None:
            return False
        unfolded, whole = leaving_out(content, self._style.needle, wanted, block)
        self._show(model, key, unfolded - content.unfolded, whole=whole)
        return bool(unfolded - content.unfolded)

    def show_rest(self, model: TranscriptModel, at: int) -> bool:
        """Show the long texts of the card at a position to their end; return whether they are being read first."""
        key, content = model.path.key(at), self._content(model, at)
        if content is not None and any(one.body.cut for one in (content.entry, *content.answers)):
            self._show(model, key, frozenset(), whole=True)
        return key in self._asked

    def _show(self, model: TranscriptModel, key: int, hidden: frozenset[str], *, whole: bool) -> None:
        """Unfold the parts `hidden` of a card; with `whole` also show its long texts, now or once they are read."""
        if whole and key not in self._whole:
            if self.unread(model, key):
                self._asked.add(key)
                self.wants_whole(key)
            else:
                self.show_whole(key, {})
        if hidden:  # building a card of a megabyte again takes several milliseconds
            self._unfolded[key] = self._unfolded.get(key, frozenset()) ^ hidden
            self._drop(key)

    def mark(self, needle: Needle) -> None:
        """Highlight a needle in all cards; an empty one removes the highlights."""
        self._style.needle = needle
        for card in self._live.values():
            card.update()

    def restyle(self, style: CardStyle) -> None:
        """Use other fonts, colours or sizes."""
        style.folder, style.needle = self._style.folder, self._style.needle
        self._style, self._held = style, None
        self.release(set())
        self._forget_spare()

    def forget_state(self) -> None:
        """Fold every part again, for another session."""
        self._unfolded.clear()
        self._revealed.clear()
        self._whole.clear()
        self._read.clear()
        self._asked.clear()
        self._held = None
        self._opens_tools, self._opens_thoughts = self._session_opens, False
        self.release(set())
        self._forget_spare()

    def next_uncoloured(self, *, has_lexer: bool) -> tuple[Card, ColouredPiece] | None:
        """Return a visible code block without syntax colours and its card, None when there is none.

        `has_lexer` is whether the lexer of its language is loaded.
        """
        for card in self._live.values():
            for part in card.pending():
                if part.highlighting.has_lexer is has_lexer:
                    return card, part
        return None

    def _drop(self, key: int) -> None:
        self._revealed.pop(key, None)
        card = self._live.get(key)
        if card is not None:
            card.content = None  # rebuilt with the next layout
        for spare in self._spare:
            if spare.key == key:
                spare.content = None

    def _forget_spare(self) -> None:
        """Empty the free cards, so that none of them is shown again with its old content."""
        for card in self._spare:
            card.content = None

    def _take_back(self, model: TranscriptModel, at: int) -> Card | None:
        """Return a free card that still has the content of the entry at a position; None when there is none."""
        key = model.path.key(at)
        found = next((card for card in self._spare if card.key == key and card.content is not None), None)
        if found is not None:
            self._spare.remove(found)
            self._live[key] = found
            found.show_marks(self._marks(model, at))
        return found

    def _fill(self, model: TranscriptModel, at: int, card: Card | None) -> Card | None:
        content = self._content(model, at)
        if content is None:
            return None
        self._built += 1
        if card is None:
            card = self._free()
            self._live[model.path.key(at)] = card
        card.show_content(self._style, content, self._marks(model, at))
        return card

    def _free(self) -> Card:
        """Return a card for another entry: an empty one, a new one, or when there are enough, the one freed first."""
        empty = next((card for card in self._spare if card.content is None), None)
        if empty is not None:
            self._spare.remove(empty)
            return empty
        return self._spare.pop(0) if len(self._spare) >= LEAST_SPARE else self._create()

    def _create(self) -> Card:
        card = Card(self._viewport)
        card.acted.connect(self._acted)
        card.pressed.connect(self._on_pressed)
        card.dragged.connect(lambda dragged, point: self.dragged(dragged.mapToParent(point)))
        card.released.connect(self._on_released)
        return card

    def _on_pressed(self, card: Card) -> None:
        self._held = card
        self.pressed(card)

    def _on_released(self) -> None:
        self._held = None
        self.released()

    def _content(self, model: TranscriptModel, at: int) -> CardContent | None:
        """Return the content of the card at a position; None when the archive no longer has the entry."""
        key = model.path.key(at)
        found = answers_of(model, at, self._cache)
        entry = self._cache.get(key)
        if entry is None:
            return None
        bodies = self._whole.get(key)
        whole = bodies is not None
        if bodies is not None:
            entry, found = self._uncut(entry, bodies), [self._uncut(loaded, bodies) for loaded in found]
        unfolded = self._unfolded.get(key, frozenset())
        if self._opens_tools:
            unfolded ^= tool_parts(entry, found)
        if self._opens_thoughts:
            unfolded ^= thought_parts(entry)
        heading = model.appearance(at) == EntryAppearance.CARD
        cut = self._is_cut(model, at)
        sizes = self._sizes(model, at, entry)
        return CardContent(entry, tuple(found), heading, unfolded, whole, cut, sizes, results_near(model, at))

    def _uncut(self, loaded: LoadedEntry, bodies: Mapping[int, Body]) -> LoadedEntry:
        body = bodies.get(loaded.row.key)
        if body is not None:
            return LoadedEntry(loaded.row, body)
        return self._read_whole(loaded) if 0 < loaded.body.cut <= MOST_READ else loaded

    def _read_whole(self, loaded: LoadedEntry) -> LoadedEntry:
        """Return an entry with its blocks at full length.

        The last few entries are cached, because find needs an entry several times.
        """
        key = loaded.row.key
        before, whole = self._read.pop(key, (None, loaded))
        if before is not loaded:  # another state of the entry was read meanwhile
            whole = self._cache.uncut(loaded)
        self._read[key] = loaded, whole
        while len(self._read) > MOST_WHOLE:
            self._read.popitem(last=False)
        return whole

    def _sizes(self, model: TranscriptModel, at: int, entry: LoadedEntry) -> ContextSizes | None:
        return model.path.sizes(at) if entry.row.kind is Kind.COMPACTION else None

    def _is_current(self, content: CardContent | None, model: TranscriptModel, at: int) -> bool:
        """Whether a card's content still matches the entry at a position of the path."""
        if content is None:
            return False
        heading = model.appearance(at) == EntryAppearance.CARD
        found = heading, self._is_cut(model, at), self._sizes(model, at, content.entry), results_near(model, at)
        return found == (content.heading, content.cut, content.sizes, content.expected)

    def _marks(self, model: TranscriptModel, at: int) -> CardMarks:
        stage = self.preview.stage(at) if self.preview is not None else Stage.NONE
        return CardMarks(model.path.marks(at), stage)

    def _is_cut(self, model: TranscriptModel, at: int) -> bool:
        return self.preview is not None and model.card_from(self.preview.cut) == at

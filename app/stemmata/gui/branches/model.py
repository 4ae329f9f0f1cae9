"""What the navigator shows: an outline, what is folded in it, what matches a search. Rows count what is visible."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stemmata.domain.context.breakdown import Sizes, stored_size_before
from stemmata.domain.entries.session_facts import EntryRow
from stemmata.domain.entries.tokens import UNKNOWN
from stemmata.domain.navigator.outline import Outline, Row, Shape
from stemmata.gui.branches import words
from stemmata.services.ports.archive import Pages

PAGE = 64  # keys a call: what the store allows on the window's thread
KEPT = 2048


class EntryRows:
    """Entries never change, so a row once read stays right."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._rows: OrderedDict[int, EntryRow | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def load(self, keys: Iterable[int]) -> None:
        """Read those that are not here yet."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._rows]
        for start in range(0, len(missing), PAGE):
            page = missing[start : start + PAGE]
            found = self._pages.rows(page)
            self._rows.update((key, found.get(key)) for key in page)
        while len(self._rows) > KEPT:
            self._rows.popitem(last=False)

    def get(self, key: int) -> EntryRow | None:
        """The row, read when it is not here; None when the archive has it no more."""
        if key not in self._rows:
            self.load([key])
        self._rows.move_to_end(key)
        return self._rows[key]

    def clear(self) -> None:
        self._rows.clear()


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One visible row, ready to be painted."""

    place: int
    row: Row
    text: str
    meta: str
    active: bool
    leaf: bool
    hidden: int  # rows folded away below it
    matches: bool
    streaming: bool = False  # the reply that is being written hangs from here
    searched: tuple[str, ...] = ()  # words to be marked in the text


class BranchesModel:
    """Entries are given and returned as store keys, rows as numbers from 0 at the top."""

    def __init__(self, pages: Pages) -> None:
        self._entries = EntryRows(pages)
        self._outline: Outline | None = None
        self._visible: Sequence[int] = ()  # places, ascending
        self._folded: set[int] = set()  # keys of rows' first entries; those of other densities wait
        self._folds: set[int] = set()  # the same as places of this outline
        self.compacted: Mapping[int, Sizes] = {}  # compaction → the context before and after it
        self._matches: Sequence[int] | None = None  # places, ascending
        self._matching: Iterable[int] | None = None  # the same as keys, for the next outline
        self.searched: tuple[str, ...] = ()  # the words of the search
        self.streaming: int | None = None
        self.deepest = 0  # the rightmost lane of the outline

    # -- what is shown ----------------------------------------------------------------------------------------

    @property
    def outline(self) -> Outline | None:
        return self._outline

    def set_outline(self, outline: Outline | None) -> None:
        self._outline = outline
        self.deepest = outline.deepest if outline is not None else 0
        self.set_matches(self._matching)
        self._fold_anew()

    def __len__(self) -> int:
        return len(self._visible)

    @property
    def places(self) -> Sequence[int]:
        """Of the visible rows, ascending; never changed, only replaced."""
        return self._visible

    def place(self, row: int) -> int:
        return self._visible[row]

    def shown(self, row: int) -> ShownRow:
        outline = self._known()
        place = self._visible[row]
        facts = outline.row(place)
        hidden = self.hidden(place)
        streaming = self.streaming is not None and self.row_of(self.streaming) == row
        return ShownRow(
            place,
            facts,
            self._text(facts),
            words.meta(facts, hidden=hidden, streaming=streaming),
            outline.lanes.is_active(place),
            place == outline.leaf_place,
            hidden,
            self.matches(place),
            streaming,
            self.searched if self._matches is not None else (),
        )

    def load(self, rows: range) -> None:
        """Read the words of these rows in as few calls as possible."""
        outline = self._known()
        spoken, order, key = outline.text_entry, outline.lanes.row, outline.tree.key
        self._entries.load([key(spoken[order[self._visible[row]]]) for row in rows])

    def forget(self) -> None:
        """Another session."""
        self._entries.clear()
        self._folded.clear()
        self._matching = None
        self.streaming = None

    def accessible_name(self, row: int) -> str:
        shown = self.shown(row)
        spoken = words.spoken(shown.row, shown.text, active=shown.active, hidden=shown.hidden, leaf=shown.leaf)
        return words.with_streaming(spoken) if shown.streaming else spoken

    # -- entries and rows -------------------------------------------------------------------------------------

    def key(self, row: int) -> int:
        """The entry whose words the row shows: what one looks at, labels, pins, copies."""
        outline = self._known()
        return outline.tree.key(outline.text_entry[outline.lanes.row[self._visible[row]]])

    def first_key(self, row: int) -> int:
        outline = self._known()
        return outline.tree.key(outline.entry[outline.lanes.row[self._visible[row]]])

    def last_key(self, row: int) -> int:
        """The last entry the row stands for: where one goes on from."""
        outline = self._known()
        return outline.tree.key(outline.last[outline.lanes.row[self._visible[row]]])

    def is_trashed(self, row: int) -> bool:
        """Whether the branch was thrown away from this row on."""
        tree = None if self._outline is None else self._outline.tree
        return tree is not None and tree.get(self.first_key(row)) in tree.trash

    def is_pinned(self, row: int) -> bool:
        return self._visible[row] in self._known().pins

    def row_of(self, key: int | None) -> int | None:
        """The row that shows the entry, or the nearest visible one above it."""
        if self._outline is None:
            return None
        place = self._outline.place_of(self._outline.tree.get(key))
        return None if place is None else self.row_at(place)

    def row_at(self, place: int) -> int | None:
        """The visible row at this place, or the folded one that hides it."""
        return bisect_right(self._visible, place) - 1 if self._visible else None

    @property
    def leaf_row(self) -> int | None:
        place = None if self._outline is None else self._outline.leaf_place
        return None if place is None else self.row_at(place)

    # -- folding ----------------------------------------------------------------------------------------------

    @property
    def folded(self) -> frozenset[int]:
        return frozenset(self._folded)

    def set_folded(self, keys: Iterable[int]) -> None:
        self._folded = set(keys)
        self._fold_anew()

    def is_foldable(self, row: int) -> bool:
        """The first row of a branch, or of the session, with something below it."""
        lanes, place = self._known().lanes, self._visible[row]
        return lanes.size[place] > 1 and (lanes.parent[place] < 0 or place in lanes.siblings)

    def is_folded(self, row: int) -> bool:
        return self._visible[row] in self._folds

    def hidden(self, place: int) -> int:
        return self._known().lanes.size[place] - 1 if place in self._folds else 0

    def fold(self, row: int, *, fold: bool) -> None:
        (self._folded.add if fold else self._folded.discard)(self.first_key(row))
        self._fold_anew()

    def fold_sides(self) -> None:
        """Fold everything but the active path."""
        self._folded.update(self._side_keys())
        self._fold_anew()

    @property
    def has_sides(self) -> bool:
        return any(True for _ in self._side_keys())

    def unfold_all(self) -> None:
        self._folded.clear()
        self._fold_anew()

    def reveal(self, key: int | None) -> bool:
        """Unfold what hides the entry; whether anything did."""
        outline = self._outline
        entry = None if outline is None else outline.tree.get(key)
        place = None if outline is None else outline.place_of(entry)
        if outline is None or place is None:
            return False
        hiding = [at for at in self._folds if at < place < at + outline.lanes.size[at]]
        for at in hiding:
            self._folded.discard(outline.tree.key(outline.entry[outline.lanes.row[at]]))
        if hiding:
            self._fold_anew()
        return bool(hiding)

    def _side_keys(self) -> Iterable[int]:
        if self._outline is not None:
            lanes, tree, entry = self._outline.lanes, self._outline.tree, self._outline.entry
            yield from (tree.key(entry[lanes.row[at]]) for at in self._outline.side_heads if lanes.size[at] > 1)

    def _fold_anew(self) -> None:
        outline = self._outline
        self._folds = set()
        self._visible = ()
        if outline is not None:
            for key in self._folded:
                entry = outline.tree.get(key)
                place = outline.place_of(entry)
                heads = place is not None and outline.entry[outline.lanes.row[place]] == entry
                if place is not None and heads and outline.lanes.size[place] > 1:
                    self._folds.add(place)
            self._visible = outline.lanes.visible(self._folds) if self._folds else range(len(outline))

    # -- moving -----------------------------------------------------------------------------------------------

    def sibling(self, row: int, step: int) -> int | None:
        """The branch beside the one this row is on: its first row."""
        outline = self._known()
        place = outline.branch_start(self._visible[row])
        peers = outline.peers(place)
        at = peers.index(place) + step
        return self.row_at(peers[at]) if 0 <= at < len(peers) else None

    def segment_start(self, row: int) -> int | None:
        """The start of the row's branch, or, standing there, of the one it came from."""
        outline, place = self._known(), self._visible[row]
        start = outline.branch_start(place)
        if start == place and outline.lanes.parent[place] >= 0:
            start = outline.branch_start(outline.lanes.parent[place])
        return self.row_at(start) if start != place else None

    def segment_end(self, row: int) -> int | None:
        """The next fork's continuing row down the line, or where the line ends."""
        end = self.row_at(self._known().branch_end(self._visible[row]))
        return end if end != row else None

    # -- searching --------------------------------------------------------------------------------------------

    def set_matches(self, keys: Iterable[int] | None) -> None:
        """Keys of the entries that match a search; None when nothing is searched for."""
        self._matching = keys
        self._matches = None
        outline = self._outline
        if keys is not None and outline is not None:
            places = {outline.place_of(outline.tree.get(key)) for key in keys}
            self._matches = sorted(place for place in places if place is not None)

    @property
    def match_count(self) -> int | None:
        """Rows that match; None when nothing is searched for."""
        return None if self._matches is None else len(self._matches)

    @property
    def match_rows(self) -> list[int]:
        """The visible rows that match or hide a match, ascending; none when nothing is searched for."""
        rows = dict.fromkeys(self.row_at(place) for place in self._matches or ())
        return [row for row in rows if row is not None]

    def matches(self, place: int) -> bool:
        if self._matches is None:
            return True
        at = bisect_left(self._matches, place)
        return at < len(self._matches) and self._matches[at] == place

    def next_match(self, row: int | None, step: int = 1) -> tuple[int, int] | None:
        """(key, number from 1) of the match after or before this row, going round; None when there is none."""
        outline = self._outline
        if not self._matches or outline is None:
            return None
        place = -1 if row is None else self._visible[row]
        at = bisect_right(self._matches, place) if step > 0 else bisect_left(self._matches, place) - 1
        at %= len(self._matches)
        return outline.tree.key(outline.text_entry[outline.lanes.row[self._matches[at]]]), at + 1

    # -- parts ------------------------------------------------------------------------------------------------

    def _known(self) -> Outline:
        assert self._outline is not None  # there are no rows without one
        return self._outline

    def _text(self, row: Row) -> str:
        tree = self._known().tree
        sizes = None
        if row.shape is Shape.COMPACTION:
            sizes = self.compacted.get(row.entry) or Sizes(stored_size_before(tree, row.entry), UNKNOWN)
        return words.title(row, self._entries.get(tree.key(row.text_entry)), sizes)

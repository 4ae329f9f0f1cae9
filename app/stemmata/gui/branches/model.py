"""The model of the navigator: an outline, its folded branches, and the matches of a search.

A row is the number of a visible row, from 0; a place is a position in the outline, which also counts folded rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stemmata.domain.context.breakdown import Sizes, stored_size_before
from stemmata.domain.entries.entry import Flag, Kind
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.entries.figures import UNKNOWN
from stemmata.domain.navigator.outline import Outline, Row, Shape, Stretch
from stemmata.gui.branches import words
from stemmata.services.ports.archive import Pages

PAGE = 64  # keys per call, limited by the store on the GUI thread
KEPT = 2048  # maximum number of cached rows


class EntryRows:
    """Caches the archive's rows of entries, which never change."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._rows: OrderedDict[int, EntryRow | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def load(self, keys: Iterable[int]) -> None:
        """Read the rows that are not cached."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._rows]
        for start in range(0, len(missing), PAGE):
            page = missing[start : start + PAGE]
            found = self._with_notes(self._pages.rows(page))
            self._rows.update((key, found.get(key)) for key in page)
        while len(self._rows) > KEPT:
            self._rows.popitem(last=False)

    def _with_notes(self, rows: dict[int, EntryRow]) -> dict[int, EntryRow]:
        """Return the rows, in which Stemmata's own notes have their text in the language of the window."""
        notes = [key for key, row in rows.items() if row.kind is Kind.CUSTOM_MESSAGE and row.flags & Flag.OWN]
        bodies = self._pages.bodies(notes, limit=1) if notes else {}
        told = ((key, words.note_text(body.details)) for key, body in bodies.items())
        return rows | {key: replace(rows[key], preview=text) for key, text in told if text}

    def get(self, key: int) -> EntryRow | None:
        """Return the row of an entry, from the cache or the archive; None when the archive does not have it."""
        if key not in self._rows:
            self.load([key])
        self._rows.move_to_end(key)
        return self._rows[key]

    def clear(self) -> None:
        """Remove all rows from the cache."""
        self._rows.clear()


@dataclass(frozen=True, slots=True)
class ShownRow:
    """The values that a visible row is painted from."""

    place: int
    row: Row
    text: str
    meta: str
    active: bool
    leaf: bool
    hidden: int  # number of folded rows below it
    matches: bool
    streaming: bool = False  # whether a streaming reply follows this row
    searched: tuple[str, ...] = ()  # words to highlight in the text
    viewed: bool = False  # whether the row is on the path that the transcript shows
    removed: str = ""  # by which tool the row was removed, and when; "" while its tool has it


class BranchesModel:
    """The rows of the navigator. Entries are store keys, rows are numbered from 0 at the top."""

    def __init__(self, pages: Pages) -> None:
        self._entries = EntryRows(pages)
        self._outline: Outline | None = None
        self._visible: Sequence[int] = ()  # places, ascending
        self._folded: set[int] = set()  # keys of the first entries of folded rows, including those of other densities
        self._folds: set[int] = set()  # the folded places of the current outline
        self.compacted: Mapping[int, Sizes] = {}  # compaction → context sizes before and after it
        self._matches: Sequence[int] | None = None  # places, ascending
        self._matching: Iterable[int] | None = None  # keys of the matches, for the next outline
        self.searched: tuple[str, ...] = ()  # the words of the search
        self.streaming: int | None = None
        self.reading: int | None = None  # key of the entry that the transcript shows at the reading position
        self._viewed: int | None = None  # key of the last entry of the path that the transcript shows
        self.viewed: Sequence[Stretch] = ()  # the lines of that path
        self.deepest = 0  # index of the rightmost lane of the outline
        self.tool = ""  # name of the tool from which the session comes

    # -- display ----------------------------------------------------------------------------------------------

    @property
    def outline(self) -> Outline | None:
        """The outline, None while no tree is shown."""
        return self._outline

    def set_outline(self, outline: Outline | None) -> None:
        """Set the outline, keeping folds and matches by key."""
        known = self._outline
        if known is not None and outline is not None and not outline.tree.extends(known.tree):
            self._entries.clear()  # entries may have been marked
        self._outline = outline
        self.deepest = outline.deepest if outline is not None else 0
        self.set_matches(self._matching)
        self._fold_anew()
        self.set_viewed(self._viewed)

    def set_viewed(self, key: int | None) -> None:
        """Set the last entry (key) of the path that the transcript shows; None for no path."""
        self._viewed, outline = key, self._outline
        self.viewed = () if outline is None else outline.lines_to(outline.place_of(outline.tree.get(key)))

    def is_viewed(self, place: int) -> bool:
        """Return whether the row at this place is on the path that the transcript shows."""
        lane = self._known().lanes.lane[place]
        return any(part.lane == lane and part.first <= place <= part.last for part in self.viewed)

    @property
    def reading_row(self) -> int | None:
        """The row of the entry that is being read in the transcript, the first one above all rows; None for none."""
        row = self.row_of(self.reading)
        return 0 if row is None and self.reading is not None and len(self) else row

    def __len__(self) -> int:
        return len(self._visible)

    @property
    def places(self) -> Sequence[int]:
        """The places of the visible rows, ascending; a change replaces the sequence."""
        return self._visible

    def place(self, row: int) -> int:
        """Return the place of a row."""
        return self._visible[row]

    def shown(self, row: int) -> ShownRow:
        """Return the values that a row is painted from."""
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
            viewed=self.is_viewed(place),
            removed=self._removed(facts) if facts.removed else "",
        )

    @property
    def looks(self) -> tuple[object, ...]:
        """The objects from which all rows are painted.

        When a row changes, one of them is replaced by another object.
        """
        searched = self._matches, self.searched
        return (self._outline, self._visible, *searched, self.viewed, self.compacted, self.tool, self.streaming)

    def load(self, rows: Iterable[int]) -> None:
        """Read the texts of these rows into the cache, in as few calls as possible."""
        outline = self._known()
        spoken, order, key = outline.text_entry, outline.lanes.row, outline.tree.key
        self._entries.load([key(spoken[order[self._visible[row]]]) for row in rows])

    def forget(self) -> None:
        """Drop everything that belongs to the session that was shown."""
        self._entries.clear()
        self._folded.clear()
        self._matching = None
        self.streaming = self.reading = self._viewed = None

    def accessible_name(self, row: int) -> str:
        """Return the text of a row for screen readers."""
        shown = self.shown(row)
        spoken = words.spoken(
            shown.row,
            shown.text,
            active=shown.active,
            hidden=shown.hidden,
            leaf=shown.leaf,
            removed=shown.removed,
        )
        return words.with_streaming(spoken) if shown.streaming else spoken

    # -- entries and rows -------------------------------------------------------------------------------------

    def key(self, row: int) -> int:
        """Return the key of the entry whose text the row shows, on which most actions act."""
        outline = self._known()
        return outline.tree.key(outline.text_entry[outline.lanes.row[self._visible[row]]])

    def first_key(self, row: int) -> int:
        """Return the key of the row's first entry."""
        outline = self._known()
        return outline.tree.key(outline.entry[outline.lanes.row[self._visible[row]]])

    def last_key(self, row: int) -> int:
        """Return the key of the row's last entry, from which a conversation continues."""
        outline = self._known()
        return outline.tree.key(outline.last[outline.lanes.row[self._visible[row]]])

    def is_trashed(self, row: int) -> bool:
        """Return whether this row is the root of a trashed branch."""
        tree = None if self._outline is None else self._outline.tree
        return tree is not None and tree.get(self.first_key(row)) in tree.trash

    def is_pinned(self, row: int) -> bool:
        """Return whether the row has a pin."""
        return self._visible[row] in self._known().pins

    def row_of(self, key: int | None) -> int | None:
        """Return the row that shows the entry (key), or the nearest visible one above it; None if it has no row."""
        if self._outline is None:
            return None
        place = self._outline.place_of(self._outline.tree.get(key))
        return None if place is None else self.row_at(place)

    def row_at(self, place: int) -> int | None:
        """Return the row at this place, or the folded row that hides it; None without rows."""
        return bisect_right(self._visible, place) - 1 if self._visible else None

    @property
    def leaf_row(self) -> int | None:
        """The row of the leaf, or the nearest visible one above it; None without a leaf."""
        place = None if self._outline is None else self._outline.leaf_place
        return None if place is None else self.row_at(place)

    # -- folding ----------------------------------------------------------------------------------------------

    @property
    def folded(self) -> frozenset[int]:
        """Keys of the first entries of all folded rows."""
        return frozenset(self._folded)

    def set_folded(self, keys: Iterable[int]) -> None:
        """Fold exactly the rows that begin with these entries (keys)."""
        self._folded = set(keys)
        self._fold_anew()

    def is_foldable(self, row: int) -> bool:
        """Return whether the row is the first of a branch or of the session, with rows below it."""
        lanes, place = self._known().lanes, self._visible[row]
        return lanes.size[place] > 1 and (lanes.parent[place] < 0 or place in lanes.siblings)

    def is_folded(self, row: int) -> bool:
        """Return whether the row is folded."""
        return self._visible[row] in self._folds

    def hidden(self, place: int) -> int:
        """Return how many rows are folded below this place."""
        return self._known().lanes.size[place] - 1 if place in self._folds else 0

    def fold(self, row: int, *, fold: bool) -> None:
        """Fold or unfold a row."""
        (self._folded.add if fold else self._folded.discard)(self.first_key(row))
        self._fold_anew()

    def fold_sides(self) -> None:
        """Fold all branches except the active path."""
        self._folded.update(self._side_keys())
        self._fold_anew()

    @property
    def has_sides(self) -> bool:
        """Whether the outline has foldable branches besides the active path."""
        return any(True for _ in self._side_keys())

    def unfold_all(self) -> None:
        """Unfold all rows."""
        self._folded.clear()
        self._fold_anew()

    def reveal(self, key: int | None) -> bool:
        """Unfold the rows that hide the entry (key); return whether any did."""
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
        """Return the first row of the sibling branch `step` positions after the row's own; None when it has none."""
        outline = self._known()
        place = outline.branch_start(self._visible[row])
        peers = outline.peers(place)
        at = peers.index(place) + step
        return self.row_at(peers[at]) if 0 <= at < len(peers) else None

    def segment_start(self, row: int) -> int | None:
        """Return the first row of the row's branch, or from there of its parent branch; None when there is none."""
        outline, place = self._known(), self._visible[row]
        start = outline.branch_start(place)
        if start == place and outline.lanes.parent[place] >= 0:
            start = outline.branch_start(outline.lanes.parent[place])
        return self.row_at(start) if start != place else None

    def segment_end(self, row: int) -> int | None:
        """Return the row where the next branch on the line starts, or the line's last row; None if it is this row."""
        end = self.row_at(self._known().branch_end(self._visible[row]))
        return end if end != row else None

    # -- searching --------------------------------------------------------------------------------------------

    def set_matches(self, keys: Iterable[int] | None) -> None:
        """Set the keys of the entries that match a search; None without a search."""
        self._matching = keys
        self._matches = None
        outline = self._outline
        if keys is not None and outline is not None:
            places = {outline.place_of(outline.tree.get(key)) for key in keys}
            self._matches = sorted(place for place in places if place is not None)

    @property
    def match_count(self) -> int | None:
        """The number of matching rows, including folded ones; None without a search."""
        return None if self._matches is None else len(self._matches)

    @property
    def match_rows(self) -> list[int]:
        """The visible rows that match or hide a match, ascending; empty without a search."""
        rows = dict.fromkeys(self.row_at(place) for place in self._matches or ())
        return [row for row in rows if row is not None]

    def matches(self, place: int) -> bool:
        """Return whether the row at this place matches the search; True without a search."""
        if self._matches is None:
            return True
        at = bisect_left(self._matches, place)
        return at < len(self._matches) and self._matches[at] == place

    def next_match(self, key: int | None, step: int = 1) -> tuple[int, int] | None:
        """Return the match after (`step` 1) or before (-1) this entry (key), wrapping around; None without a match.

        The match is a tuple of its key and its number, from 1. An entry without a row counts as None.
        """
        outline = self._outline
        if not self._matches or outline is None:
            return None
        place = outline.place_of(outline.tree.get(key))
        place = -1 if place is None else place
        at = bisect_right(self._matches, place) if step > 0 else bisect_left(self._matches, place) - 1
        at %= len(self._matches)
        return outline.tree.key(outline.text_entry[outline.lanes.row[self._matches[at]]]), at + 1

    # -- parts ------------------------------------------------------------------------------------------------

    def _known(self) -> Outline:
        assert self._outline is not None  # without an outline there are no rows
        return self._outline

    def _removed(self, row: Row) -> str:
        entry = self._entries.get(self._known().tree.key(row.text_entry))
        return words.removed_words(self.tool, 0 if entry is None else entry.removed)

    def _text(self, row: Row) -> str:
        tree = self._known().tree
        sizes = None
        if row.shape is Shape.COMPACTION:
            sizes = self.compacted.get(row.entry) or Sizes(stored_size_before(tree, row.entry), UNKNOWN)
        return words.title(row, self._entries.get(tree.key(row.text_entry)), sizes)

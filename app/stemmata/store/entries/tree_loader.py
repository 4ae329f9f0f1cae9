"""Whole trees as columns, and queries along paths that need no tree.

A session's tree is its own entries and, for a session that shares entries of its lineage, the shared ones: the
ancestors of those listed in `shares`. Everything is fetched as one JSON row (a row at a time waits for the GIL).
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import orjson

from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.tree import ROOT, UNRESOLVED, Columns, Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, stored
from stemmata.store.entries.joining import joined
from stemmata.store.entries.tree_pieces import CODES, NUMBERS, Piece, TreePieces, Values, positions, would_help

_FIXED = ("system", "tools")  # the newest columns
_USUAL = dict.fromkeys(("kind", "flags", "thinking", "calls", "images"), "0")
_USUAL |= dict.fromkeys(("reported", *_FIXED), "-1")
_DENSE = ("role", "time", "text", "label")
_EXPRESSIONS = ("key", "ifnull(parent, 0)", *NUMBERS, "ifnull(target, 0)", "label")
FETCHED = 50_000  # entries fetched at once
OWN = "entries WHERE session = ?1"
_NO_KEY = 2**63 - 1  # larger than all keys
_ASCENT = """
    SELECT entry AS key FROM shares WHERE session = ?1
    UNION SELECT entries.parent FROM up CROSS JOIN entries ON entries.key = up.key WHERE entries.parent IS NOT NULL
"""
_SHARED = f"""
    (WITH RECURSIVE up (key) AS ({_ASCENT}), members (key) AS (
        SELECT key FROM up UNION SELECT key FROM entries WHERE session = ?1)
    SELECT entries.* FROM members CROSS JOIN entries ON entries.key = members.key) AS entries WHERE true
"""
_STRETCH = "SELECT key, parent FROM entries WHERE key <= ? AND parent IS NOT key - 1 ORDER BY key DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class LoadedTree:
    """A tree as it was read. `upto` is the last key of the archive then, `names` maps ids of names to positions.

    `visited` is the number of entries that were read from their rows, with a tree that was read whole. `is_shared`
    says whether other sessions have some of the entries; no pieces are stored then.
    """

    tree: Tree
    upto: int
    names: dict[int, int]  # id → position in the tree's names
    visited: int = 0
    is_shared: bool = False

    @property
    def lacks_pieces(self) -> bool:
        """Whether the tree is large and most of it was read from rows that could be stored as pieces."""
        return not self.is_shared and would_help(len(self.tree), self.visited)

    @property
    def labels(self) -> list[int]:
        """The ids of the tree's names."""
        return sorted(self.names, key=self.names.__getitem__)

    def while_held(self) -> Callable[[], LoadedTree | None]:
        """Return a function that returns this loaded tree while another object holds it, and None afterwards."""
        held, upto, names = ref(self.tree), self.upto, self.names

        def found() -> LoadedTree | None:
            tree = held()
            return None if tree is None else LoadedTree(tree, upto, names)

        return found


class TreeLoader:
    """Read trees as columns, and walk trees without loading them.

    `of_older` reads an archive that a migration is changing and that has no sizes of fixed parts yet.
    """

    def __init__(self, connection: sqlite3.Connection, *, of_older: bool = False) -> None:
        self._connection = connection
        self._missing = _FIXED if of_older else ()
        self._pieces = None if of_older else TreePieces(connection)

    # -- the whole tree ---------------------------------------------------------------------------------------

    def tree(self, session: int) -> Tree:
        """Return the tree of a session. Raises NotFoundError for an unknown session."""
        return self.loaded(session).tree

    def loaded(self, session: int, known: LoadedTree | None = None) -> LoadedTree:
        """Return the tree of a session; if an earlier state is `known`, read only the entries appended since."""
        upto = self._connection.execute("SELECT ifnull(max(key), 0) FROM entries").fetchone()[0]
        if known is not None and self.members(session) == OWN:
            grown = self._grown(session, known, upto)
            if grown is not None:
                return grown
        return self._whole(session, upto)

    def from_rows(self, session: int) -> Tree:
        """Return the tree of a session without using stored pieces."""
        return self._whole(session, 0, use_stored=False).tree

    def _whole(self, session: int, upto: int, *, use_stored: bool = True) -> LoadedTree:
        members = self.members(session)
        stored = self._pieces.of(session) if use_stored and self._pieces is not None and members == OWN else []
        pieces: list[Piece] = []
        visited = after = 0
        for piece in stored:
            if piece.keys[0] <= after:  # a damaged archive
                continue
            visited += self._add_rows(pieces, session, members, after, piece.keys[0])
            pieces.append(piece)
            after = piece.keys[-1]
        visited += self._add_rows(pieces, session, members, after, _NO_KEY)
        if not pieces and not self._connection.execute("SELECT 1 FROM sessions WHERE key = ?", (session,)).fetchone():
            raise NotFoundError(Phrase("Session {0} does not exist.", str(session)))
        texts, names = self._table_of(label for piece in pieces for label in piece.labels)
        return LoadedTree(joined(pieces, texts, names), upto, names, visited, members != OWN)

    def _grown(self, session: int, known: LoadedTree, upto: int) -> LoadedTree | None:
        """Return the known tree with the appended entries; None if the tree has to be read whole."""
        if known.upto == upto:
            return LoadedTree(known.tree, upto, known.names)
        keys, parents, *numbers, targets, labels = self._columns(session, f"{OWN} AND key > ?2", known.upto)
        if not keys:
            return LoadedTree(known.tree, upto, known.names)
        if not len(known.tree):
            return None
        where = {key: len(known.tree) + at for at, key in enumerate(keys)}

        def place(key: int, missing: int) -> int:
            old = known.tree.get(key)
            return where.get(key, missing) if old is None else old

        names, texts = known.names, known.tree.columns.names
        new = sorted(set(labels) - names.keys())
        if new:
            texts = (*texts, *self._texts(new))
            names = names | {id: len(names) + at for at, id in enumerate(new)}
        columns = Columns.of(
            (
                keys, [place(key, ROOT) for key in parents], *numbers,
                [place(key, UNRESOLVED) if key else ROOT for key in targets], [names[label] for label in labels],
            ),
            texts,
        )  # fmt: skip
        tree = known.tree.extended(columns)
        return None if tree is None else LoadedTree(tree, upto, names)

    def members(self, session: int) -> str:
        """Return the FROM clause that selects the entries of a session's tree; ?1 is the session."""
        shares = self._connection.execute("SELECT 1 FROM shares WHERE session = ?", (session,)).fetchone()
        return _SHARED if shares else OWN

    def owners(self, session: int) -> list[int]:
        """Return the other sessions that hold entries of this session's tree."""
        members = self.members(session)
        if members == OWN:
            return []
        query = f"SELECT DISTINCT session FROM {members} AND session <> ?1 ORDER BY 1"
        return [owner for (owner,) in self._connection.execute(query, (session,)).fetchall()]

    def _add_rows(self, pieces: list[Piece], session: int, members: str, after: int, before: int) -> int:
        """Add pieces of the members with keys between `after` and `before`, read from rows; returns their number."""
        if after + 1 == before:
            return 0
        found = f"FROM {members} AND key > ?2 AND key < ?3"
        query = f"SELECT ifnull(min(key), 0), ifnull(max(key), 0), count(*) {found}"
        first, last, count = self._connection.execute(query, (session, after, before)).fetchone()
        if count and last - first + 1 == count:
            pieces += (self._run(at, min(last, at + FETCHED - 1)) for at in range(first, last + 1, FETCHED))
        elif count:
            pieces.append(_piece_of(self._columns(session, f"{members} AND key > ?2 AND key < ?3", after, before)))
        return int(count)

    def _run(self, first: int, last: int) -> Piece:
        """Read entries whose keys have no gaps.

        Of most columns only unusual values are fetched, since half of the time goes into formatting and parsing
        numbers. They are fetched in pieces, because as text and objects they take many times their size in the tree.
        """
        sparse = {name: f"{name} IS NOT {usual}" for name, usual in _USUAL.items()}
        sparse |= {"parent": "parent IS NOT key - 1 OR key = ?1", "target": "target IS NOT NULL"}
        wanted = [f"json_group_array({name})" for name in _DENSE]
        for name, condition in sparse.items():
            where = f"FILTER (WHERE {condition})"
            wanted += (f"json_group_array(key - ?1) {where}", f"json_group_array(ifnull({name}, 0)) {where}")
        listed = ", ".join((*_DENSE, *(self._selected(name) for name in sparse)))
        rows = f"(SELECT key, {listed} FROM entries NOT INDEXED)" if self._missing else "entries NOT INDEXED"
        query = f"SELECT {', '.join(wanted)} FROM {rows} WHERE key BETWEEN ?1 AND ?2"  # as the table is stored
        row = [orjson.loads(text) for text in self._connection.execute(query, (first, last)).fetchone()]
        role, time, text, labels = row[: len(_DENSE)]
        numbers: dict[str, Values] = {"role": array("b", bytes(role)), "time": array("q", time)}
        numbers["text"] = array("i", text)
        pairs = dict(zip(sparse, zip(row[len(_DENSE) :: 2], row[len(_DENSE) + 1 :: 2], strict=True), strict=True))
        for name, usual in _USUAL.items():
            numbers[name] = _sparse_column(CODES[name], int(usual), last - first + 1, *pairs[name])
        used = sorted(set(labels))
        return Piece(range(first, last + 1), numbers, pairs["parent"], pairs["target"], used, positions(labels, used))

    def _selected(self, name: str) -> str:
        """Return a column as SQL; its usual value where the archive does not have the column yet."""
        return f"{_USUAL[name]} AS {name}" if name in self._missing else name

    def _columns(self, session: int, members: str, *after: int) -> list[list[int]]:
        """Return the columns of the members; `after` is the value of ?2.

        Values are parameters: a statement with a new text each time would be compiled each time, and the last 128 of
        them would fill the cache of compiled statements.
        """
        arrays = ", ".join(f"json_group_array(c{at})" for at in range(len(_EXPRESSIONS)))
        known = (_USUAL[name] if name in self._missing else name for name in _EXPRESSIONS)
        inner = ", ".join(f"{expression} AS c{at}" for at, expression in enumerate(known))
        query = f"SELECT {arrays} FROM (SELECT {inner} FROM {members} ORDER BY key)"
        row = self._connection.execute(query, (session, *after)).fetchone()
        return [orjson.loads(text) for text in row]

    def _table_of(self, labels: Iterable[int]) -> tuple[tuple[str, ...], dict[int, int]]:
        """Return the table of the names that are used, and each id's position in it. The first name is empty."""
        used = sorted({0, *labels})
        return self._texts(used), {id: at for at, id in enumerate(used)}

    def _texts(self, ids: Sequence[int]) -> tuple[str, ...]:
        query = "SELECT json_group_object(id, text) FROM names WHERE id IN (SELECT value FROM json_each(?))"
        texts = from_json(self._connection.execute(query, (orjson.dumps(ids).decode(),)).fetchone()[0])
        return tuple(restored(texts[str(id)]) for id in ids)

    # -- columns of text --------------------------------------------------------------------------------------

    def ids(self, session: int) -> list[str]:
        """Return the source's ids of all entries, in the order of the tree."""
        return [restored(text) for text in self._strings(session, "id")]

    def previews(self, session: int) -> list[str]:
        """Return the previews of all entries, in the order of the tree."""
        return self._strings(session, "preview")

    def _strings(self, session: int, column: str) -> list[str]:
        query = f"SELECT json_group_array({column}) FROM (SELECT {column} FROM {self.members(session)} ORDER BY key)"
        found: list[str] = from_json(self._connection.execute(query, (session,)).fetchone()[0])
        return found

    # -- single entries ---------------------------------------------------------------------------------------

    def tail(self, entry: int, count: int) -> list[int]:
        """Return the keys of the last `count` entries on the path to an entry, oldest first."""
        query = """
            WITH RECURSIVE up (key, parent, step) AS (
                SELECT key, parent, 1 FROM entries WHERE key = ?
                UNION ALL SELECT entries.key, entries.parent, up.step + 1
                FROM up JOIN entries ON entries.key = up.parent WHERE up.step < ?)
            SELECT json_group_array(key) FROM up"""
        keys: list[int] = orjson.loads(self._connection.execute(query, (entry, count)).fetchone()[0])
        return _without_cycle(keys)[::-1] if count > 0 else []

    def ascent(self, entry: int) -> list[range]:
        """Return the keys of the path to an entry as ranges, the last ones first.

        Takes a fraction of the time of `tail`, since most entries are written right after their parent.
        """
        out: list[range] = []
        ends: dict[int, int] = {}  # by first key, where links of parents form a circle
        at: int | None = entry
        while at is not None:
            first, parent = self._connection.execute(_STRETCH, (at,)).fetchone() or (at, None)
            if first in ends and ends[first] >= at:
                break
            ends[first] = at
            out.append(range(first, at + 1))
            at = parent
        return out

    def has_trash(self, session: int) -> bool:
        """Return whether any entry moved a branch to the trash."""
        query = f"SELECT 1 FROM {self.members(session)} AND kind = {Kind.TRASH:d} LIMIT 1"
        return self._connection.execute(query, (session,)).fetchone() is not None

    def entry_key(self, session: int, id: str) -> int:
        """Return the key of an entry by its id or a unique prefix. Raises NotFoundError for none or several."""
        text = stored(id)
        for condition in ("id = ?2", "substr(id, 1, length(?2)) = ?2") if id else ():
            query = f"SELECT key, session FROM {self.members(session)} AND {condition} LIMIT 2"
            found: list[tuple[int, int]] = self._connection.execute(query, (session, text)).fetchall()
            own = [key for key, owner in found if owner == session]
            if len(found) == 1 or (condition == "id = ?2" and own):
                return own[0] if own else found[0][0]
            if found:
                raise NotFoundError(Phrase("Several entries match “{0}”. Give more characters of the id.", id))
        raise NotFoundError(Phrase("No entry of this session matches “{0}”.", id))


def _sparse_column(code: str, usual: int, count: int, places: Sequence[int], values: Sequence[int]) -> Values:
    """Return a column that has the usual value at all positions except these."""
    if not places:
        return usual
    out = array(code, (usual,)) * count
    for place, value in zip(places, values, strict=True):
        out[place] = value
    return out


def _piece_of(columns: Sequence[Sequence[int]]) -> Piece:
    """Return a piece of the columns in `_EXPRESSIONS`."""
    keys, parents, *numbers, targets, labels = columns
    starts = [at for at, parent in enumerate(parents) if not at or parent != keys[at - 1]]
    aimed = [at for at, target in enumerate(targets) if target]
    used = sorted(set(labels))
    return Piece(
        keys,
        {name: array(code, values) for (name, code), values in zip(CODES.items(), numbers, strict=True)},
        (starts, [parents[at] for at in starts]),
        (aimed, [targets[at] for at in aimed]),
        used,
        positions(labels, used),
    )


def _without_cycle(keys: list[int]) -> list[int]:
    """Return an ascent without repetitions: a circle of parents ends at its first entry, where the tree cuts it."""
    seen: dict[int, int] = {}
    for at, key in enumerate(keys):
        if key in seen:
            circle: Any = keys[seen[key] : at]
            return keys[: seen[key] + circle.index(min(circle)) + 1]
        seen[key] = at
    return keys

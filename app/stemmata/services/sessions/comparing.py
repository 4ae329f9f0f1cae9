"""Comparing two branches of a session, and copying a prompt from one to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace

from stemmata.domain.compare.comparison import Comparison, Side, branch_point_of, compare, own_label, side_of
from stemmata.domain.compare.turns import TurnStep
from stemmata.domain.context.breakdown import breakdowns_around
from stemmata.domain.entries.blocks import Block, Text, Thinking
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow, whole_entry
from stemmata.domain.entries.prompts import is_prompt
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.text.json_text import compact_json
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.branching import Position

PAGE = 64  # entries in memory at a time
SAID = frozenset({Kind.MESSAGE, Kind.COMPACTION, Kind.BRANCH_SUMMARY, Kind.CUSTOM_MESSAGE})
MOST_TEXT = 20_000  # characters of a prompt or reply that are compared
MOST_OUTPUT = 4_000  # characters of a tool's output; its first and last lines are kept


class Comparing:
    """Compares branches and copies turns. Methods return futures; changes are published after they are stored."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock) -> None:
        self._archive = archive
        self._notices = notices
        self._clock = clock

    def compare(self, session: int, left: int | None, right: int | None) -> Future[Comparison]:
        """Compare the paths to two entries, from their common ancestor on. None is the start, before the first entry.

        Only entries below the common ancestor are read. Fails with NothingToDoError when both entries are the same,
        with
        NotFoundError when an entry is not in the session.
        """

        def job(reader: ArchiveReader) -> Comparison:
            if left == right:
                raise NothingToDoError("Both entries are on the same branch. Choose an entry of another branch.")
            tree = reader.tree(session)
            place = branch_point_of(tree, _index(tree, left), _index(tree, right))
            ancestor = None if place.ancestor is None else tree.key(place.ancestor)
            origin = _origin(reader, tree, place.ancestor)
            ours, theirs = _side(reader, tree, place.left, ancestor), _side(reader, tree, place.right, ancestor)
            sizes = {
                tree.key(entry): breakdowns_around(tree, entry)
                for entry in (*place.left, *place.right)
                if tree.kind(entry) is Kind.COMPACTION
            }
            return replace(compare(ancestor, origin, ours, theirs), sizes=sizes)

        return self._archive.read(job)

    def copy_turn(
        self, session: int, entries: Sequence[int], onto: int | None, initiator: object = None
    ) -> Future[Position]:
        """Append a turn's prompt to another branch as a new entry and move the leaf to it.

        `entries` are the turn's, `onto` is the last entry of the other branch. Fails with NothingToDoError when the
        turn
        has no prompt.
        """

        def job(writer: ArchiveWriter) -> Position:
            wanted = [*entries, *(() if onto is None else (onto,))]
            rows = writer.rows(wanted)
            found = (rows[key] for key in entries if key in rows)
            request = next((row.key for row in found if is_prompt(row.kind, row.role, row.flags)), None)
            if request is None:
                raise NothingToDoError("This turn has no prompt to copy: its branch begins inside the turn.")
            copy = Entry(
                id=self._clock.new_id(),
                parent=None if onto is None else rows[onto].id,
                role=Role.USER,
                time=self._clock.now(),
                blocks=writer.bodies([request])[request].blocks,
                flags=Flag.OWN,
                details=compact_json({"copied_from": rows[request].id}),
            )
            [key] = writer.append(session, [copy])
            writer.move_leaf(session, key, "copy-turn", time=self._clock.now())
            writer.refresh(session)
            return Position(session, key)

        def publish(position: Position) -> Position:
            added = () if position.leaf is None else (position.leaf,)
            what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
            self._notices.publish(ChangeSet(what, session, added, initiator))
            return position

        return then(self._archive.write(job), publish)


def _index(tree: Tree, key: int | None) -> int | None:
    found = tree.get(key)
    if found is None and key is not None:
        raise NotFoundError("This entry is no longer in the session. Nothing was compared.")
    return found


def _origin(reader: ArchiveReader, tree: Tree, ancestor: int | None) -> str:
    """Return the last message before the branches part. The ancestor itself may be a change of the model."""
    columns, at = tree.columns, -1 if ancestor is None else ancestor
    while at >= 0 and columns.kind[at] not in SAID:
        at = columns.parent[at]
    if at < 0:
        return ""
    key = tree.key(at)
    return reader.rows([key])[key].preview


def _side(reader: ArchiveReader, tree: Tree, entries: Sequence[int], ancestor: int | None) -> Side:
    keys = [tree.key(entry) for entry in entries]
    return side_of(_steps(reader, keys), keys[-1] if keys else ancestor, own_label(tree, entries))


def _steps(reader: ArchiveReader, keys: Sequence[int]) -> Iterator[TurnStep]:
    for start in range(0, len(keys), PAGE):
        page = keys[start : start + PAGE]
        rows, bodies = reader.rows(page), reader.bodies(page)
        for key in page:
            yield _step(rows[key], bodies.get(key, Body(key, ())))


def _step(row: EntryRow, body: Body) -> TurnStep:
    """Return an entry for the comparison, without thinking and with shortened texts."""
    is_output = row.role in (Role.TOOL_RESULT, Role.BASH_EXECUTION)
    blocks = [
        _output(block) if is_output else _shortened_text(block)
        for block in body.blocks
        if not isinstance(block, Thinking)
    ]
    cut = 0 if is_output else sum(map(_left_out, body.blocks))
    return TurnStep(row.key, whole_entry(row, replace(body, blocks=tuple(blocks))), row.tokens, cut)


def _shortened_text(block: Block) -> Block:
    return Text(block.text[:MOST_TEXT]) if isinstance(block, Text) else block


def _output(block: Block) -> Block:
    """Return a block with only the beginning and the end of a long output."""
    if not isinstance(block, Text) or len(block.text) <= MOST_OUTPUT:
        return block
    half = MOST_OUTPUT // 2
    return Text(f"{block.text[:half]}\n…\n{block.text[-half:]}")


def _left_out(block: Block) -> int:
    return max(len(block.text) - MOST_TEXT, 0) if isinstance(block, Text) else 0

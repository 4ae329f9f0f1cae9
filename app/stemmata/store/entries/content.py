"""Reading entries by key, as list rows and as bodies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import orjson

from stemmata.domain.entries import blocks as block_codec
from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tokens import to_tokens
from stemmata.store.core.database import undecodable
from stemmata.store.core.stored_json import from_json, from_large_json, to_json
from stemmata.store.core.stored_text import MARK, restored

LARGE = 256 * 1024  # characters of JSON from which on a body also has a head
HEAD_BLOCK = 64 * 1024  # characters of a block in a head
HEAD_TOTAL = 256 * 1024  # characters of all blocks in a head
_BATCH = 256
_KINDS = {kind.value: kind for kind in Kind}  # a request reads thousands of rows
_ROLES = {role.value: role for role in Role}

_NAMES = ("provider", "model", "tool", "name")
_ROWS = """
    SELECT json_group_array(json_array(
        entries.key, id, parent, kind, role, time, flags, {}, call, {}, target, preview,
        text + thinking + calls + images, removed, usage.key IS NOT NULL,
        usage.input, output, cache_read, cache_write, cache_write_1h, usage.total, cost))
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN entries ON entries.key = wanted
    LEFT JOIN usage ON usage.key = entries.key"""
# the bodies as bytes: as text they would be decoded, and encoded again by the parser
_BODIES = """
    SELECT group_concat(bodies.key), CAST(group_concat({}) AS BLOB)
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN bodies ON bodies.key = wanted WHERE {}"""


class ContentRepository:
    """Read rows, bodies and blobs by key."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, keys: Sequence[int], limit: int | None = None) -> dict[int, EntryRow]:
        """Return the rows of these entries by key, names cut at `limit` characters, without unknown keys.

        A name that is stored as JSON text is not cut.
        """
        cut = f"iif(unicode({{0}}) = {ord(MARK)}, {{0}}, substr({{0}}, 1, {limit}))" if limit is not None else "{0}"
        names = [cut.format(name) for name in _NAMES]
        query = _ROWS.format(", ".join(names[:-1]), names[-1])
        out: dict[int, EntryRow] = {}
        for batch in _batches(keys):
            for row in from_json(self._text(query, batch)):
                out[row[0]] = _entry_row(row)
        return out

    def bodies(self, keys: Sequence[int]) -> dict[int, Body]:
        """Return the whole bodies of these entries by key, without unknown keys."""
        out: dict[int, Body] = {}
        for batch in _batches(keys):
            out.update(_body(key, value) for key, value in self._values("body", "head IS NULL", batch))
            for key in self._large(batch):
                (text,) = self._connection.execute("SELECT body FROM bodies WHERE key = ?", (key,)).fetchone()
                out.update([_body(key, from_large_json(text))])
        return out

    def cut_bodies(self, keys: Sequence[int], limit: int) -> dict[int, Body]:
        """Return bodies with every block cut at `limit` characters; of large bodies only the beginnings are read."""
        if limit > HEAD_BLOCK:
            return {key: _cut(body, limit) for key, body in self.bodies(keys).items()}
        out: dict[int, Body] = {}
        for batch in _batches(keys):
            for key, value in self._values("ifnull(head, body)", "true", batch):
                out[key] = _cut(_body(key, value)[1], limit)
        return out

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of a blob, None if it is not stored."""
        row = self._connection.execute("SELECT data FROM blobs WHERE digest = ?", (digest,)).fetchone()
        return row[0] if row else None

    def blob_head(self, digest: str, size: int) -> bytes | None:
        """Return the first `size` bytes of a blob, None if it is not stored."""
        row = self._connection.execute("SELECT rowid FROM blobs WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            return None
        with self._connection.blobopen("blobs", "data", row[0], readonly=True) as blob:  # a query reads all of it
            return blob.read(size)

    def _large(self, keys: Iterable[int]) -> list[int]:
        return [key for key, _ in self._values("0", "head IS NOT NULL", keys)]

    def _values(self, column: str, condition: str, keys: Iterable[int]) -> Iterable[tuple[int, Any]]:
        """Return key and value of the JSON in this column of the bodies."""
        query = _BODIES.format(column, condition)
        found, texts = self._connection.execute(query, (_listed(keys),)).fetchone()
        if found is None:
            return ()
        try:
            values = from_json(b"[%b]" % texts)
        except UnicodeDecodeError as error:
            raise undecodable("a body") from error
        return zip(orjson.loads(f"[{found}]"), values, strict=True)

    def _text(self, query: str, keys: Iterable[int]) -> str:
        found: str = self._connection.execute(query, (_listed(keys),)).fetchone()[0]
        return found


def encoded_blocks(rows: list[list[Any]]) -> bytes | None:
    """Return blocks that `encode` has made lists of as JSON; None if only the standard library can print it."""
    try:
        return orjson.dumps(rows)
    except TypeError:  # lone surrogates
        return None


def body_columns(entry: Entry, encoded: bytes | None = None) -> tuple[int, str | None, str]:
    """Return size, head and body of an entry as the table `bodies` holds them; a small body has no head.

    `encoded` is the JSON of the entry's blocks, where it is known.
    """
    body = _joined(encoded, entry.details) or _body_text(entry.blocks, entry.details)
    if len(body) <= LARGE:
        return len(body), None, body
    blocks, cut = cut_blocks(entry.blocks, HEAD_BLOCK, HEAD_TOTAL)
    details = entry.details if len(entry.details) <= HEAD_BLOCK else ""
    return len(body), _body_text(blocks, details, cut + len(entry.details) - len(details)), body


def _joined(encoded: bytes | None, details: str) -> str | None:
    """Return the body with these blocks, which are JSON already; None if only the standard library can print it."""
    try:
        return None if encoded is None else (b'{"b":%b,"d":%b}' % (encoded, orjson.dumps(details))).decode()
    except TypeError:  # lone surrogates
        return None


def _body_text(blocks: Iterable[Block], details: str, cut: int = 0) -> str:
    value: dict[str, Any] = {"b": block_codec.encode(blocks), "d": details}
    if cut:
        value["cut"] = cut
    return to_json(value)


def cut_blocks(blocks: Iterable[Block], limit: int, total: int) -> tuple[tuple[Block, ...], int]:
    """Return the blocks cut at `limit` characters each and `total` together, and the number of characters cut."""
    out: list[Block] = []
    cut = 0
    for block in blocks:
        short, before, after = _shortened(block, max(0, min(limit, total)))
        cut += before - after
        total -= after
        out.append(short)
    return tuple(out), cut


def _shortened(block: Block, room: int) -> tuple[Block, int, int]:
    """Return the cut block and its length before and after. Signatures are not cut, since a part is invalid."""
    name = _LONG.get(type(block))
    text: str = getattr(block, name) if name else ""
    if name is None or len(text) <= room:
        return block, len(text), len(text)
    changes: dict[str, Any] = {name: text[:room]}
    return replace(block, **changes), len(text), room


_LONG = {Text: "text", Thinking: "text", ToolCall: "arguments", UnknownBlock: "json"}


def _cut(body: Body, limit: int) -> Body:
    blocks, cut = cut_blocks(body.blocks, limit, limit * max(1, len(body.blocks)))
    return Body(body.key, blocks, body.details, body.cut + cut) if cut else body


def _body(key: int, value: dict[str, Any]) -> tuple[int, Body]:
    return key, Body(key, block_codec.decode(value["b"]), value["d"], value.get("cut", 0))


def _entry_row(row: list[Any]) -> EntryRow:
    key, id, parent, kind, role, time, flags, provider, model, tool, call, name, target, preview, units, *rest = row
    removed, has_usage, *usage = rest
    return EntryRow(
        key=key, id=restored(id), parent=parent, kind=_KINDS[kind], role=_ROLES[role], time=time,
        flags=Flag(flags) if flags else Flag.NONE,
        provider=restored(provider), model=restored(model), tool=restored(tool), call=restored(call),
        name=restored(name), target=target if target is None or target > 0 else None, preview=preview,
        tokens=to_tokens(units), usage=Usage(*usage) if has_usage else None, removed=removed or 0,
    )  # fmt: skip


def _listed(keys: Iterable[int]) -> str:
    return orjson.dumps(list(keys)).decode()


def _batches(keys: Sequence[int]) -> Iterable[Sequence[int]]:
    return (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH))

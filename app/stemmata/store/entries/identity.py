"""What makes an entry the one that it is, beside its id: what it says.

Two records of one id that say the same are one entry, however they are written: the order of keys, spaces, usage,
signatures and whatever a tool fills in later are no part of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import orjson

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.store.core.stored_json import from_json, to_json
from stemmata.store.core.stored_text import restored
from stemmata.store.entries.content import ContentRepository

_SIZE = 8  # bytes: a number that SQLite can hold
_FACTS = """
    SELECT entries.key, kind, role, name, call FROM json_each(?) AS wanted
    CROSS JOIN entries ON entries.key = wanted.value"""


def digest_of(entry: Entry) -> int:
    """Equal for entries that say the same."""
    return digest(entry.kind, entry.role, entry.name, entry.call, entry.blocks)


def digest(kind: Kind, role: Role, name: str, call: str, blocks: Iterable[Block]) -> int:
    said = [int(kind), int(role), name, call, [_said(block) for block in blocks]]
    return int.from_bytes(blake2b(to_json(said).encode(), digest_size=_SIZE).digest(), signed=True)


def suffix_of(digest: int, parent: str) -> str:
    """What tells a variant from the entry whose id it has; `parent` is the id of another variant that it follows."""
    return blake2b(f"{digest}:{parent}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def compute_missing(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, int]:
    """The digests of entries that were stored before there were any, also stored now."""
    bodies = ContentRepository(connection).bodies(keys)
    out: dict[int, int] = {}
    for key, kind, role, name, call in connection.execute(_FACTS, (orjson.dumps(list(keys)).decode(),)).fetchall():
        blocks = bodies[key].blocks if key in bodies else ()
        out[key] = digest(Kind(kind), Role(role), restored(name), restored(call), blocks)
    connection.executemany("UPDATE entries SET digest = ? WHERE key = ?", [(made, key) for key, made in out.items()])
    return out


def _said(block: Block) -> list[Any]:
    match block:
        case Text(text):
            return ["t", text]
        case Thinking(text, signature, redacted):
            return ["k", text, signature if redacted else ""]
        case ToolCall(id, name, arguments):
            return ["c", id, name, _canonical(arguments)]
        case Image(media_type, blob, _, name):
            return ["i", media_type, blob or name]
        case _:
            return ["o", block.type, _canonical(block.json)]


def _canonical(text: str) -> str:
    """JSON text with its keys in order."""
    try:
        return orjson.dumps(from_json(text), option=orjson.OPT_SORT_KEYS).decode()
    except (ValueError, TypeError, RecursionError):
        return text

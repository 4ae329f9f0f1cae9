"""Digests of the content of entries, which distinguish entries with the same id.

Two records of one id with the same content are one entry, however they are written: the order of keys, spaces, usage,
signatures and fields that a tool fills in later are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import orjson

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.store.core.stored_json import from_json, json_bytes

_SIZE = 8  # bytes: a number that SQLite can hold
ANY = 0  # in place of a digest: a reader makes more of the entry's record now, so its id, kind and time decide


def digest_of(entry: Entry, encoded: bytes | None = None) -> int:
    """Return the digest of an entry; equal digests mean equal content.

    `encoded` is the JSON of its blocks as `encoded_blocks` returns it. For plain texts the stored JSON is hashed as
    well, so it is not made twice.
    """
    if encoded is not None and all(type(block) is Text and not block.signature for block in entry.blocks):
        try:
            head = orjson.dumps([int(entry.kind), int(entry.role), entry.name, entry.call])
        except TypeError:  # lone surrogates: then the standard library prints all of it
            pass
        else:
            return _hashed(b"%b,%b]" % (head[:-1], encoded))
    return digest(entry.kind, entry.role, entry.name, entry.call, entry.blocks)


def digest(kind: Kind, role: Role, name: str, call: str, blocks: Iterable[Block]) -> int:
    """Return the digest of this content, a signed number of 8 bytes."""
    said = [int(kind), int(role), name, call, [_block_values(block) for block in blocks]]
    return _hashed(json_bytes(said))


def _hashed(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=_SIZE).digest(), signed=True)


def suffix_of(digest: int, parent: str) -> str:
    """Return the suffix that makes a variant's id from the original's. `parent` is its parent variant's id, or ""."""
    return blake2b(f"{digest}:{parent}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _block_values(block: Block) -> list[Any]:
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
    """Return JSON text with sorted keys; other text unchanged."""
    try:
        return orjson.dumps(from_json(text), option=orjson.OPT_SORT_KEYS).decode()
    except (ValueError, TypeError, RecursionError):
        return text

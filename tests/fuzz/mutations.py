"""Ways in which a file of JSON lines goes wrong: by its bytes, by its lines, by the values in them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import zstandard

Mutation = Callable[[Random, bytes], bytes]

_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1 << 31, 1 << 63, 1 << 64, 1 << 200, -(1 << 64), 0.5, -0.0, 1e308, "", "x", "\0",
    "\ud800", "a\udfffb", "🙂", "null", "1e999", [], {}, [[]], ["string", "null"], {"type": ["a"]}, [None], {"": {}},
    "x" * 5000, "9" * 400, "2026-13-45T99:99:99Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59",
)  # fmt: skip
_RAW = (
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"-1e999",
    b"9" * 5000,
    b"1" + b"0" * 400,
    b'"\\ud800"',
    b"01",
    b"'x'",
)
_IDS = ("id", "uuid", "messageId")
_PARENTS = ("parent", "parentId", "parentUuid", "parentMessageId", "parent_message_uuid")
_TIMES = (
    "timestamp", "time", "created", "created_at", "createdAt", "create_time", "updated_at", "updatedAt",
    "update_time",
)  # fmt: skip
_BEHIND_IDS = ("", "#2", "#3", "+2", "+3", "/2", "~2", "#summary")  # what readers put behind ids
_ODD_TIMES = (
    "nan", "inf", "-1e400", "9" * 400, "0000-00-00", "2026-02-30T00:00:00Z", "9999-12-31T23:59:59-23:59", 1e308, -1,
    10**400, 1 << 63, 8.99e9, 9.5e9, 99e9, -99e9, 253_402_300_800_000, -62_135_596_801, True, None,
)  # fmt: skip
_DEEP = (150, 250, 900, 1500, 20_000)
_NEWLINES = (b"\r\n", b"\r", b"\n\n", b" \n", "\u2028".encode(), b"")


def mutations() -> dict[str, Mutation]:
    return {
        "bytes flipped": _flipped,
        "bytes put in": _put_in,
        "bytes taken out": _taken_out,
        "NUL run put in": _nul_run,
        "NUL run instead": _nul_instead,
        "NUL run at the end": lambda random, data: data + bytes(random.choice((1, 512, 70_000))),
        "cut at the end": lambda random, data: data[: random.randrange(len(data) + 1)],
        "cut at the start": lambda random, data: data[random.randrange(len(data) + 1) :],
        "lines taken out": _lines_out,
        "lines shuffled": _lines_shuffled,
        "lines repeated": _lines_repeated,
        "lines joined": _lines_joined,
        "line cut": _line_cut,
        "line of rubbish": _rubbish,
        "other line ends": lambda random, data: data.replace(b"\n", random.choice(_NEWLINES)),
        "BOM": lambda random, data: b"\xef\xbb\xbf" * random.randint(1, 2) + data,
        "UTF-16": lambda random, data: data.decode("utf-8", "replace").encode(random.choice(("utf-16", "utf-16-le"))),
        "Latin-1": lambda _random, data: data.decode("utf-8", "replace").encode("latin-1", "replace"),
        "compressed": _compressed,
        "value replaced": _value_replaced,
        "value of raw text": _raw_value,
        "key taken out": _key_out,
        "key renamed": _key_renamed,
        "values exchanged": _exchanged,
        "parents in a circle": _circle,
        "own parent": _own_parent,
        "ids of others": _ids_of_others,
        "parents of others": _parents_of_others,
        "times out of range": _odd_times,
        "nested deep": _nested,
        "long line": _long_line,
        "ends behind itself": lambda random, data: data + data[: random.randrange(len(data) + 1)],
    }


def unpacked_changed(random: Random, data: bytes) -> bytes:
    """Return a file that was packed by Zstandard, spoilt before it was packed."""
    change = random.choices(list(mutations().values()))[0]
    return zstandard.compress(change(random, zstandard.decompress(data)))


# -- bytes ----------------------------------------------------------------------------------------------------


def _flipped(random: Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 3, 20))):
        if out:
            out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def _put_in(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.randbytes(random.choice((1, 3, 300))) + data[at:]


def _taken_out(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + data[at + random.choice((1, 10, 1000)) :]


def _nul_run(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes(random.choice((1, 16, 4096))) + data[at:]


def _nul_instead(random: Random, data: bytes) -> bytes:
    """Replace bytes by NULs, as a file system may leave them after a power failure."""
    at = random.randrange(len(data) + 1)
    size = min(random.choice((1, 64, 4096)), len(data) - at)
    return data[:at] + bytes(size) + data[at + size :]


def _compressed(random: Random, data: bytes) -> bytes:
    packed = random.choice((gzip.compress, zstandard.compress))(data)
    return packed[: random.randrange(len(packed)) if random.random() < 0.5 else None]


# -- lines ----------------------------------------------------------------------------------------------------


def _split(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) or [b""]


def _lines_out(random: Random, data: bytes) -> bytes:
    share = random.choice((0.05, 0.5))
    return b"".join(line for line in _split(data) if random.random() > share)


def _lines_shuffled(random: Random, data: bytes) -> bytes:
    lines = _split(data)
    if random.random() < 0.5:
        random.shuffle(lines)
    else:
        first = lines.pop(0)
        random.shuffle(lines)
        lines.insert(0, first)
    return b"".join(lines)


def _lines_repeated(random: Random, data: bytes) -> bytes:
    lines = _split(data)
    for _ in range(random.randint(1, 4)):
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"".join(lines)


def _lines_joined(random: Random, data: bytes) -> bytes:
    lines = _split(data)
    at = random.randrange(len(lines))
    lines[at] = lines[at].rstrip(b"\n")
    return b"".join(lines)


def _line_cut(random: Random, data: bytes) -> bytes:
    lines = _split(data)
    at = random.randrange(len(lines))
    lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)] + b"\n"
    return b"".join(lines)


def _rubbish(random: Random, data: bytes) -> bytes:
    lines = _split(data)
    text = random.choice(
        (b"rubbish", b"{", b"[" * 3000, b"{}", b"[]", b"null", b'"text"', b"0", b'{"type":null}', b"\xff\xfe")
    )
    lines.insert(random.randrange(len(lines) + 1), text + b"\n")
    return b"".join(lines)


def _long_line(random: Random, data: bytes) -> bytes:
    lines = _split(data)
    text = b"x" * random.choice((70_000, 300_000))
    lines.insert(
        random.randrange(len(lines) + 1), random.choice((text, b'{"type":"custom","data":"' + text + b'"}')) + b"\n"
    )
    return b"".join(lines)


# -- values ---------------------------------------------------------------------------------------------------


def _changed(random: Random, data: bytes, change: Callable[[Any], None]) -> bytes:
    """Return the lines with one of them parsed, changed and written again; a file that is one document is a line."""
    lines = [data] if _is_document(data) else _split(data)
    at = random.choice((0, random.randrange(len(lines)), random.randrange(len(lines))))
    try:
        record = json.loads(lines[at])
        change(record)
        lines[at] = json.dumps(record).encode() + b"\n"
    except (ValueError, RecursionError):  # it is no JSON any more
        return data
    return b"".join(lines)


def _is_document(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return data.count(b"\n") > 1


def _places(record: Any) -> list[tuple[Any, Any]]:
    """Return (container, key) of every value in a JSON value."""
    out: list[tuple[Any, Any]] = []
    waiting = [record]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        out += [(node, key) for key in keys]
        waiting += [node[key] for key in keys]
    return out


def _value_replaced(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        for _ in range(random.choice((1, 1, 1, 5))):
            places = _places(record)
            if places:
                node, key = random.choice(places)
                node[key] = deepcopy(random.choice(_ODD))  # else one of them may come to hold itself

    return _changed(random, data, change)


def _raw_value(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        places = _places(record)
        if places:
            node, key = random.choice(places)
            node[key] = "@raw@"

    return _changed(random, data, change).replace(b'"@raw@"', random.choice(_RAW))


def _key_out(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        places = [(node, key) for node, key in _places(record) if isinstance(node, dict)]
        if places:
            node, key = random.choice(places)
            del node[key]

    return _changed(random, data, change)


def _key_renamed(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        places = [(node, key) for node, key in _places(record) if isinstance(node, dict)]
        if places:
            node, key = random.choice(places)
            node[random.choice(places)[1]] = node.pop(key)

    return _changed(random, data, change)


def _exchanged(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        places = _places(record)
        if len(places) > 1:
            (one, key), (other, name) = random.sample(places, 2)
            one[key], other[name] = json.loads(json.dumps(other[name])), json.loads(json.dumps(one[key]))

    return _changed(random, data, change)


def _circle(random: Random, data: bytes) -> bytes:
    ids = [record.get("id") or record.get("uuid") for record in map(_object, _split(data))]

    def change(record: Any) -> None:
        if isinstance(record, dict):
            record["parentUuid" if "uuid" in record else "parentId"] = random.choice(ids)

    for _ in range(random.randint(1, 3)):
        data = _changed(random, data, change)
    return data


def _own_parent(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        if isinstance(record, dict):
            record["parentUuid" if "uuid" in record else "parentId"] = record.get("uuid") or record.get("id")

    return _changed(random, data, change)


def _ids_of_others(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        places = _named(record, _IDS)
        ids = [str(node[key]) for node, key in places]
        for node, key in random.sample(places, min(3, len(places))):
            node[key] = random.choice(ids) + random.choice(_BEHIND_IDS)

    return _changed(random, data, change)


def _parents_of_others(random: Random, data: bytes) -> bytes:
    """Return messages in circles, with themselves as parents, and with parents that are not there."""

    def change(record: Any) -> None:
        ids = [node[key] for node, key in _named(record, _IDS)]
        for node, key in _named(record, _PARENTS):
            if random.random() < 0.5:
                node[key] = deepcopy(random.choice([*ids, None, 1, {}, "nobody"]))

    return _changed(random, data, change)


def _odd_times(random: Random, data: bytes) -> bytes:
    def change(record: Any) -> None:
        for node, key in _named(record, _TIMES):
            if random.random() < 0.5:
                node[key] = random.choice(_ODD_TIMES)

    return _changed(random, data, change)


def _named(record: Any, names: tuple[str, ...]) -> list[tuple[Any, Any]]:
    """Return (container, key) of every value with one of these names."""
    return [(node, key) for node, key in _places(record) if isinstance(node, dict) and key in names]


def _nested(random: Random, data: bytes) -> bytes:
    depth = random.choice(_DEEP)
    opening, closing = random.choice((("[", "]"), ('{"a":', "}")))
    text = opening * depth + "1" + closing * depth

    def change(record: Any) -> None:
        places = _places(record)
        if places:
            node, key = random.choice(places)
            node[key] = "@raw@"

    return _changed(random, data, change).replace(b'"@raw@"', text.encode())


def _object(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}

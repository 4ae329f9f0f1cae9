"""Read the files that Goose kept sessions in before its database: a line of facts, then a message per line."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, End, Raw, ReadEvent, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.goose.sessions import SOURCE
from stemmata.formats.goose.talk import GooseMessage, Talk
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.lines import Line, SourceLines, object_in
from stemmata.formats.shared.source_file import open_source
from stemmata.formats.shared.values import BadLineError, first_records, instant, mapping, text

_HEAD = 1 << 16


def is_header(record: Any) -> bool:
    """Return whether a record has the facts of a session."""
    found = mapping(record)
    return "working_dir" in found and bool(found.keys() & {"message_count", "description", "extension_data"})


def is_message(record: Any) -> bool:
    """Return whether a record is a message of Goose."""
    found = mapping(record)
    is_said = found.get("role") in ("user", "assistant") and isinstance(found.get("content"), list)
    return is_said and isinstance(found.get("created"), int) and "type" not in found


def log_events(path: Path) -> Iterator[ReadEvent]:
    """Yield the events of a file. It is read from its start each time, because Goose rewrites it."""
    lines = SourceLines(path)
    yield Begin(_info(path))
    messages: list[GooseMessage] = []
    seen, taken = Counter[str](), set[str]()
    for part in lines:
        if isinstance(part, Raw):
            yield part
            continue
        found = _read(part)
        if isinstance(found, Skipped):
            yield found
        elif _is_said(found):
            id = _id(found)
            seen[id] += 1
            name = free_id(f"{id}/{seen[id]}" if seen[id] > 1 else id, taken)
            taken.add(name)
            messages.append(
                GooseMessage(
                    name,
                    text(found["role"]),
                    found.get("created"),
                    found["content"],
                    found.get("metadata"),
                    part.record,
                )
            )
    talk = Talk(messages)
    yield from talk
    yield End(talk.leaf, leaf_known=True, checkpoint=lines.checkpoint({}))


def _read(line: Line) -> dict[str, Any] | Skipped:
    try:
        found = object_in(line)
    except BadLineError as error:
        return Skipped(line.number, str(error))
    known = _is_said(found) or is_header(found)
    return found if known else Skipped(line.number, "not a message of Goose")


def _is_said(found: dict[str, Any]) -> bool:
    """Return whether a line is a message, perhaps with a damaged time or role."""
    return "role" in found and "content" in found and "type" not in found and not is_header(found)


def _id(found: dict[str, Any]) -> str:
    """Return the id of a message: its own, or one made from its content. Older files have none."""
    own = text(found.get("id"))
    said = compact_json([found["role"], found.get("created"), found["content"]])
    return own or hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _info(path: Path) -> SessionInfo:
    with open_source(path) as file:
        found = first_records(file.read(_HEAD))
    header = next((mapping(record) for record in found if is_header(record)), {})
    first = next((mapping(record) for record in found if is_message(record)), {})
    created = instant(header.get("created_at")) or instant(int(first.get("created", 0)) * 1000)
    return SessionInfo(
        source=SOURCE, source_id=path.stem, title=text(header.get("description")),
        cwd=text(header.get("working_dir")), created_at=created,
    )  # fmt: skip

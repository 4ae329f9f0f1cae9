"""Convert a pi record to an entry: one builder per record type, and a migration of older records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.formats.pi.carried import with_carried
from stemmata.formats.pi.message import EntryFields, custom_fields, message_fields
from stemmata.formats.shared.values import count, dump, instant, mapping, text

OWN_PRUNE = "stemmata.tool_prune"
OWN_PIN = "stemmata.pin"
OWN_TRASH = "stemmata.trash"
OWN_OMISSION = "stemmata.omission"
OWN_SKILL = "stemmata.skill"
OWN_KINDS = {OWN_OMISSION: Kind.OMISSION, OWN_PRUNE: Kind.TOOL_PRUNE, OWN_PIN: Kind.PIN, OWN_TRASH: Kind.TRASH}
_SUMMARY_EXTRAS = ("fromHook", "retainedTail", "usage")


class RecordContext(NamedTuple):
    """The record's stored id and parent, its position in the file, and how it resolves ids of other entries."""

    id: str
    parent: str | None
    record: Record | None
    resolve: Callable[[str], str]  # the stored id of an entry named in the file


def entry_of(record: dict[str, Any], context: RecordContext, blobs: list[Blob]) -> Entry:
    """Return the entry of a record in the shape of version 3. Never fails.

    A record that cannot be interpreted becomes an entry of unknown kind.
    """
    kind = record.get("type")
    build = TYPES.get(kind) if isinstance(kind, str) else None
    fields = None if build is None else build(record, context, blobs)
    if fields is None:
        blobs.clear()
        fields = {"kind": Kind.UNKNOWN, "name": text(kind), "details": dump(record)}
    time = instant(record.get("timestamp")) or instant(mapping(record.get("message")).get("timestamp"))
    entry = Entry(id=context.id, parent=context.parent, time=time, record=context.record, **fields)
    return with_carried(entry, record, context.resolve, blobs)


def migrate(record: dict[str, Any], version: float, id_at: Callable[[int], str | None]) -> bool:
    """Convert a record of version 1 or 2 to version 3 in place, as pi does, and return whether it changed.

    The caller sets ids and parents. A version 1 compaction names its first kept entry by record index; the header has
    index 0, and unparsable lines are not counted. Index 0 and indices without a record leave no target. `id_at`
    returns the id at an index.

    Older terms are converted in files of version 3 too: pi 0.58 forks an older file by copying its records below a
    new header.
    """
    changed = False
    if record.get("type") == "compaction" and "firstKeptEntryIndex" in record:
        index = record["firstKeptEntryIndex"]
        kept = id_at(index) if isinstance(index, int) and not isinstance(index, bool) else None
        changed = version < 2 or kept is not None
        if changed:
            del record["firstKeptEntryIndex"]
        if kept is not None:
            record["firstKeptEntryId"] = kept
    message = record.get("message")
    if isinstance(message, dict) and message.get("role") == "hookMessage":
        message["role"] = "custom"
        changed = True
    return changed


def _message(record: dict[str, Any], _context: RecordContext, blobs: list[Blob]) -> EntryFields | None:
    message = record.get("message")
    return message_fields(message, blobs) if isinstance(message, dict) else None


def _custom_message(record: dict[str, Any], _context: RecordContext, blobs: list[Blob]) -> EntryFields:
    return {"kind": Kind.CUSTOM_MESSAGE, **custom_fields(record, blobs)}


def _compaction(record: dict[str, Any], context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    before = count(record.get("tokensBefore"))
    return {
        "kind": Kind.COMPACTION,
        "blocks": _summary(record),
        "target": _named(record.get("firstKeptEntryId"), context),
        "usage": Usage(total=before) if before else None,
        "details": _summary_details(record),
    }


def _branch_summary(record: dict[str, Any], context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    """Return the fields of a branch summary.

    `fromId` is the abandoned leaf in pi's documentation, but the new parent or `root` in the files of pi 0.58.
    """
    left = _named(record.get("fromId"), context)
    return {
        "kind": Kind.BRANCH_SUMMARY,
        "blocks": _summary(record),
        "target": None if left in ("root", context.parent) else left,
        "details": _summary_details(record),
    }


def _label(record: dict[str, Any], context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    target = _named(record.get("targetId"), context)
    return {"kind": Kind.LABEL, "target": target, "name": text(record.get("label"))}


def _model_change(record: dict[str, Any], _context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    provider, model = text(record.get("provider")), text(record.get("modelId"))
    return {"kind": Kind.MODEL_CHANGE, "provider": provider, "model": model}


def _level_change(record: dict[str, Any], _context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    return {"kind": Kind.THINKING_LEVEL_CHANGE, "name": text(record.get("thinkingLevel"))}


def _session_info(record: dict[str, Any], _context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    return {"kind": Kind.SESSION_INFO, "name": text(record.get("name")).strip()}


def _custom(record: dict[str, Any], context: RecordContext, _blobs: list[Blob]) -> EntryFields:
    name = text(record.get("customType"))
    data = record.get("data")
    if name in OWN_KINDS and isinstance(data, dict):
        return {
            "kind": OWN_KINDS[name],
            "target": _named(data.get("target"), context),
            "name": text(data.get("name")),
            "details": dump(data.get("details")),
            "flags": Flag.HIDDEN if data.get("hidden") is True else Flag.NONE,
        }
    if name == OWN_SKILL and isinstance(data, dict):
        said = text(data.get("text"))
        blocks = (Text(said),) if said else ()
        return {
            "kind": Kind.SKILL,
            "name": text(data.get("name")),
            "blocks": blocks,
            "details": dump(data.get("details")),
        }
    return {"kind": Kind.CUSTOM, "name": name, "details": dump(data)}


def _summary(record: dict[str, Any]) -> tuple[Text, ...]:
    summary = text(record.get("summary"))
    return (Text(summary),) if summary else ()


def _summary_details(record: dict[str, Any]) -> str:
    """Return the record's `details` merged with the extra fields that newer versions write beside it."""
    details = record.get("details")
    extras = {key: record[key] for key in _SUMMARY_EXTRAS if record.get(key) is not None}
    if not extras:
        return dump(details)
    base = details if isinstance(details, dict) else {} if details is None else {"details": details}
    return dump({**base, **extras})


def _named(value: Any, context: RecordContext) -> str | None:
    return context.resolve(value) if isinstance(value, str) and value else None


TYPES: dict[str, Callable[[dict[str, Any], RecordContext, list[Blob]], EntryFields | None]] = {
    "message": _message,
    "custom_message": _custom_message,
    "compaction": _compaction,
    "branch_summary": _branch_summary,
    "label": _label,
    "model_change": _model_change,
    "thinking_level_change": _level_change,
    "session_info": _session_info,
    "custom": _custom,
}

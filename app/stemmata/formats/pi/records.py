"""A pi record as an entry: one builder per record type, and what older versions called the same things."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Record, Usage
from stemmata.domain.entries.session_facts import Blob
from stemmata.formats.pi.message import Facts, custom_facts, message_facts
from stemmata.formats.shared.values import count, dump, instant, mapping, text

OWN_PRUNE = "stemmata.tool_prune"
OWN_PIN = "stemmata.pin"
OWN_TRASH = "stemmata.trash"
OWN_OMISSION = "stemmata.omission"
OWN_KINDS = {OWN_OMISSION: Kind.OMISSION, OWN_PRUNE: Kind.TOOL_PRUNE, OWN_PIN: Kind.PIN, OWN_TRASH: Kind.TRASH}
_SUMMARY_EXTRAS = ("fromHook", "retainedTail", "usage")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: its id and parent as they will be stored, its bytes, and how it names other entries."""

    id: str
    parent: str | None
    record: Record | None
    resolve: Callable[[str], str]  # the stored id of an entry named in the file


def entry_of(record: dict[str, Any], place: Place, blobs: list[Blob]) -> Entry:
    """The entry of a record in v3 shape. Never fails: what is not understood is kept as one of unknown kind."""
    kind = record.get("type")
    build = TYPES.get(kind) if isinstance(kind, str) else None
    facts = None if build is None else build(record, place, blobs)
    if facts is None:
        blobs.clear()
        facts = {"kind": Kind.UNKNOWN, "name": text(kind), "details": dump(record)}
    time = instant(record.get("timestamp")) or instant(mapping(record.get("message")).get("timestamp"))
    return Entry(id=place.id, parent=place.parent, time=time, record=place.record, **facts)


def migrate(record: dict[str, Any], version: float, id_at: Callable[[int], str | None]) -> bool:
    """Bring a record of version 1 or 2 to the shape of version 3, as pi does; ids and parents are the caller's.

    A v1 compaction counts its first kept entry by record, the header being 0 and unparsable lines not counted;
    0 or a record that does not exist leaves no target. `id_at` gives the id of a record by that count.
    Old words count in a newer file too: pi 0.58 forks an older one by copying its records below a new header.
    Answers whether anything was changed.
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


def _message(record: dict[str, Any], _place: Place, blobs: list[Blob]) -> Facts | None:
    message = record.get("message")
    return message_facts(message, blobs) if isinstance(message, dict) else None


def _custom_message(record: dict[str, Any], _place: Place, blobs: list[Blob]) -> Facts:
    return {"kind": Kind.CUSTOM_MESSAGE, **custom_facts(record, blobs)}


def _compaction(record: dict[str, Any], place: Place, _blobs: list[Blob]) -> Facts:
    before = count(record.get("tokensBefore"))
    return {
        "kind": Kind.COMPACTION,
        "blocks": _summary(record),
        "target": _named(record.get("firstKeptEntryId"), place),
        "usage": Usage(total=before) if before else None,
        "details": _summary_details(record),
    }


def _branch_summary(record: dict[str, Any], place: Place, _blobs: list[Blob]) -> Facts:
    """pi 0.58 writes the new parent (or `root`) as `fromId`, its documents say the abandoned leaf: both are read."""
    left = _named(record.get("fromId"), place)
    return {
        "kind": Kind.BRANCH_SUMMARY,
        "blocks": _summary(record),
        "target": None if left in ("root", place.parent) else left,
        "details": _summary_details(record),
    }


def _label(record: dict[str, Any], place: Place, _blobs: list[Blob]) -> Facts:
    target = _named(record.get("targetId"), place)
    return {"kind": Kind.LABEL, "target": target, "name": text(record.get("label"))}


def _model_change(record: dict[str, Any], _place: Place, _blobs: list[Blob]) -> Facts:
    provider, model = text(record.get("provider")), text(record.get("modelId"))
    return {"kind": Kind.MODEL_CHANGE, "provider": provider, "model": model}


def _level_change(record: dict[str, Any], _place: Place, _blobs: list[Blob]) -> Facts:
    return {"kind": Kind.THINKING_LEVEL_CHANGE, "name": text(record.get("thinkingLevel"))}


def _session_info(record: dict[str, Any], _place: Place, _blobs: list[Blob]) -> Facts:
    return {"kind": Kind.SESSION_INFO, "name": text(record.get("name")).strip()}


def _custom(record: dict[str, Any], place: Place, _blobs: list[Blob]) -> Facts:
    name = text(record.get("customType"))
    data = record.get("data")
    if name in OWN_KINDS and isinstance(data, dict):
        target = _named(data.get("target"), place)
        return {"kind": OWN_KINDS[name], "target": target, "name": text(data.get("name"))}
    return {"kind": Kind.CUSTOM, "name": name, "details": dump(data)}


def _summary(record: dict[str, Any]) -> tuple[Text, ...]:
    summary = text(record.get("summary"))
    return (Text(summary),) if summary else ()


def _summary_details(record: dict[str, Any]) -> str:
    """The record's `details`, with the facts that newer versions put beside them."""
    details = record.get("details")
    extras = {key: record[key] for key in _SUMMARY_EXTRAS if record.get(key) is not None}
    if not extras:
        return dump(details)
    base = details if isinstance(details, dict) else {} if details is None else {"details": details}
    return dump({**base, **extras})


def _named(value: Any, place: Place) -> str | None:
    return place.resolve(value) if isinstance(value, str) and value else None


TYPES: dict[str, Callable[[dict[str, Any], Place, list[Blob]], Facts | None]] = {
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

"""Facts of an entry for which pi's record has no field. They are written under a key that pi ignores.

The writer reads its own record back and adds the facts that differ, so that an import restores the entry as it was.
It never adds the marks that only an archive sets, nor the part of a time below a millisecond.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock, encode
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.session import normalized_tag
from stemmata.domain.sources.reading import Blob
from stemmata.formats.shared.values import count, dump, image, mapping, text

CARRIED = "stemmata"  # the key of these facts in a record and in the header
NOTE = "stemmata."  # followed by the name of a kind, the custom type of a record for an entry that pi never sends
_NOT_CARRIED = Flag.OWN | Flag.REPAIRED | Flag.VARIANT | Flag.REMOVED  # only an archive may say so
_FLAGS = {flag.name.lower(): flag for flag in Flag if flag.name and flag and not flag & _NOT_CARRIED}
_KINDS = {kind.text: kind for kind in Kind}
_ROLES = {role.text: role for role in Role}
_MOST_TAGS = 100
_TEXTS = ("provider", "model", "tool", "call", "name", "details")


def carried_facts(wanted: Entry, read: Entry, blob: Callable[[str], bytes | None]) -> dict[str, Any]:
    """Return the facts of `wanted` that differ in `read`, the entry that pi's record gives; {} for none."""
    facts: dict[str, Any] = {}
    if wanted.kind is not read.kind:
        facts["kind"] = wanted.kind.text
    if wanted.role is not read.role:
        facts["role"] = wanted.role.text
    if (wanted.flags ^ read.flags) & ~_NOT_CARRIED:
        facts["flags"] = [name for name, flag in _FLAGS.items() if flag in wanted.flags]
    for name in (*_TEXTS, "target"):
        if getattr(wanted, name) != getattr(read, name):
            facts[name] = getattr(wanted, name)
    if wanted.usage != read.usage:
        facts["usage"] = None if wanted.usage is None else usage_json(wanted.usage)
    return facts | _carried_blocks(wanted.blocks, read.blocks, blob)


def usage_json(usage: Usage) -> dict[str, int | None]:
    """Return the counts of a report by their names."""
    return {name: getattr(usage, name) for name in Usage.__slots__}


def usage_in(value: Any) -> Usage | None:
    """Return the report that `usage_json` wrote; None for none."""
    if not isinstance(value, dict):
        return None
    cost = value.get("cost")
    counts = {name: count(value.get(name)) for name in Usage.__slots__ if name != "cost"}
    return Usage(**counts, cost=None if cost is None else count(cost))


def flags_in(value: Any) -> Flag:
    """Return the flags of a list of names, without those that only an archive may set."""
    found = Flag.NONE
    for name in value if isinstance(value, list) else ():
        found |= _FLAGS.get(name, Flag.NONE) if isinstance(name, str) else Flag.NONE
    return found


def tags_of(value: Any) -> tuple[str, ...]:
    """Return the tags in a list that a file holds."""
    named = (normalized_tag(one) for one in (value if isinstance(value, list) else ()) if isinstance(one, str))
    return tuple(filter(None, dict.fromkeys(named)))[:_MOST_TAGS]


def kind_in(value: Any, otherwise: Kind) -> Kind:
    """Return the kind of this name; `otherwise` for anything else."""
    return _KINDS.get(value, otherwise) if isinstance(value, str) else otherwise


def role_in(value: Any, otherwise: Role) -> Role:
    """Return the role of this name; `otherwise` for anything else."""
    return _ROLES.get(value, otherwise) if isinstance(value, str) else otherwise


def with_carried(entry: Entry, record: dict[str, Any], resolve: Callable[[str], str], blobs: list[Blob]) -> Entry:
    """Return the entry of a record with the facts that the record carries. The file may hold anything."""
    facts = record.get(CARRIED)
    if not isinstance(facts, dict):
        return entry
    if entry.kind is Kind.CUSTOM and entry.name.startswith(NOTE):
        entry = _of_note(entry, mapping(record.get("data")))
    found: dict[str, Any] = {name: text(facts[name]) for name in _TEXTS if name in facts}
    if "target" in facts:
        found["target"] = resolve(facts["target"]) if isinstance(facts["target"], str) else None
    if "flags" in facts:
        found["flags"] = flags_in(facts["flags"])
    if "usage" in facts:
        found["usage"] = usage_in(facts["usage"])
    found["kind"], found["role"] = kind_in(facts.get("kind"), entry.kind), role_in(facts.get("role"), entry.role)
    for data in mapping(facts.get("data")).values():
        image(data, "", blobs)
    return replace(entry, **found, blocks=_with_blocks(entry.blocks, facts.get("blocks")))


def _of_note(entry: Entry, data: dict[str, Any]) -> Entry:
    """Return the entry that a note stands for; facts that its data lack are empty."""
    said = text(data.get("text"))
    return replace(
        entry,
        kind=kind_in(entry.name.removeprefix(NOTE), Kind.CUSTOM),
        role=role_in(data.get("role"), Role.NONE),
        name=text(data.get("name")),
        details=dump(data.get("details")),
        blocks=(Text(said),) if said else (),
    )


def _carried_blocks(
    wanted: tuple[Block, ...], read: tuple[Block, ...], blob: Callable[[str], bytes | None]
) -> dict[str, Any]:
    """Return the blocks of an entry that a pi file loses: `blocks`, and `data` with the bytes of their images.

    `read` are the blocks that are read back from the file. `blocks` is a list of all blocks when the file has another
    number of them, else an object with the differing blocks by their index. Empty when nothing is lost.
    """
    is_whole = len(wanted) != len(read)
    differing = {at: one for at, one in enumerate(wanted) if is_whole or one != read[at]}
    if not is_whole and not differing:
        return {}
    coded = encode(differing.values())
    blocks: Any = coded if is_whole else {str(at): one for at, one in zip(differing, coded, strict=True)}
    present = {one.blob for one in read if isinstance(one, Image)}
    missing = {one.blob for one in differing.values() if isinstance(one, Image)} - present
    data = {digest: base64.b64encode(found).decode() for digest in sorted(missing) if (found := blob(digest))}
    return {"blocks": blocks, **({"data": data} if data else {})}


def _with_blocks(read: tuple[Block, ...], carried: Any) -> tuple[Block, ...]:
    if isinstance(carried, list):
        return tuple(block for one in carried if (block := block_in(one)) is not None)
    if not isinstance(carried, dict):
        return read
    blocks = ((at, block_in(carried.get(str(at)))) for at in range(len(read)))
    return tuple(read[at] if block is None else block for at, block in blocks)


def block_in(value: Any) -> Block | None:
    """Return the block in the form that `encode` gives it; None for anything else."""
    if not isinstance(value, list) or not value or value[0] not in ("t", "k", "c", "i", "o"):
        return None
    tag, rest = value[0], value[1:]
    words = [one if isinstance(one, str) else "" for one in (*rest, "", "", "", "")]
    numbers = [count(one) for one in (*rest, 0, 0, 0)]
    match tag:
        case "t":
            return Text(words[0], words[1])
        case "k":
            return Thinking(words[0], words[1], bool(numbers[2]))
        case "c":
            return ToolCall(words[0], words[1], words[2], words[3])
        case "i":
            return Image(words[0], words[1], numbers[2], words[3])
    return UnknownBlock(words[0], words[1])

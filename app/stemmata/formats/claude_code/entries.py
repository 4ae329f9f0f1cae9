"""Convert a line of Claude Code to entries.

Most lines make one entry; a line with several tool results makes several.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.tool_wrappers import INJECTED, prompt_in
from stemmata.formats.claude_code.line_index import part_id
from stemmata.formats.claude_code.line_tree import LineRole
from stemmata.formats.claude_code.records import FACTS, NODES, content_of, identifier, others_of, results_of
from stemmata.formats.shared.values import count, dump, exact_json, image, mapping, text


def blocks_of(content: Any, blobs: list[Blob]) -> tuple[Block, ...]:
    """Return the blocks of a content that is a string or a list; append images and attached files to `blobs`."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple([block_of(item, blobs) for item in content])
    return () if content is None else (UnknownBlock("", compact_json(content)),)


def block_of(item: Any, blobs: list[Blob]) -> Block:
    """Return the block of one content item; an item of unknown type becomes an UnknownBlock."""
    if isinstance(item, str):
        return Text(item)
    if not isinstance(item, dict):
        return UnknownBlock("", compact_json(item))
    match item.get("type"):
        case "text" if isinstance(item.get("text"), str):
            return Text(item["text"])
        case "thinking":
            return Thinking(text(item.get("thinking")), text(item.get("signature")))
        case "redacted_thinking":
            return Thinking("", text(item.get("data")), redacted=True)
        case "tool_use":
            return ToolCall(text(item.get("id")), text(item.get("name")), exact_json(item.get("input", {})))
        case "image" | "document":
            return _attached(item, blobs)
    return UnknownBlock(text(item.get("type")), compact_json(item))


def _attached(item: dict[str, Any], blobs: list[Blob]) -> Block:
    source = mapping(item.get("source"))
    found = image(source.get("data"), source.get("media_type"), blobs) if source.get("type") == "base64" else None
    return found or UnknownBlock(text(item.get("type")), compact_json(item))


def text_in(value: Any, depth: int = 4) -> str:
    """Return the text inside a value of unknown shape: strings, lists, and objects with text-like fields.

    `depth` limits the nesting levels that are searched.
    """
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "\n".join(filter(None, (text_in(item, depth - 1) for item in value)))
    if depth and isinstance(value, dict):
        found = (text_in(value.get(key), depth - 1) for key in ("text", "content", "file", "snippet", "prompt"))
        return next(filter(None, found), "")
    return ""


DETAILS_LIMIT = 1_000_000  # characters of a tool's structured result or of a note
_SYNTHETIC = "<synthetic>"  # the model name in messages that Claude Code writes itself
_TURN_ENDS = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})
# attachments whose text is sent to the model
_SENT = frozenset(
    {
        "file", "directory", "edited_text_file", "nested_memory", "selected_lines_in_ide", "hook_additional_context",
        "skill_listing",
    }
)  # fmt: skip
_QUIET = frozenset(
    {"nested_memory", "hook_additional_context", "skill_listing"}
)  # sent to the model but hidden in the transcript
_SHOWN = frozenset(
    {"local_command", "api_error", "away_summary", "informational"}
)  # system lines shown in the transcript
_ENVELOPE = frozenset(
    {
        "uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version", "gitBranch", "userType", "isSidechain",
        "isMeta", "agentId", "slug", "entrypoint", "sessionKind", "type", "requestId", "promptId",
    }
)  # fmt: skip

EntryFields = dict[str, Any]  # keyword arguments of an Entry


class LinePlacement(NamedTuple):
    """The position of a line in the solved graph, and the facts that other lines add to it.

    Only the last line of an API message has `usage`.
    """

    id: str
    parent: str | None
    time: int
    record: Record
    flags: Flag
    role: LineRole
    tools: dict[str, str]  # call id → tool
    usage: Usage | None = None
    last_of_message: bool = True
    target: str | None = None  # id of the first message that a summary keeps
    boundary: dict[str, Any] | None = None  # the boundary record that a summary belongs to


def entries_of(record: dict[str, Any], placement: LinePlacement) -> Iterator[Blob | Entry]:
    """Yield the line's entries, each the parent of the next, with each entry's blobs before it."""
    blobs: list[Blob] = []
    parent = placement.parent
    for number, fields in enumerate(_fields_of(record, placement, blobs), 1):
        yield from blobs
        blobs.clear()
        id = part_id(placement.id, number)
        if placement.flags:
            fields["flags"] = fields.get("flags", Flag.NONE) | placement.flags
        yield Entry(id=id, parent=parent, time=placement.time, record=placement.record, **fields)
        parent = id


def usage_of(record: dict[str, Any]) -> Usage | None:
    """Return the usage that an assistant line reports; None when all its counts are zero."""
    value = mapping(mapping(record.get("message")).get("usage"))
    created = mapping(value.get("cache_creation"))
    usage = Usage(
        input=count(value.get("input_tokens")),
        output=count(value.get("output_tokens")),
        cache_read=count(value.get("cache_read_input_tokens")),
        cache_write=count(value.get("cache_creation_input_tokens")),
        cache_write_1h=count(created.get("ephemeral_1h_input_tokens")),
    )
    return usage if usage.context else None


def _fields_of(record: dict[str, Any], placement: LinePlacement, blobs: list[Blob]) -> Iterator[EntryFields]:
    match placement.role:
        case LineRole.RESULT:
            yield from _results(record, placement, blobs)
        case LineRole.REPLY:
            yield _reply(record, placement, blobs)
        case LineRole.SUMMARY:
            yield _summary(record, placement)
        case LineRole.PROMPT | LineRole.INJECTION:
            yield _prompt(record, blobs)
        case _:
            yield _note(record, blobs)


def _results(record: dict[str, Any], placement: LinePlacement, blobs: list[Blob]) -> Iterator[EntryFields]:
    structured = _details(record.get("toolUseResult"))
    for block in results_of(record):
        call = identifier(block.get("tool_use_id"))
        yield {
            "role": Role.TOOL_RESULT,
            "blocks": blocks_of(block.get("content"), blobs),
            "tool": placement.tools.get(call, ""),
            "call": call,
            "flags": Flag.FAILED if block.get("is_error") is True else Flag.NONE,
            "details": structured,
        }
        structured = ""
    rest = others_of(record)
    if rest:
        yield _user(blocks_of(rest, blobs), record)


def _reply(record: dict[str, Any], placement: LinePlacement, blobs: list[Blob]) -> EntryFields:
    message = mapping(record.get("message"))
    model = text(message.get("model"))
    own = model == _SYNTHETIC
    flags = Flag.NONE
    if own or record.get("isApiErrorMessage") is True:
        flags |= Flag.FAILED
    elif placement.last_of_message and identifier(message.get("stop_reason")) in _TURN_ENDS:
        flags |= Flag.ENDS_TURN
    return {
        "role": Role.ASSISTANT,
        "blocks": blocks_of(content_of(record), blobs),
        "provider": "anthropic" if model and not own else "",
        "model": "" if own else model,
        "usage": placement.usage,
        "flags": flags,
    }


def _prompt(record: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    fields = _user(blocks_of(content_of(record), blobs), record)
    structured = _details(record.get("toolUseResult"))  # only a damaged line has one without its result
    return {**fields, "details": structured} if structured else fields


def _user(blocks: tuple[Block, ...], record: dict[str, Any]) -> EntryFields:
    flags = Flag.NONE
    if record.get("isMeta") is True or _is_injected(blocks):
        flags |= Flag.INJECTED
    if record.get("isVisibleInTranscriptOnly") is True:
        flags |= Flag.EXCLUDED
    return {"role": Role.USER, "blocks": blocks, "flags": flags}


def _is_injected(blocks: tuple[Block, ...]) -> bool:
    """Return whether the tool wrote the whole text.

    A tool's wrapper can precede text that the user typed; such text is not injected.
    """
    first = blocks[0] if blocks else None
    if not isinstance(first, Text) or not first.text.lstrip()[:40].startswith(INJECTED):
        return False
    text = plain_text(blocks).lstrip()
    return not text.startswith("<") or not prompt_in(text)


def _summary(record: dict[str, Any], placement: LinePlacement) -> EntryFields:
    metadata = mapping(mapping(placement.boundary).get("compactMetadata"))
    before = count(metadata.get("preTokens"))
    blocks = blocks_of(content_of(record), [])
    said = plain_text(blocks)
    return {
        "kind": Kind.COMPACTION,
        "blocks": (Text(said),) if said or not blocks else blocks,
        "target": placement.target,
        "usage": Usage(total=before) if before else None,
        "details": _details(metadata or None),
    }


def _note(record: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    """Return the fields of a bookkeeping line.

    `name` is `system:` or `attachment:` with the subtype, such as `system:turn_duration`, or else the line's type.
    """
    kind = text(record.get("type"))
    if kind == "attachment" and isinstance(record.get("attachment", {}), dict):
        attachment = mapping(record.get("attachment"))
        queued = blocks_of(attachment.get("prompt"), blobs) if attachment.get("type") == "queued_command" else ()
        return _queued(attachment, queued) if queued else _attachment(attachment)
    rest = {key: value for key, value in record.items() if key not in _ENVELOPE}
    if kind == "system":
        subtype = text(record.get("subtype"))
        content = rest.pop("content", None)
        rest.pop("subtype", None)
        return {
            "kind": Kind.CUSTOM,
            "name": f"system:{subtype}",
            "blocks": blocks_of(content, []),
            "flags": Flag.NONE if subtype in _SHOWN else Flag.HIDDEN,
            "details": _details(rest or None),
        }
    known = kind in FACTS or kind in NODES
    return {
        "kind": Kind.CUSTOM if known else Kind.UNKNOWN,
        "name": kind,
        "flags": Flag.HIDDEN,
        "details": _details(rest if known else record),
    }


def _queued(attachment: dict[str, Any], blocks: tuple[Block, ...]) -> EntryFields:
    """Return the fields of a message that Claude Code sent to the model as the user's, in the middle of a turn."""
    return {
        "role": Role.USER,
        "name": "attachment:queued_command",
        "blocks": blocks,
        "flags": Flag.NONE if _is_typed(attachment, blocks) else Flag.INJECTED,
        "details": _details({key: value for key, value in attachment.items() if key != "prompt"}),
    }


def _is_typed(attachment: dict[str, Any], blocks: tuple[Block, ...]) -> bool:
    """Return whether a person wrote a queued message, and not a finished task, another agent or another session.

    Older versions do not name the origin; there, the messages of programs begin with a tag.
    """
    origin = mapping(attachment.get("origin")).get("kind")
    if origin is not None:
        return bool(origin == "human")
    by_program = attachment.get("commandMode") == "task-notification" or attachment.get("isMeta") is True
    return not by_program and not plain_text(blocks).lstrip().startswith("<")


def _attachment(attachment: dict[str, Any]) -> EntryFields:
    kind = text(attachment.get("type"))
    name = f"attachment:{kind}"
    content = text_in(attachment) if kind in _SENT else ""
    if not content:
        details = _details(attachment or None)
        return {"kind": Kind.CUSTOM, "name": name, "flags": Flag.HIDDEN, "details": details}
    short = {key: value for key, value in attachment.items() if isinstance(value, str | int) and value != content}
    return {
        "kind": Kind.CUSTOM_MESSAGE,
        "role": Role.CUSTOM,
        "name": name,
        "blocks": (Text(content),),
        "flags": Flag.INJECTED | Flag.HIDDEN if kind in _QUIET else Flag.INJECTED,
        "details": _details(short),
    }


def _details(value: Any) -> str:
    """Return the value as JSON text; for a text above DETAILS_LIMIT only its length.

    The full text stays in the source's bytes.
    """
    full = dump(value)
    return full if len(full) <= DETAILS_LIMIT else dump({"cut": len(full)})

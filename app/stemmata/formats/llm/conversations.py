"""Conversations of llm before its threads: a list of responses, each with its prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Record, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, End, Raw, ReadEvent, Repaired
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.llm.parts import Attachments, usage_of
from stemmata.formats.llm.threads import SOURCE
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.values import instant, mapping

_NEEDED = {
    "conversations": {"id", "name"},
    "responses": {"id", "model", "prompt", "response", "conversation_id", "datetime_utc"},
}
_COLUMNS = (
    "id", "model", "resolved_model", "prompt", "system", "response", "reasoning", "datetime_utc", "input_tokens",
    "output_tokens", "token_details",
)  # fmt: skip
_BESIDE = {  # other tables with parts of a response, and the columns that are read
    "prompt_fragments": ("fragment_id", "order"),
    "system_fragments": ("fragment_id", "order"),
    "prompt_attachments": ("attachment_id", "order"),
    "tool_results": ("tool_call_id", "name", "output", "exception"),
    "tool_calls": ("tool_call_id", "name", "arguments"),
}

_MISSING = "The conversation of these responses is missing in the database."
_NONE = "The response names no conversation."

# the responses of each conversation, and whether the conversation itself is there
_GROUPS = """
    SELECT min(r.rowid), r.conversation_id, c.id NOT NULL, c.name, count(*), max(r.id)
    FROM responses r LEFT JOIN conversations c ON c.id = r.conversation_id
    WHERE length(r.conversation_id) > 0 GROUP BY r.conversation_id ORDER BY 1"""
_ALONE = "SELECT rowid, id, datetime_utc FROM responses WHERE coalesce(length(conversation_id), 0) = 0"


@dataclass(slots=True)
class _Conversation:
    """The responses of a conversation. `rows` has a row for each conversation id that is the same after decoding."""

    rows: list[int] = field(default_factory=list)
    name: str = ""
    print: str = ""
    missing: str = _MISSING  # the remark on a conversation that itself is not there


class LlmConversations:
    """Reads the conversations of a database. Older databases lack some tables and columns."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._is_there = self.are_in(database)
        self._columns = {table: database.columns(table) for table in (*_NEEDED, *_BESIDE, "fragments")}
        self._attachments = Attachments(database)
        self._conversations: dict[str, _Conversation] = {}
        if self._is_there:
            self._load()

    @staticmethod
    def are_in(database: SourceDatabase) -> bool:
        """Return whether the database has tables of conversations."""
        return all(database.columns(table) >= columns for table, columns in _NEEDED.items())

    def prints(self) -> dict[str, str]:
        """Return the fingerprint of each conversation, by its id; conversations without responses are left out."""
        return {id: one.print for id, one in self._conversations.items()}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a conversation."""
        one = self._conversations[id]
        header = compact_json({"conversation": id}).encode() + b"\n"
        offset, above, system = len(header), None, ""
        taken = set[str]()
        for number, response in enumerate(self._responses(one)):
            time = instant(response["datetime_utc"])
            if not number:
                yield Begin(SessionInfo(source=SOURCE, source_id=id, title=one.name, created_at=time))
                yield Raw(0, header)
                yield from [Repaired(one.missing)] if one.missing else []
            line = compact_json(response).encode() + b"\n"
            yield Raw(offset, line)
            record = Record(offset, len(line) - 1)
            offset += len(line)
            blobs: list[Blob] = []
            made = self._entries(response, system, blobs)
            system = self._text(response, "system")
            yield from blobs
            for entry in made:
                above, before = free_id(entry.id, taken), above
                taken.add(above)
                yield replace(entry, id=above, parent=before, record=record, time=time)
        yield End(above, leaf_known=True)

    def _load(self) -> None:
        """Find the conversations, including conversations of which only responses are left."""
        for row, id, is_there, name, number, last in self._database.rows(_GROUPS):
            one = self._conversations.setdefault(plain(id), _Conversation())
            one.rows.append(row)
            one.name = one.name or plain(name)
            one.print += f"{plain(name)}/{number}/{plain(last)}"
            one.missing = "" if is_there else one.missing
        for row, id, time in self._database.rows(_ALONE):
            one = _Conversation([row], print=plain(time) or "-", missing=_NONE)
            self._conversations[free_id(f"response {plain(id) or row}", self._conversations)] = one

    def _responses(self, one: _Conversation) -> Iterator[dict[str, Any]]:
        """Yield the responses of a conversation, with their rows in other tables."""
        listed = [name if name in self._columns["responses"] else f"NULL AS {name}" for name in _COLUMNS]
        marks = ", ".join("?" * len(one.rows))
        same = f"conversation_id IN (SELECT conversation_id FROM responses WHERE rowid IN ({marks}))"
        chosen = f"rowid IN ({marks})" if one.missing == _NONE else same
        query = f"SELECT rowid, {', '.join(listed)} FROM responses WHERE {chosen} ORDER BY datetime_utc, id"
        for number, *row in self._database.rows(query, *one.rows):
            response: dict[str, Any] = {name: plain(value) for name, value in zip(_COLUMNS, row, strict=True)}
            response |= {table: self._beside(table, response["id"]) for table in _BESIDE}
            yield response | {"id": response["id"] or f"row {number}"}

    def _beside(self, table: str, response: str) -> list[dict[str, str]]:
        """Return the rows of another table that belong to a response, with the texts of fragments."""
        there = self._columns[table]
        names = _BESIDE[table]
        if not there >= {"response_id", names[0]}:
            return []
        listed = [f'"{name}"' if name in there else "NULL" for name in names]
        order = ' ORDER BY "order"' if "order" in there else " ORDER BY rowid"
        rows = self._database.rows(f"SELECT {', '.join(listed)} FROM {table} WHERE response_id = ?{order}", response)
        found = [{name: plain(value) for name, value in zip(names, row, strict=True)} for row in rows]
        for one in found:
            if "fragment_id" in one:
                one["text"] = self._fragment(one["fragment_id"])
        return found

    def _fragment(self, id: str) -> str:
        if not self._columns["fragments"] >= {"id", "content"}:
            return ""
        rows = self._database.rows("SELECT content FROM fragments WHERE id = CAST(? AS INTEGER)", id)
        return "".join(plain(content) for (content,) in rows)

    def _text(self, response: dict[str, Any], name: str) -> str:
        """Return a prompt or a system prompt, with the fragments before it."""
        pieces = [one["text"] for one in response[f"{name}_fragments"]]
        return "\n".join(filter(None, [*pieces, response[name]]))

    def _entries(self, response: dict[str, Any], known: str, blobs: list[Blob]) -> list[Entry]:
        """Return the entries of a response. `known` is the system prompt of the response before."""
        id = response["id"]
        made: list[Entry] = []
        system = self._text(response, "system")
        if system and system != known:
            made.append(Entry(id=f"{id}#system", role=Role.SYSTEM, blocks=(Text(system),), flags=Flag.HIDDEN))
        for at, one in enumerate(response["tool_results"]):
            said = one["output"] or one["exception"]
            made.append(
                Entry(
                    id=f"{id}#result{at + 1}", role=Role.TOOL_RESULT, tool=one["name"], call=one["tool_call_id"],
                    blocks=(Text(said),) if said else (), flags=Flag.FAILED if one["exception"] else Flag.NONE,
                )
            )  # fmt: skip
        attached = [self._attachments.block(one["attachment_id"], blobs) for one in response["prompt_attachments"]]
        prompt = self._text(response, "prompt")
        said_by_user = (*attached, *([Text(prompt)] if prompt else []))
        if said_by_user:
            made.append(Entry(id=f"{id}#prompt", role=Role.USER, blocks=said_by_user))
        blocks: list[Block] = [Thinking(response["reasoning"])] if response["reasoning"] else []
        blocks += [Text(response["response"])] if response["response"] else []
        calls = [
            ToolCall(one["tool_call_id"], one["name"], compact_json(mapping(parsed(one["arguments"]))))
            for one in response["tool_calls"]
        ]
        usage = usage_of(_number(response, "input"), _number(response, "output"), response["token_details"])
        made.append(
            Entry(
                id=id, role=Role.ASSISTANT, blocks=(*blocks, *calls), usage=usage,
                model=response["resolved_model"] or response["model"],
                flags=Flag.NONE if calls else Flag.ENDS_TURN,
            )
        )  # fmt: skip
        return made


def _number(response: dict[str, Any], name: str) -> int:
    found = response[f"{name}_tokens"]
    return int(found) if found.isdecimal() and len(found) < 19 else 0

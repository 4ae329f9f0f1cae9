"""Conversations of llm before its threads: a list of responses, each with its prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Record, Role
from stemmata.domain.entries.session_facts import SessionInfo
from stemmata.domain.entries.source_facts import Begin, Blob, End, Raw, ReadEvent
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.llm.parts import Attachments, usage_of
from stemmata.formats.llm.threads import SOURCE
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_values import parsed, plain
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


class LlmConversations:
    """Reads the conversations of a database. Older databases lack some tables and columns."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._is_there = self.are_in(database)
        self._columns = {table: database.columns(table) for table in (*_NEEDED, *_BESIDE, "fragments")}
        self._attachments = Attachments(database)

    @staticmethod
    def are_in(database: SourceDatabase) -> bool:
        """Return whether the database has tables of conversations."""
        return all(database.columns(table) >= columns for table, columns in _NEEDED.items())

    def prints(self) -> dict[str, str]:
        """Return the fingerprint of each conversation, by its id; conversations without responses are left out."""
        if not self._is_there:
            return {}
        query = (
            "SELECT c.id, c.name, count(*), max(r.id) FROM conversations c"
            " JOIN responses r ON r.conversation_id = c.id GROUP BY c.id"
        )
        rows = self._database.rows(query)
        return {plain(id): f"{plain(name)}/{number}/{plain(last)}" for id, name, number, last in rows}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a conversation."""
        listed = [name if name in self._columns["responses"] else f"NULL AS {name}" for name in _COLUMNS]
        query = f"SELECT {', '.join(listed)} FROM responses WHERE conversation_id = ? ORDER BY datetime_utc, id"
        ((title,), *_) = self._database.rows("SELECT name FROM conversations WHERE id = ?", id)
        header = compact_json({"conversation": id}).encode() + b"\n"
        offset, above, system = len(header), None, ""
        for number, row in enumerate(self._database.rows(query, id)):
            response: dict[str, Any] = {name: plain(value) for name, value in zip(_COLUMNS, row, strict=True)}
            response |= {table: self._beside(table, response["id"]) for table in _BESIDE}
            if not number:
                begun = instant(response["datetime_utc"])
                yield Begin(SessionInfo(source=SOURCE, source_id=id, title=plain(title), created_at=begun))
                yield Raw(0, header)
            line = compact_json(response).encode() + b"\n"
            yield Raw(offset, line)
            record = Record(offset, len(line) - 1)
            offset += len(line)
            blobs: list[Blob] = []
            made = self._entries(response, system, blobs)
            system = self._text(response, "system")
            yield from blobs
            for entry in made:
                yield replace(entry, parent=above, record=record, time=instant(response["datetime_utc"]))
                above = entry.id
        yield End(above, leaf_known=True)

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

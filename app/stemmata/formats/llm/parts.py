"""Convert the parts of a message of llm to blocks and results of tools."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.reply_parts import Result
from stemmata.formats.shared.values import count, dump, mapping, text

Part = Block | Result


def usage_of(sent: Any, written: Any, details: Any) -> Usage | None:
    """Return the tokens of a response, with those that the server had cached, where it says so."""
    told = mapping(parsed(details))
    cached = mapping(told.get("prompt_tokens_details") or told.get("input_tokens_details")).get("cached_tokens")
    total, output = count(sent), count(written)
    read = min(count(cached), total)
    return Usage(input=total - read, output=output, cache_read=read) if total or output else None


class Attachments:
    """The attachments of a database: pictures and other files."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._has_any = database.columns("attachments") >= {"id", "type", "path", "url", "content"}

    def block(self, id: Any, blobs: list[Blob]) -> Block:
        """Return an attachment, and append its bytes to `blobs`, where the database has them."""
        query = "SELECT type, path, url, content FROM attachments WHERE id = ?"
        for media_type, path, url, content in self._database.rows(query, plain(id)) if self._has_any else ():
            if isinstance(content, bytes) and content:
                blobs.append(Blob(hashlib.sha256(content).hexdigest(), content))
                return Image(plain(media_type) or "application/octet-stream", blobs[-1].digest, len(content))
            facts = {"id": plain(id), "type": plain(media_type), "path": plain(path), "url": plain(url)}
            return UnknownBlock("attachment", compact_json({key: value for key, value in facts.items() if value}))
        return UnknownBlock("attachment", compact_json({"id": plain(id)}))


class Parts:
    """Converts the parts of messages, which are rows of llm's database, to blocks and results of tools."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        self._attachments = Attachments(database)

    def of(self, message: str, rows: Sequence[dict[str, Any]], blobs: list[Blob]) -> Iterator[Part]:
        """Yield the blocks and results of tools that the rows of one message's parts hold."""
        for row in rows:
            payload = mapping(row["payload"])
            yield from self._part(message, row, payload, blobs)

    def text_of(self, row: dict[str, Any]) -> str:
        """Return the text of a part; pieces of it can be fragments, which are stored once."""
        pieces = mapping(row["payload"]).get("text_ref")
        if not isinstance(pieces, list):
            return text(row["text"])
        return "".join(self._piece(mapping(piece)) for piece in pieces)

    def _piece(self, piece: dict[str, Any]) -> str:
        id = piece.get("fragment")
        if not isinstance(id, int) or abs(id) >> 63:
            return text(piece.get("literal"))
        rows = self._database.rows("SELECT content FROM fragments WHERE id = ?", id)
        return "".join(plain(content) for (content,) in rows)

    def _part(self, message: str, row: dict[str, Any], payload: dict[str, Any], blobs: list[Blob]) -> Iterator[Part]:
        call = text(payload.get("tool_call_id")) or f"{message}/{row['position']}"
        name = text(payload.get("name")) or row["tool_name"]
        match row["type"]:
            case "text":
                said = row["text"]
                yield from [Text(said)] if said else []
            case "reasoning":
                said = row["text"]
                yield from [Thinking(said)] if said else []
            case "tool_call":
                yield ToolCall(call, name, compact_json(mapping(payload.get("arguments"))))
            case "tool_result":
                yield self._result(call, name, payload, blobs)
            case "attachment":
                yield self._attachments.block(mapping(payload.get("attachment")).get("id"), blobs)
            case other:
                yield UnknownBlock(other, dump({"text": row["text"], **payload}))

    def _result(self, call: str, name: str, payload: dict[str, Any], blobs: list[Blob]) -> Result:
        said = text(payload.get("output") or payload.get("exception"))
        attached = payload.get("attachments")
        blocks: list[Block] = [Text(said)] if said else []
        listed = attached if isinstance(attached, list) else []
        blocks += [self._attachments.block(mapping(one).get("id"), blobs) for one in listed]
        return Result(call, name, tuple(blocks), failed=bool(payload.get("exception")))

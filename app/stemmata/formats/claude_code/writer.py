"""Write a session that `claude --resume` continues: one line for each message, in the form of Claude Code 2.1.

Facts: read in sessions of Claude Code 2.1.143 and tried with 2.1.197.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from stemmata.domain.entries.blocks import Text
from stemmata.domain.requests.anthropic import anthropic_payload
from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.requests.message_normalizer import CleanMessage, Reply, UserMessage
from stemmata.domain.requests.request import Encoding, IdRule, RequestOptions
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.pi.serialise import iso

VERSION = "2.1.143"  # the version of Claude Code that writes lines of this form
NO_MODEL = "<synthetic>"  # Claude Code's name of the model when no model wrote the message
_END = UserMessage((Text("end"),))
_MILLISECOND = 1_000_000  # nanoseconds


class ClaudeCodeCarrier:
    """Writes sessions that Claude Code resumes."""

    extents = tuple(Extent)

    def place(self, document: HandOffDocument, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the path of the new file, in the folder of the session's project."""
        folder = ClaudeCode().folders(home, environment)[0]  # the others are those of older versions
        return folder.path / re.sub(r"[^A-Za-z0-9]", "-", document.cwd) / f"{document.id}.jsonl"

    def lines(self, document: HandOffDocument) -> Iterator[bytes]:
        """Yield the lines of the file."""
        base = {
            "isSidechain": False,
            "userType": "external",
            "cwd": document.cwd,
            "sessionId": document.id,
            "version": VERSION,
            "gitBranch": "",
        }
        above: str | None = None
        for number, message in enumerate(_messages(document)):
            id = str(uuid5(UUID(document.id), str(number)))
            line = {
                "parentUuid": above,
                **base,
                "type": message["role"],
                "message": message,
                "uuid": id,
                "timestamp": iso(document.time + number * _MILLISECOND),
            }
            yield _line(line)
            above = id
        if document.title:
            yield _line({"type": "custom-title", "customTitle": document.title, "sessionId": document.id})


def _messages(document: HandOffDocument) -> Iterator[dict[str, Any]]:
    """Yield the messages as the API of Anthropic has them, replies with the fields of a response."""
    _, _, model = document.model.partition("/")
    options = RequestOptions(model=model)
    # The API requires a message of the user at the end. It is added here, and taken away again.
    payload = anthropic_payload([*document.messages, _END], Encoding.of(IdRule.ANTHROPIC, options, document.blob))
    turns = payload["messages"]
    turns[-1]["content"].pop()
    names = iter(list(_authors(document.messages)))
    for number, turn in enumerate(turn for turn in turns if turn["content"]):
        if turn["role"] == "user":
            yield turn
            continue
        written_by = next(names)
        calls = any(block["type"] == "tool_use" for block in turn["content"])
        yield {
            "id": f"msg_{UUID(document.id).hex}{number}",
            "type": "message",
            "role": "assistant",
            "model": written_by if written_by.startswith("claude") else NO_MODEL,
            "content": turn["content"],
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }


def _authors(messages: Sequence[CleanMessage]) -> Iterator[str]:
    """Yield the model of each run of replies, since the API joins replies that follow each other."""
    goes_on = False
    for message in messages:
        if isinstance(message, Reply) and not goes_on:
            yield message.model
        goes_on = isinstance(message, Reply)


def _line(value: dict[str, Any]) -> bytes:
    return compact_json(value).encode("utf-8", "replace") + b"\n"

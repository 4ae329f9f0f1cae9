"""Records as Gemini CLI writes them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from stemmata.formats.gemini.messages import TYPES, calls_in, parts_in
from stemmata.formats.shared.values import BadLineError, mapping, parse, text

CONTEXT = "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /w/tea\n</session_context>"
THANKS = "Got it. Thanks for the additional context!"

Record = dict[str, Any]


def stamp(at: int) -> str:
    return f"2026-06-12T10:{at // 60 % 60:02d}:{at % 60:02d}.000Z"


def head(**more: Any) -> Record:
    return {
        "sessionId": "5e55", "projectHash": "abc", "startTime": stamp(0), "lastUpdated": stamp(0), "kind": "main",
        **more,
    }  # fmt: skip


def said(id: str, what: Any, at: int = 1) -> Record:
    return {"id": id, "timestamp": stamp(at), "type": "user", "content": [{"text": what}]}


def reply(id: str, what: Any, at: int = 1, **more: Any) -> Record:
    tokens = {"input": 100, "output": 5, "cached": 40, "thoughts": 7, "tool": 3, "total": 115}
    return {
        "id": id, "timestamp": stamp(at), "type": "gemini", "content": what, "thoughts": [], "tokens": tokens,
        "model": "gemini-3.5-flash", **more,
    }  # fmt: skip


def response(call: str, output: str, name: str = "glob") -> Record:
    return {"functionResponse": {"id": call, "name": name, "response": {"output": output}}}


def call(id: str, output: str | None = None, **more: Any) -> Record:
    result = {} if output is None else {"result": [response(id, output)]}
    return {"id": id, "name": "glob", "args": {"pattern": "*"}, "status": "success", **result, **more}


def answered(id: str, *responses: Record, at: int = 1) -> Record:
    return {"id": id, "timestamp": stamp(at), "type": "user", "content": list(responses)}


def checkpoint(*messages: Record) -> Record:
    return {"$set": {"messages": list(messages)}}


def rewind(id: str) -> Record:
    return {"$rewindTo": id}


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def lost(data: bytes, entries: Sequence[str], skipped: Collection[int]) -> list[str]:
    """The lines of a log that are no entry although they have content, and were not skipped."""
    made = {id.partition("/")[0].partition("+")[0] for id in entries}
    out = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            found = mapping(parse(line))
        except BadLineError:
            found = {}
        is_message = text(found.get("type")) in TYPES and not found.keys() & {"$set", "$rewindTo", "sessionId"}
        has_content = any(part.get("text") for part in parts_in(found.get("content"))) or calls_in(found)
        if is_message and has_content and number not in skipped and text(found.get("id")) not in made:
            out.append(f"line {number} is neither an entry nor skipped")
    return out

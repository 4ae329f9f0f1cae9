"""Chat sessions as VS Code writes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.shared.values import BadLineError, first_records, mapping, parse
from stemmata.formats.vscode_chat.log import is_change

Record = dict[str, Any]
START = 1_770_580_242_000  # ms


def session(*requests: Record, **more: Any) -> Record:
    return {
        "version": 3, "creationDate": START, "initialLocation": "panel", "responderUsername": "GitHub Copilot",
        "sessionId": "5e55", "customTitle": "Tea", "requests": list(requests), "inputState": {}, **more,
    }  # fmt: skip


def request(id: str, said: str, at: int = 1, **more: Any) -> Record:
    return {
        "requestId": id, "message": {"text": said, "parts": []}, "timestamp": START + at * 1000,
        "modelId": "copilot/gpt-5-mini", "variableData": {"variables": []}, "response": [], **more,
    }  # fmt: skip


def answered(id: str, said: str, answer: str, at: int = 1, **more: Any) -> Record:
    """A request that is over."""
    return request(id, said, at, **{"response": [markdown(answer)], "modelState": over(at), "result": {}, **more})


def over(at: int = 1, state: int = 1) -> Record:
    return {"value": state, "completedAt": START + at * 1000 + 500}


def markdown(said: str) -> Record:
    return {"value": said, "supportThemeIcons": False}


def result(*rounds: Record, results: Record | None = None, **more: Any) -> Record:
    return {"metadata": {"toolCallRounds": list(rounds), "toolCallResults": results or {}, **more}}


def turn(said: str, *calls: str, **more: Any) -> Record:
    """A round: what the model said, and the calls that it made."""
    asked = [{"id": id, "name": "read_file", "arguments": '{"path":"a.py"}'} for id in calls]
    return {"response": said, "toolCalls": asked, "id": f"round {said}", **more}


def whole(document: Record) -> Record:
    return {"kind": 0, "v": document}


def put(value: Any, *path: str | int) -> Record:
    return {"kind": 1, "k": list(path), "v": value}


def push(values: list[Any] | None, *path: str | int, cut: int | None = None) -> Record:
    return (
        {"kind": 2, "k": list(path)} | ({} if values is None else {"v": values}) | ({} if cut is None else {"i": cut})
    )


def delete(*path: str | int) -> Record:
    return {"kind": 3, "k": list(path)}


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def rewound() -> list[Record]:
    """A log with tools, a reply that grows, a request that is cut off, and a reply that fails."""
    called = result(turn("I look.", "t"), turn("Sencha."), results={"t": {"content": [{"value": "tea"}]}})
    return [
        whole(session(answered("a", "Which tea?", "Sencha.", result=called))),
        put("Why?", "inputState", "inputText"),
        push([request("b", "Why?", 2)], "requests"),
        push([markdown("Because it")], "requests", 1, "response"),
        put({"metadata": {}, "usage": {"promptTokens": 90, "completionTokens": 9}}, "requests", 1, "result"),
        put(over(2), "requests", 1, "modelState"),
        push([markdown("Because it is green.")], "requests", 1, "response", cut=0),
        push([request("c", "Why not?", 3)], "requests", cut=1),
        put({"errorDetails": {"message": "Too long."}}, "requests", 1, "result"),
        put(over(3, 3), "requests", 1, "modelState"),
        delete("customTitle"),
    ]


def document() -> bytes:
    """A session as older versions wrote it."""
    attached = {"variables": [{"kind": "file", "id": "a.py"}]}
    requests = (answered("a", "Which tea?", "Sencha."), request("b", "Why?", 2, variableData=attached, result={}))
    return json.dumps({"requesterUsername": "ann", **session(*requests)}, indent=2).encode()


def kinds(data: bytes, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many lines are changes, and were skipped; and the lines that are neither, or requests without an entry."""
    read = list(events)
    skipped = {event.line for event in read if isinstance(event, Skipped)}
    prompts = {event.id for event in read if isinstance(event, Entry)}
    counts, lost = Counter[str](entry=len(prompts), skipped=len(skipped)), list[str]()
    if not any(is_change(one) for one in first_records(data)):
        return counts, lost  # the document itself
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            found = mapping(parse(line))
        except BadLineError:
            found = {}
        if number in skipped or not line.strip():
            continue
        counts["change"] += 1
        if not is_change(found):
            lost.append(f"line {number} is neither a change nor skipped")
        elif found["kind"] == 2 and found["k"] == ["requests"]:
            ids = [mapping(one).get("requestId") for one in found.get("v") or []]
            lost += [
                f"the request {id} has no entry" for id in ids if isinstance(id, str) and id and id not in prompts
            ]
    return counts, lost

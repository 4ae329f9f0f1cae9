"""Damage in an export costs the conversation that it is in, also where it hides the end of that conversation."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from stemmata.formats.chatgpt.reader import ChatGPT
from stemmata.formats.claude_ai.reader import ClaudeAi
from stemmata.formats.shared import export_format
from stemmata.formats.shared.export_format import ExportFormat
from stemmata.formats.shared.json_elements import ElementSplitter
from tests.unit.formats.exports import sessions_of


def chatgpt(id: str) -> dict[str, object]:
    quote = {"content_type": "text", "parts": [{"title": "inside"}, f'{{"title": "in the text of {id}"}}']}
    message = {"author": {"role": "user"}, "content": quote}
    return {"title": id, "conversation_id": id, "mapping": {id: {"id": id, "message": message}}}


def claude_ai(id: str) -> dict[str, object]:
    messages = [{"uuid": f"{id}{at}", "text": f"{id} {at}", "sender": "human"} for at in range(3)]
    return {"uuid": id, "name": id, "chat_messages": messages}


def test_a_conversation_above_the_limit_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_format, "ElementSplitter", partial(ElementSplitter, limit=500))
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([claude_ai("a"), claude_ai("b" * 200), claude_ai("c")]), encoding="utf-8")
    found, [part] = sessions_of(ClaudeAi(), path)
    assert [one.begin.info.source_id for one in found] == ["a", "c"]
    assert (part.where, part.reason) == ("conversations.json, conversation 2", "is too large, or its end is lost")


FORMATS = [(ChatGPT(), chatgpt), (ClaudeAi(), claude_ai)]
DAMAGE = [
    (b'"b"', b'"b'),
    (b'"b"', b"b"),
    (b'"b"', b'"b" nonsense'),
    (b'"b", ', b'"b" '),
    (b'{"title": "inside"}', b'{"title": "inside"'),
    (b"}]", b"}"),
]


@pytest.mark.parametrize("format", FORMATS, ids=["chatgpt", "claude-ai"])
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage[1].decode())
def test_damage_costs_one_conversation(
    tmp_path: Path, format: tuple[ExportFormat, object], damage: tuple[bytes, bytes]
) -> None:
    reader, make = format
    parts = [json.dumps(make(id)).encode() for id in "abcd"]  # type: ignore[operator]
    if damage[0] not in parts[1]:
        pytest.skip("the format has no such place")
    parts[1] = parts[1].replace(*damage, 1)
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[" + b", ".join(parts) + b"]")
    found, unused = sessions_of(reader, path)
    assert [one.begin.info.source_id for one in found] == ["a", "c", "d"]
    assert [one.raw for one in found] == [parts[0], parts[2], parts[3]]
    assert [(part.where, part.reason, part.damaged) for part in unused][:1] == [
        ("conversations.json, conversation 2", unused[0].reason, True),
    ]
    assert len(unused) == 1

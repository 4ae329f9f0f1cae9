"""Exports that end in the middle: the complete messages are read, and the report says where the file ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Skipped, UnusedPart
from stemmata.formats.chatgpt.reader import ChatGPT
from stemmata.formats.claude_ai.reader import ClaudeAi
from stemmata.formats.grok.reader import Grok
from stemmata.formats.librechat.reader import LibreChat
from stemmata.formats.open_webui.reader import OpenWebui
from stemmata.formats.shared.cut_conversation import closed_conversation
from stemmata.formats.shared.export_format import ExportFormat
from tests.fakes import grok, librechat, open_webui
from tests.unit.formats.exports import Read, sessions_of

DATA = Path(__file__).parents[3] / "data"
EXPORTS: list[tuple[ExportFormat, bytes]] = [
    (ChatGPT(), (DATA / "chatgpt" / "conversations.json").read_bytes()),
    (ClaudeAi(), (DATA / "claude_ai" / "conversations.json").read_bytes()),
    (
        OpenWebui(),
        open_webui.export(
            open_webui.record(open_webui.tea()), open_webui.record(open_webui.tea(), "c2", title="Two")
        ),
    ),
    (OpenWebui(), json.dumps(open_webui.tea()).encode()),
    (LibreChat(), librechat.export(librechat.tea())),
    (LibreChat(), librechat.export(librechat.tea(), tree=True)),
    (Grok(), grok.export(grok.conversation(grok.tea()), grok.conversation(grok.tea(), "c2"))),
]
NAMES = ["chatgpt", "claude-ai", "open-webui", "open-webui chat", "librechat", "librechat tree", "grok"]


def cut(reader: ExportFormat, path: Path, data: bytes) -> tuple[list[Read], list[UnusedPart], list[Skipped]]:
    path.write_bytes(data)
    skipped = [event for event in reader.read(path, None) if isinstance(event, Skipped)]
    return *sessions_of(reader, path), skipped


def all_entries(found: list[Read]) -> dict[tuple[str, str], Entry]:
    """Return the entries by the title of their conversation, which comes before the messages, and their ids."""
    return {(one.begin.info.title, id): entry for one in found for id, entry in one.entries.items()}


@pytest.mark.parametrize(("reader", "data"), EXPORTS, ids=NAMES)
def test_a_later_cut_takes_nothing_away_and_changes_no_message(
    tmp_path: Path, reader: ExportFormat, data: bytes
) -> None:
    path = tmp_path / "conversations.json"
    whole = all_entries(cut(reader, path, data)[0])
    before, data = 0, data.rstrip()
    for size in (*range(1, len(data), 23), len(data) - 1):
        found, unused, skipped = cut(reader, path, data[:size])
        entries = all_entries(found)
        for id, entry in entries.items():
            assert (entry.blocks, entry.time, entry.role) == (whole[id].blocks, whole[id].time, whole[id].role)
        assert len(entries) >= before
        before = len(entries)
        assert all(one.raw in data[:size] for one in found)
        assert skipped or not found or any(part.damaged for part in unused)
    assert before == len(whole)


@pytest.mark.parametrize(("reader", "mark", "ids"), [
    (EXPORTS[0][0], b'"b-a1": {', {"b-u1"}),
    (EXPORTS[2][0], b'"a3":', {"u1", "a1", "a2", "a2#2", "a2#3", "u2", "u3"}),
    (EXPORTS[4][0], b'{"messageId":"c"', {"a", "b", "b#2", "b#3"}),
    (EXPORTS[5][0], b'{"messageId":"d"', {"a", "b", "b#2", "b#3", "c"}),
])  # fmt: skip
def test_where_the_file_ends_is_told(tmp_path: Path, reader: ExportFormat, mark: bytes, ids: set[str]) -> None:
    data = next(data for format, data in EXPORTS if format is reader)
    at = data.rindex(mark) + len(mark) + 1
    found, unused, skipped = cut(reader, tmp_path / "conversations.json", data[:at])
    last = max(found, key=lambda one: data.index(one.raw))  # a conversation that names an origin is read last
    assert last.entries.keys() == ids
    assert (unused, last.raw) == ([], data[at - len(last.raw) : at])
    messages = len({id.partition("#")[0] for id in ids})
    what = "1 message is" if messages == 1 else f"{messages} messages are"
    where = f"conversations.json, conversation {len(found)}"
    assert skipped == [Skipped(0, f"{where}: the file ends early; {what} complete before its end")]


def test_an_array_that_ends_between_two_conversations_is_told(tmp_path: Path) -> None:
    data = EXPORTS[2][1].rstrip()
    found, unused, _ = cut(OpenWebui(), tmp_path / "chat-export-1.json", data.removesuffix(b"]"))
    assert len(found) == 2
    assert unused == [UnusedPart("chat-export-1.json, after conversation 2", "the file ends early")]


def test_a_value_beside_the_messages_is_left_out_when_it_is_cut() -> None:
    paths = [("a", "b")]
    whole = b'{"x": [1, {"y": 2}], "a": {"b": [{"z": [1]}, 5], "c": [1]}, "d": 1'
    for size in range(1, len(whole)):
        closed, kept = closed_conversation(whole[:size], paths)
        assert json.loads(closed).keys() <= {"x", "a"}
        assert whole.startswith(closed[:kept])
    assert json.loads(closed_conversation(whole, paths)[0]) == {
        "x": [1, {"y": 2}],
        "a": {"b": [{"z": [1]}, 5], "c": [1]},
    }
    assert closed_conversation(b'], "x', paths) == (b"", 0)

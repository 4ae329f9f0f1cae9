"""OpenClaw's folders: the index of conversations, files put aside, topics, stamped prompts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from stemmata.formats.openclaw import reader as openclaw_index
from stemmata.formats.openclaw.reader import OpenClaw
from stemmata.formats.pi.writer import PiWriter
from tests.fakes.export_source import MemorySource
from tests.unit.formats.pi_files import header, lines, said, write


def read(path: Path) -> MemorySource:
    return MemorySource.read(OpenClaw(), path)


def index(folder: Path, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "sessions.json").write_text(text, encoding="utf-8")


def conversation(source: MemorySource) -> Any:
    return json.loads(source.info.details).get("conversation")


def test_a_session_without_an_index(tmp_path: Path) -> None:
    info = read(write(tmp_path, {"type": "session", "id": "s"}, said("a", None))).info
    assert (info.source, info.source_id, info.title, info.details) == ("openclaw", "s", "", "")


def test_the_index_says_which_conversation_it_is(tmp_path: Path) -> None:
    entry = {
        "sessionId": "s1",
        "displayName": " Family chat ",
        "chatType": "group",
        "provider": "telegram",
        "room": "#home",
        "totalTokens": 12,
        "verboseLevel": "full",
        "reasoningLevel": "on",
        "elevatedLevel": "off",
        "sendPolicy": "deny",
        "memoryFlushAt": 5,
        "memoryFlushCompactionCount": 1,
        "skillsSnapshot": {"prompt": "x" * 1000},
    }
    index(tmp_path, {"agent:main:other": {"sessionId": "s0"}, "agent:main:telegram:group:1": entry, "odd": 5})
    source = read(write(tmp_path, header(), said("a", None)))
    assert source.info.title == "Family chat"
    assert source.title == "Family chat"
    assert conversation(source) == {
        "sessionKey": "agent:main:telegram:group:1",
        "displayName": " Family chat ",
        "chatType": "group",
        "channel": "telegram",
        "groupChannel": "#home",
        "totalTokens": 12,
        "verboseLevel": "full",
        "reasoningLevel": "on",
        "elevatedLevel": "off",
        "sendPolicy": "deny",
        "memoryFlushAt": 5,
        "memoryFlushCompactionCount": 1,
    }


@pytest.mark.parametrize("path", ["/elsewhere/s.jsonl", r"C:\x\s.jsonl", "s.jsonl"])
def test_the_index_may_name_the_file(tmp_path: Path, path: str) -> None:
    index(tmp_path, {"k": {"sessionId": "old", "sessionFile": path, "label": "L", "subject": "S"}})
    assert read(write(tmp_path, header())).info.title == "L"


def test_the_spawner_is_the_parent(tmp_path: Path) -> None:
    index(tmp_path, {"main": {"sessionId": "p"}, "sub": {"sessionId": "s1", "spawnedBy": "main"}})
    assert read(write(tmp_path, header())).info.parent_source_id == "p"
    forked = header(parentSession="/x/f.jsonl")
    assert read(write(tmp_path, forked)).info.parent_source_id == "f"


@pytest.mark.parametrize("content", ["", "[1]", "{broken", '{"a":', "// {\n{k: {sessionId: 's1', label: 'five',},}"])
def test_an_index_written_by_hand_or_broken(tmp_path: Path, content: str) -> None:
    index(tmp_path, content)
    assert read(write(tmp_path, header())).info.title == ("five" if "five" in content else "")


def test_an_index_that_is_a_link_or_endless_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "elsewhere.json"
    real.write_text('{"k":{"sessionId":"s1","label":"L"}}', encoding="utf-8")
    (tmp_path / "sessions.json").symlink_to(real)
    path = write(tmp_path, header())
    assert read(path).info.title == ""
    (tmp_path / "sessions.json").unlink()
    os.link(real, tmp_path / "sessions.json")
    assert read(path).info.title == "L"
    monkeypatch.setattr(openclaw_index, "_LIMIT", 5)
    assert read(path).info.title == ""


def test_the_index_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    reader = OpenClaw()
    path = write(tmp_path, header())
    index(tmp_path, {"k": {"sessionId": "s1", "label": "one"}})
    assert MemorySource.read(reader, path).info.title == "one"
    assert MemorySource.read(reader, path).info.title == "one"
    index(tmp_path, {"k": {"sessionId": "s1", "label": "three"}})
    assert MemorySource.read(reader, path).info.title == "three"


def test_a_topic_has_an_id_of_its_own(tmp_path: Path) -> None:
    assert read(write(tmp_path, header(), name="s1-topic-42.jsonl")).info.source_id == "s1-topic-42"
    named = header(id="s1-topic-42")
    assert read(write(tmp_path, named, name="s1-topic-42.jsonl")).info.source_id == "s1-topic-42"


@pytest.mark.parametrize("suffix", ["deleted.2026-01-01T00-00-00.000Z", "reset.2026-01-01T00-00-00.000Z"])
def test_a_file_put_aside_is_the_session_it_was(tmp_path: Path, suffix: str) -> None:
    aside = write(tmp_path, header(), said("a", None), name=f"s1.jsonl.{suffix}")
    assert read(aside).info.source_id == "s1"
    write(tmp_path, header(), said("b", None), name="s1.jsonl")
    assert read(aside).info.source_id == f"s1.{suffix}"


# -- titles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("[Wed 2026-02-18 11:21 GMT+1] What is for dinner?\nSoup?", "What is for dinner?"),
        ("[2026-02-18 11:21:30 UTC] Hi", "Hi"),
        ("[Wed 2026-02-18 11:21 GMT+1] " + "x" * 500, "x" * 120),
        ("No stamp", ""),
        ("[note] x", ""),
        ("[Wed 2026-02-18 11:21 GMT+1] ", ""),
    ],
)
def test_the_stamp_before_a_prompt_is_no_part_of_the_title(tmp_path: Path, prompt: str, title: str) -> None:
    source = read(write(tmp_path, header(), said("a", None, prompt), said("b", "a", "[2026-01-01 00:00] second")))
    assert source.title == title
    assert prompt in source.source_bytes.decode().replace("\\n", "\n")
    assert source.entries[0].blocks != ()


def test_a_name_wins_over_the_prompt(tmp_path: Path) -> None:
    named = {"type": "session_info", "id": "n", "parentId": "a", "timestamp": "x", "name": "N"}
    assert read(write(tmp_path, header(), said("a", None, "[2026-02-18 11:21] Hi"), named)).title == "N"


def test_a_grown_file_keeps_its_title(tmp_path: Path) -> None:
    path = write(tmp_path, header(), said("a", None, "[2026-02-18 11:21] first"))
    source = read(path)
    with path.open("ab") as file:
        file.write(lines(said("b", "a", "[2026-02-19 11:21] later")))
    from stemmata.domain.sources.reading import End

    [end] = [event for event in OpenClaw().read(path, source.checkpoint) if isinstance(event, End)]
    assert end.title == ""
    assert end.leaf == "b"


# -- real sessions ---------------------------------------------------------------------------------------------------


def test_samples_come_back_byte_for_byte(samples: Path) -> None:
    paths = sorted((samples / "openclaw").glob("*.jsonl"))
    assert len(paths) == 6
    for path in paths:
        source = read(path)
        assert source.info.source == "openclaw"
        assert len(source.entries) == path.read_bytes().count(b"\n") - 1
        assert b"".join(PiWriter().export(source)) == path.read_bytes()
        assert len(source.repaired) == 1


def in_state(tmp_path: Path) -> Path:
    """A folder of sessions as in a gateway's state folder."""
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    index(folder, {"agent:main:main": {"sessionId": "s1"}})
    return folder


@pytest.mark.parametrize("name", openclaw_index.SETTINGS)
def test_the_settings_of_the_gateway_say_when_it_resets(tmp_path: Path, name: str) -> None:
    folder = in_state(tmp_path)
    (tmp_path / name).write_text("{ // mine\n session: { idleMinutes: 30, }, }", encoding="utf-8")
    source = read(write(folder, header(), said("a", None)))
    assert conversation(source) == {"sessionKey": "agent:main:main", "reset": {"idleMinutes": 30}}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"session": 3}', '{"session": {"idleMinutes": "often"}}'])
def test_damaged_settings_of_the_gateway_say_nothing(tmp_path: Path, content: str) -> None:
    folder = in_state(tmp_path)
    (tmp_path / "openclaw.json").write_text(content, encoding="utf-8")
    assert conversation(read(write(folder, header(), said("a", None)))) == {"sessionKey": "agent:main:main"}

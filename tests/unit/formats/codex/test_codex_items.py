"""Single items and headers, of odd shapes too."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Flag
from stemmata.domain.sources.reading import Blob
from stemmata.formats.codex.header import CodexHeader, header_of, thread_in
from stemmata.formats.codex.items import DETAILS_LIMIT, blocks_of, details_of, fields_of
from tests.fakes import codex as fake

PIXEL = base64.b64encode(b"pixel").decode()


def one(kind: str, **more: Any) -> dict[str, Any]:
    (fields,) = fields_of({"type": kind, **more}, {"c": "ls"}, [])
    return fields


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("Hi.", (Text("Hi."),)),
        ("", ()),
        (None, ()),
        (7, (UnknownBlock("", "7"),)),
        (["a", 7, {"type": "odd"}], (Text("a"), UnknownBlock("", "7"), UnknownBlock("odd", '{"type":"odd"}'))),
    ],
)
def test_contents(content: Any, blocks: Any) -> None:
    assert blocks_of(content, []) == blocks


def test_pictures() -> None:
    blobs: list[Blob] = []
    (picture,) = blocks_of([{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}], blobs)
    assert isinstance(picture, Image)
    assert (picture.media_type, [blob.data for blob in blobs]) == ("image/png", [b"pixel"])
    (elsewhere,) = blocks_of([{"type": "input_image", "image_url": "https://example.org/a.png"}], blobs)
    assert isinstance(elsewhere, UnknownBlock)


def test_a_message_with_a_picture(tmp_path: Path) -> None:
    url = f"data:image/png;base64,{PIXEL}"
    content = [{"type": "input_text", "text": "See."}, {"type": "input_image", "image_url": url}]
    path = fake.write(tmp_path / "rollout-a.jsonl", fake.meta(), fake.item("message", role="user", content=content))
    found = fake.only(path)
    assert len(found.blobs) == 1
    assert isinstance(found.entries[0].blocks[1], Image)


@pytest.mark.parametrize(
    ("item", "arguments"),
    [
        ({"arguments": {"a": 1}}, {"a": 1}),
        ({"arguments": '{"a": 1}'}, {"a": 1}),
        ({"arguments": "{bad"}, {"input": "{bad"}),
        ({"arguments": "[1]"}, {"input": "[1]"}),
        ({"input": ["a"]}, {"input": ["a"]}),
        ({"input": "text"}, {"input": "text"}),
        ({"action": {"type": "exec", "command": ["ls"]}}, {"type": "exec", "command": ["ls"]}),
        ({"summary": "Running."}, {"summary": "Running."}),
        ({}, {}),
    ],
)
def test_arguments(item: dict[str, Any], arguments: Any) -> None:
    (call,) = one("local_shell_call", id="c", **item)["blocks"]
    assert isinstance(call, ToolCall)
    assert (call.id, call.name, json.loads(call.arguments)) == ("c", "local_shell", arguments)


@pytest.mark.parametrize(
    ("output", "said", "failed", "details"),
    [
        ("plain", "plain", False, ""),
        ('{"output":"x","metadata":{"exit_code":1}}', "x", True, '{"exit_code":1}'),
        ('{"output":"x"}', '{"output":"x"}', False, ""),
        ({"content": "y", "success": False}, "y", True, ""),
        ({"content": "y", "content_items": [{"type": "input_text", "text": "z"}]}, "z", False, ""),
    ],
)
def test_outputs(output: Any, said: str, *, failed: bool, details: str) -> None:
    fields = one("function_call_output", call_id="c", output=output)
    assert fields["blocks"] == (Text(said),)
    assert fields["tool"] == "ls"
    assert bool(fields["flags"] & Flag.FAILED) == failed
    assert fields["details"] == details


def test_tools_that_ran_on_the_server() -> None:
    blobs: list[Blob] = []
    call, result = fields_of({"type": "image_generation_call", "id": "i", "result": PIXEL}, {}, blobs)
    assert call["blocks"][0].name == "image_generation"
    assert isinstance(result["blocks"][0], Image)
    _, failed = fields_of({"type": "web_search_call", "id": "w", "status": "failed"}, {}, blobs)
    assert failed["flags"] == Flag.FAILED
    assert one("tool_search_call", call_id="s", arguments={"query": "x"})["blocks"][0].name == "tool_search"
    assert isinstance(one("tool_search_output", call_id="c", tools=[{"type": "function"}])["blocks"][0], UnknownBlock)


def test_details_are_bounded() -> None:
    assert details_of("x" * DETAILS_LIMIT) == f'{{"cut":{DETAILS_LIMIT + 2}}}'


# -- headers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "thread"),
    [
        (fake.name(fake.THREAD), fake.THREAD),
        (fake.name(fake.THREAD, 1, fake.OTHER), fake.THREAD),
        (f"{fake.name(fake.THREAD)}.zst", fake.THREAD),
        ("rollout-abc.jsonl", "abc"),
        ("notes.jsonl", "notes"),
    ],
)
def test_the_thread_in_a_file_name(name: str, thread: str) -> None:
    assert thread_in(name) == thread


def test_a_lost_header(tmp_path: Path) -> None:
    path = fake.write(tmp_path / fake.name(fake.OTHER), fake.said("user", "Hi."))
    assert header_of(path) == CodexHeader(fake.OTHER, {})
    fake.write(path, fake.meta(), fake.said("user", "Hi."))  # only that of the thread it repeats is left
    assert header_of(path) == CodexHeader(fake.OTHER, {}, (fake.THREAD,))
    fake.write(tmp_path / "x.jsonl", {"type": "session_meta", "payload": {}}, fake.said("user", "Hi."))
    assert header_of(tmp_path / "x.jsonl").id == "x"


def test_a_header_behind_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"bad\n" * 5 + fake.rollout([fake.said("user", "Hi."), fake.meta()]))
    assert header_of(path).id == fake.THREAD
    path.write_bytes(b"bad\n" * 300 + fake.rollout([fake.meta()]))
    assert header_of(path).id == "x"


@pytest.mark.parametrize(
    ("fields", "source_id", "parent"),
    [
        ({}, "t", ""),
        ({"forked_from_id": "p"}, "t", "p"),
        ({"forked_from_id": "t"}, "t", ""),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}}, "p/t", "p"),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}, "session_id": "r"}, "r/t", "r/p"),
        ({"source": {"subagent": "review"}, "thread_source": "subagent", "parent_thread_id": "p"}, "p/t", "p"),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "t"}}}}, "t", ""),
    ],
)
def test_where_a_thread_comes_from(fields: dict[str, Any], source_id: str, parent: str) -> None:
    header = CodexHeader("t", fields)
    assert (header.source_id, header.parent_source_id) == (source_id, parent)


@pytest.mark.parametrize("base", [None, {}, {"thread_id": "t"}, {"thread_id": 1, "end_ordinal_exclusive": 2}])
def test_a_file_with_its_whole_history(base: Any) -> None:
    assert CodexHeader("t", {"history_base": base}).base is None


def test_a_base_without_a_byte() -> None:
    base = CodexHeader("t", {"history_base": {"thread_id": "t", "end_ordinal_exclusive": 2}}).base
    assert base is not None
    assert base.offset == 0

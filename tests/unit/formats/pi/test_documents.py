"""Export as Markdown and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from stemmata.formats.shared.values import MAX_DEPTH
from tests.fakes.export_source import MemorySource

TIME = 1_767_225_600_000_000_000
DEMO = Path(__file__).parents[4] / "resources" / "demo" / "ledgerly-import.jsonl"


def session(*entries: Entry, **facts: Any) -> MemorySource:
    info: dict[str, Any] = {"source": "pi", "source_id": "s1", "cwd": "/w", "created_at": TIME} | facts
    source = MemorySource(SessionInfo(**info), blobs={"b1": b"PNG"}, title="Fix *it*")
    if entries:
        source.add(*entries)
    return source


def markdown(*entries: Entry) -> str:
    return b"".join(MarkdownWriter().export(session(*entries))).decode()


def one(kind: Kind = Kind.MESSAGE, *blocks: Block, **facts: Any) -> Entry:
    return Entry(id="e", kind=kind, blocks=blocks, **facts)


# -- Markdown --------------------------------------------------------------------------------------------------------


def test_the_head_of_the_document() -> None:
    assert markdown() == (
        "# Fix \\*it\\*\n\n- Source: `pi`\n- Folder: `/w`\n- Started: `2026-01-01T00:00:00.000Z`\n\n"
    )
    bare = MemorySource(SessionInfo(source="pi", source_id="x"))
    assert b"".join(MarkdownWriter().export(bare)).decode() == "# Session\n\n- Source: `pi`\n\n"


def test_all_branches_on_request() -> None:
    source = session(
        Entry(id="a", role=Role.USER, blocks=(Text("one"),)),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(Text("left"),)),
        Entry(id="c", parent="a", role=Role.ASSISTANT, blocks=(Text("right"),)),
        Entry(id="d", role=Role.USER, blocks=(Text("anew"),)),
    )
    source.leaf_id, source.is_whole = "c", True
    text = b"".join(MarkdownWriter().export(source)).decode()
    assert text.endswith(
        "right\n\n# Branch 2\n\n*Follows: one*\n\n## Assistant\n\nleft\n\n"
        "# Branch 3\n\n*Begins the session anew.*\n\n## You\n\nanew\n\n"
    )


def test_only_the_path_to_the_leaf_is_told() -> None:
    source = session(
        Entry(id="a", role=Role.USER, blocks=(Text("one"),)),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(Text("left"),)),
        Entry(id="c", parent="a", role=Role.ASSISTANT, model="m", blocks=(Text("right"),)),
        Entry(id="l", parent="a", kind=Kind.LABEL, target="a", name="<start>"),
    )
    source.leaf_id = "c"
    text = b"".join(MarkdownWriter().export(source)).decode()
    assert text.endswith("## You\n\none\n\n*Label: \\<start\\>*\n\n## Assistant · m\n\nright\n\n")
    assert "left" not in text


def test_a_speaker_is_named_once() -> None:
    text = markdown(
        Entry(id="a", role=Role.ASSISTANT, blocks=(Text("one"), ToolCall("c", "bash", '{"command":"ls\\n-l"}'))),
        Entry(id="b", parent="a", role=Role.TOOL_RESULT, tool="bash", blocks=(Text("```\nx"),), flags=Flag.FAILED),
        Entry(id="c", parent="b", role=Role.ASSISTANT, blocks=(Text("two"),)),
    )
    assert text.count("## Assistant") == 1
    assert (
        '<details>\n<summary>bash: ls -l</summary>\n\n```json\n{\n  "command": "ls\\n-l"\n}\n```\n\n</details>'
        in text
    )
    assert "<details>\n<summary>Result of bash failed</summary>\n\n````\n```\nx\n````\n\n</details>" in text


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        (one(Kind.MESSAGE, Text("x"), role=Role.SYSTEM), "## System\n\nx\n"),
        (one(Kind.MESSAGE, Text("x"), role=Role.CUSTOM, name="a#b"), "## a\\#b\n\nx\n"),
        (one(Kind.CUSTOM_MESSAGE, Text("x"), role=Role.CUSTOM), "## Note\n\nx\n"),
        (one(Kind.MESSAGE, Text("x"), role=Role.USER, name="attachment:queued_command"), "## Queued message\n\nx\n"),
        (one(Kind.MESSAGE, Text("out"), role=Role.BASH_EXECUTION, name="ls"), "## You ran\n\n```\n$ ls\nout\n```\n"),
        (one(Kind.MESSAGE, Thinking("<b>hm"), role=Role.ASSISTANT), "<summary>Thinking</summary>\n\n&lt;b>hm\n"),
        (one(Kind.MESSAGE, Text("x"), role=Role.ASSISTANT, flags=Flag.FAILED), "*The reply ended in an error.*"),
        (one(Kind.MESSAGE, Text("x"), role=Role.ASSISTANT, flags=Flag.ABORTED), "*The reply was stopped.*"),
        (one(Kind.MESSAGE, Image("image/png", "b1", 1234), role=Role.USER), "*Image `image/png`, 1,234 bytes*"),
        (one(Kind.MESSAGE, Image("image/png", "b1", 5), role=Role.TOOL_RESULT), "Result of a tool"),
        (one(Kind.MESSAGE, Image("x", "b1", 5), role=Role.TOOL_RESULT), "*Image `x`, 5 bytes*"),
        (
            one(Kind.MESSAGE, UnknownBlock("doc", '{"a":1}'), role=Role.USER),
            '*doc block*\n\n```json\n{\n  "a": 1\n}\n```',
        ),
        (one(Kind.MESSAGE, UnknownBlock("", "odd"), role=Role.USER), "*Unknown block*\n\n```json\nodd\n```"),
        (one(Kind.MESSAGE, ToolCall("c", "t<", '{"n":"x"}'), role=Role.ASSISTANT), "<summary>t&lt;: x</summary>"),
        (one(Kind.MESSAGE, ToolCall("c", "t", "odd"), role=Role.ASSISTANT), "```json\nodd\n```"),
        (one(Kind.MESSAGE, ToolCall("c", "t", "[1]"), role=Role.ASSISTANT), "<summary>t</summary>"),
        (one(Kind.MESSAGE, ToolCall("c", "t", json.dumps({"path": "p" * 99})), role=Role.ASSISTANT), f"{'p' * 79}…"),
        (one(Kind.COMPACTION, Text("S"), usage=Usage(total=1234)), "## Compaction (1.2k → ≈ 1 tokens, −100%)\n\nS\n"),
        (one(Kind.COMPACTION, Text("S")), "## Compaction (≈ 1 tokens after)\n\nS\n"),
        (one(Kind.BRANCH_SUMMARY, Text("S")), "## Summary of the abandoned branch\n\nS\n"),
        (one(Kind.MODEL_CHANGE, provider="p", model="m"), "*Model: `p/m`*"),
        (one(Kind.THINKING_LEVEL_CHANGE, name="high"), "*Thinking: `high`*"),
    ],
)
def test_what_each_entry_becomes(entry: Entry, part: str) -> None:
    assert part in markdown(entry)


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        (one(Kind.TOOL_PRUNE), "*Tool outputs above are pruned from the context*"),
        (one(Kind.OMISSION, name="out"), "*An entry above is excluded from the context*"),
        (one(Kind.OMISSION, name=""), "*An entry above is sent in full again*"),
        (one(Kind.SKILL, Text("Do it."), name="a*b"), "*Skill “a\\*b” activated*"),
        (one(Kind.SKILL, name="s"), "*Skill “s” deactivated*"),
        (one(Kind.MESSAGE, Text("hi"), role=Role.SYSTEM, name="rules"), "## rules\n\nhi"),
        (
            one(
                Kind.MESSAGE,
                Text("<system_notification>Agent 1 is done.</system_notification>"),
                role=Role.USER,
                flags=Flag.INJECTED,
            ),
            "## Note\n\n<details>\n<summary>&lt;system_notification&gt;Agent 1 is done.&lt;/system_notification&gt;",
        ),
        (
            one(
                Kind.MESSAGE,
                Text("<command-name>/model</command-name><command-args>opus</command-args>"),
                role=Role.USER,
            ),
            "## Note\n\n<details>\n<summary>/model opus</summary>",
        ),
        (
            one(Kind.MESSAGE, Text("<local-command-stdout></local-command-stdout>"), role=Role.USER),
            "## Note\n\n*The command printed nothing*",
        ),
        (one(Kind.MESSAGE, role=Role.USER, flags=Flag.INJECTED), "## Note\n\n*Note for the model.*"),
    ],
)
def test_the_lines_are_those_of_the_window(entry: Entry, part: str) -> None:
    assert part in markdown(entry)


@pytest.mark.parametrize(
    "entry",
    [
        one(Kind.BRANCH_SUMMARY),
        one(Kind.CUSTOM, name="x"),
        one(Kind.UNKNOWN, name="x"),
        one(Kind.MESSAGE, Thinking("", "sig", redacted=True), Text(""), role=Role.USER),
    ],
)
def test_what_says_nothing_is_left_out(entry: Entry) -> None:
    assert markdown(entry).replace("## You\n\n", "") == markdown()


def test_the_demo_as_a_document() -> None:
    text = b"".join(MarkdownWriter().export(MemorySource.read(Pi(), DEMO))).decode()
    assert text.startswith("# Make the CSV import fast\n")
    assert "*Label: known-good*" in text
    assert "dead end" not in text
    assert "*Image `image/png`, 556 bytes*" in text
    assert text.count("## Compaction") == 1


# -- JSON ------------------------------------------------------------------------------------------------------------


def document(source: MemorySource) -> Any:
    return json.loads(b"".join(JsonWriter().export(source)))


BLOCKS = (
    Thinking("hm", "sig"),
    Text("é"),
    ToolCall("c", "read", '{"path":"a"}'),
    ToolCall("d", "odd", "{"),
    Image("image/png", "b1", 3),
    Image("image/png", "gone", 3),
    UnknownBlock("doc", '{"x":1}'),
)


@pytest.fixture
def branched() -> MemorySource:
    usage = Usage(input=1, output=2, cost=3)
    source = session(
        Entry(id="a", role=Role.USER, blocks=(Text("one"),), time=TIME),
        Entry(id="b", parent="a", role=Role.ASSISTANT, provider="p", model="m", blocks=BLOCKS, usage=usage),
        Entry(id="c", parent="a", kind=Kind.LABEL, target="b", name="x", flags=Flag.OWN | Flag.HIDDEN),
        Entry(id="d", parent="a", role=Role.TOOL_RESULT, tool="t", call="c", details='{"diff":"+"}'),
        details='{"version":3}',
    )
    source.leaf_id = "b"
    return source


def test_the_session_in_the_document(branched: MemorySource) -> None:
    found = document(branched)
    assert (found["stemmata"], found["leaf"]) == (1, "b")
    assert found["session"] == {
        "id": "s1",
        "source": "pi",
        "source_id": "s1",
        "title": "Fix *it*",
        "named": True,
        "cwd": "/w",
        "created_at": "2026-01-01T00:00:00.000Z",
        "model": "",
        "tags": [],
        "details": {"version": 3},
    }
    assert found["blobs"] == {"b1": "UE5H"}


def test_every_branch_is_in_the_document(branched: MemorySource) -> None:
    a, b, c, d = document(branched)["entries"]
    assert a == {
        "id": "a",
        "parent": None,
        "target": None,
        "kind": "message",
        "role": "user",
        "time": "2026-01-01T00:00:00.000Z",
        "blocks": [{"type": "text", "text": "one"}],
    }
    assert b["usage"] == {
        "input": 1, "output": 2, "cache_read": 0, "cache_write": 0, "cache_write_1h": 0, "total": 0, "cost": 3,
    }  # fmt: skip
    assert b["time"] is None
    assert (c["parent"], c["target"], c["name"], c["flags"]) == ("a", "b", "x", ["hidden", "own"])
    assert d["details"] == {"diff": "+"}


def test_the_content_of_an_entry_in_the_document(branched: MemorySource) -> None:
    assert document(branched)["entries"][1]["blocks"] == [
        {"type": "thinking", "text": "hm", "signature": "sig", "redacted": False},
        {"type": "text", "text": "é"},
        {"type": "tool_call", "id": "c", "name": "read", "arguments": {"path": "a"}},
        {"type": "tool_call", "id": "d", "name": "odd", "arguments": "{", "arguments_text": "{"},
        {"type": "image", "media_type": "image/png", "blob": "b1", "size": 3, "name": ""},
        {"type": "image", "media_type": "image/png", "blob": "gone", "size": 3, "name": ""},
        {"type": "doc", "value": {"x": 1}},
    ]


def test_an_empty_session_is_a_document_too() -> None:
    found = document(MemorySource())
    assert (found["entries"], found["blobs"], found["leaf"], found["session"]["created_at"]) == ([], {}, None, None)


def test_the_demo_as_json() -> None:
    source = MemorySource.read(Pi(), DEMO)
    found = document(source)
    assert [entry["id"] for entry in found["entries"]] == [entry.id for entry in source.entries]
    assert len(found["blobs"]) == 1


@pytest.mark.parametrize("depth", [100, 300, 900, 1000, 1500, 20_000])
def test_what_nests_deep_is_written_whole_in_every_format(depth: int) -> None:
    """A model may say anything as the arguments of a tool, and a tool's server as its details."""
    text = '{"a":' * depth + "1" + "}" * depth
    call = Entry(id="c", role=Role.ASSISTANT, blocks=(ToolCall("1", "read", text), UnknownBlock("odd", text)))
    source = session(call, Entry(id="r", parent="c", role=Role.TOOL_RESULT, call="1", tool="read", details=text))
    for writer in (PiWriter(), JsonWriter()):
        written = b"".join(writer.export(source)).decode()
        is_text = isinstance(writer, JsonWriter) and depth > MAX_DEPTH  # other programs could not parse the document
        for name in ("arguments", "details"):
            assert (f'"{name}_text":{json.dumps(text)}' if is_text else f'"{name}":{text}') in written
    assert "".join(part.decode() for part in MarkdownWriter().export(source)).count('"a":') == 2 * depth


@pytest.mark.parametrize("arguments", ["[" * 20_000 + "]" * 20_000, "[1]", "{", "[" * 20_000])
def test_arguments_that_are_no_object_are_none_for_pi(arguments: str) -> None:
    source = session(Entry(id="c", role=Role.ASSISTANT, blocks=(ToolCall("1", "read", arguments),)))
    assert b'"arguments":{}' in b"".join(PiWriter().export(source))

"""Every entry has a preview of one line."""

from __future__ import annotations

import pytest
from hypothesis import given

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.text.one_line import LENGTH
from tests.strategies import shapes


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ((), ""),
        ((Text("  \n"), Text("one\n two\tthree ")), "one two three"),
        ((ToolCall("c", "bash", '{"timeout":5,"command":"ls -l"}'), Text("said")), "said"),
        ((Text("## Done\n\n- [x] `x` is **fast**"),), "Done · x is fast"),
        ((Thinking("thought"), ToolCall("c", "bash", '{"timeout":5,"command":"ls\\n-l"}')), "bash ls -l"),
        ((ToolCall("c", "read", '{"limit":"3","path":"/x"}'), ToolCall("d", "write", "{}")), "read /x"),
        ((ToolCall("c", "odd", '{"a":1,"b":"value"}'),), "odd value"),
        ((ToolCall("c", "odd", '{"a":1}'),), "odd"),
        ((ToolCall("c", "odd", "not json"),), "odd"),
        ((ToolCall("c", "write", '{"content":"' + "x" * 60_000 + '"}'),), None),
        ((Thinking("a\nthought"),), "a thought"),
        ((Image("image/png", "0" * 64, 1, "shot.png"),), "shot.png"),
        ((Image("image/png", "0" * 64),), "image"),
        ((UnknownBlock("web_search", "{}"),), "web_search"),
        ((Text("  \n"), Text("Then this.")), "Then this."),
    ],
)
def test_messages_show_their_text(blocks: tuple[Block, ...], expected: str | None) -> None:
    preview = preview_of(Entry(id="a", role=Role.ASSISTANT, blocks=blocks))
    if expected is None:
        assert preview.startswith('write {"content":"xxx')
        assert len(preview) == LENGTH
    else:
        assert preview == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (Entry(id="a", role=Role.TOOL_RESULT, blocks=(Text("\n  first line\nsecond"),)), "first line"),
        (Entry(id="a", role=Role.TOOL_RESULT, blocks=(Text(" "), Image("image/png", "x", 1, "i.png"))), "i.png"),
        (Entry(id="a", role=Role.TOOL_RESULT, tool="bash"), ""),
        (Entry(id="a", role=Role.BASH_EXECUTION, name="git\nstatus", blocks=(Text("output"),)), "git status"),
        (Entry(id="a", kind=Kind.MODEL_CHANGE, provider="p", model="m"), "p/m"),
        (Entry(id="a", kind=Kind.MODEL_CHANGE, model="m"), "m"),
        (Entry(id="a", kind=Kind.LABEL, name="my label"), "my label"),
        (Entry(id="a", kind=Kind.COMPACTION, blocks=(Text("Goal: x"),)), "Goal: x"),
        (Entry(id="a", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="note"), "note"),
    ],
)
def test_other_entries_show_their_name_or_kind(entry: Entry, expected: str) -> None:
    assert preview_of(entry) == expected


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ((Text("a.py:\n\nx"), Text("Which tea?")), "Which tea?"),
        ((Text("a.py:\n\nx"), Image("image/png", "0" * 64, 1, "b.png"), Text("Which tea?")), "Which tea?"),
        ((Text("a.py:\n\nx"), Text("b.py:\n\ny")), "b.py: y"),
        ((Text("a.py:\n\nx"),), "a.py: x"),
    ],
)
def test_a_prompt_shows_its_text_and_not_its_attachments(blocks: tuple[Block, ...], expected: str) -> None:
    assert preview_of(Entry(id="a", role=Role.USER, blocks=blocks)) == expected


@given(shapes())
def test_every_preview_is_one_short_line(entry: Entry) -> None:
    preview = preview_of(entry)
    assert len(preview) <= LENGTH
    assert len(preview.splitlines()) <= 1
    preview.encode()

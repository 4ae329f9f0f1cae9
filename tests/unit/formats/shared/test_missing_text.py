"""Exported pages say what an entry without a text lacks."""

from __future__ import annotations

import re

import pytest

from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.html.writer import HtmlWriter
from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.shared.missing_text import missing_text
from tests.fakes.export_source import MemorySource


@pytest.fixture
def source() -> MemorySource:
    """A session whose entries have no text, with two branches below the first reply."""
    out = MemorySource(SessionInfo(source="pi", source_id="s"), title="Empty")
    call = ToolCall("c", "bash", '{"command": "true"}')
    out.add(
        Entry(id="u", role=Role.USER, blocks=(Text(" \n"),)),
        Entry(id="a", parent="u", role=Role.ASSISTANT),
        Entry(id="n", parent="a", role=Role.USER, flags=Flag.INJECTED),
        Entry(id="c", parent="n", role=Role.ASSISTANT, blocks=(call,)),
        Entry(id="r", parent="c", role=Role.TOOL_RESULT, tool="bash", call="c"),
        Entry(id="s", parent="r", role=Role.SYSTEM),
        Entry(id="o", parent="a", role=Role.USER, blocks=(Text("Another"),)),
    )
    out.leaf_id = "s"
    return out


def test_a_page_of_html_names_them_in_the_graph_and_in_the_text(source: MemorySource) -> None:
    page = b"".join(HtmlWriter().export(source)).decode()
    graph, _, rest = page.partition("<main")
    assert re.findall(r"<span>(Message[^<]*|Reply[^<]*|Note[^<]*|…)</span>", graph)[:2] == [
        "Message without text", "Reply without text",
    ]  # fmt: skip
    told = re.findall(r'class="ended">([^<]*)<', rest)
    assert sorted(told) == ["Entry without text.", "Message without text.", "No output.", "Reply without text."]
    assert "<p><span>Note</span></p>" in rest  # a line between the messages


def test_a_document_of_markdown_names_them(source: MemorySource) -> None:
    source.is_whole = True
    text = b"".join(MarkdownWriter().export(source)).decode()
    told = re.findall(r"^\*(.*)\*$", text, re.MULTILINE)
    assert told == [
        "Message without text.", "Reply without text.", "Note for the model.", "No output.", "Entry without text.",
        "Follows: Reply without text",
    ]  # fmt: skip


def test_other_kinds_are_named(source: MemorySource) -> None:
    source.add(Entry(id="x", parent="s", kind=Kind.MODEL_CHANGE))
    [row] = source.rows([len(source.tree) - 1])
    assert missing_text(row) == "Entry without text (model change)"

"""Calls of tools and their results have the form of their tool on the page."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.files.changed_lines import changes_of
from stemmata.formats.html import tool_forms
from stemmata.formats.html.markup import Markup, escaped
from stemmata.formats.html.tool_forms import call_html, difference_html, result_html

LONG = "x" * 300


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall("c", tool, json.dumps(arguments))


def shown(tool: str, **arguments: Any) -> str:
    """The arguments as a reader sees them, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", call_html(Markup(), call(tool, **arguments)))).split())


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("bash", {"command": "ls", "description": "List", "timeout": 5}, "List timeout: 5"),
        ("bash", {"command": "ls\npwd"}, "ls pwd"),
        ("bash", {"command": "ls " + LONG}, "ls " + LONG),
        ("read", {"path": "a", "offset": 3}, "offset: 3"),
        ("read", {"path": "a"}, ""),
        ("grep", {"pattern": "x", "glob": ["*.py"], "note": LONG}, f'glob: ["*.py"] · note: {LONG[:200]}…'),
        ("write", {"path": "a", "content": "one\ntwo\n"}, "one two"),
        ("edit_file", {"target_file": "a", "instructions": "Add", "code_edit": "// …"}, "Add // …"),
        ("TodoWrite", {"todos": [{"content": "Look", "status": "completed"}]}, "☑ Look"),
        ("task", {"prompt": "**Look**"}, "Look"),
        ("web_fetch", {"url": "https://a.b", "prompt": "Why"}, "https://a.b prompt: Why"),
        ("web_fetch", {"url": "javascript:x"}, "url: javascript:x"),
        ("lookup", {"a": 1, "body": "one\ntwo", "message": "**b**\n\nc"}, '{ "a": 1 } body one two message b c'),
        ("lookup", {"body": "x"}, "x"),
        ("lookup", {"a": 1, "b": "x"}, '{ "a": 1, "b": "x" }'),
        ("lookup", {}, "{}"),
    ],
)
def test_the_arguments_of_a_call(tool: str, arguments: dict[str, Any], text: str) -> None:
    assert shown(tool, **arguments) == text


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    assert call_html(Markup(), ToolCall("c", "bash", "nonsense <b>")) == "<pre>nonsense &lt;b&gt;</pre>"


def html(tool: str, text: str, details: str = "", *, failed: bool = False, **arguments: Any) -> str:
    return result_html(Markup(), call(tool, **arguments), tool, text, details, failed=failed)


def test_lines_of_a_file_have_their_numbers_beside_them() -> None:
    found = html("read", "a <b>\n\nc", path="x", offset=7)
    assert found == (
        '<pre class="lines"><span data-line="7">a &lt;b&gt;\n</span><span data-line="8">\n</span>'
        '<span data-line="9">c\n</span></pre>'
    )


def test_matches_stand_below_the_names_of_their_files() -> None:
    found = html("grep", "a.py:3:one\nb.py:4:two\nFound 2 matches", pattern="o")
    assert found == (
        '<pre class="lines"><b>a.py\n</b><span data-line="3">one\n</span><span>\n</span><b>b.py\n</b>'
        '<span data-line="4">two\n</span></pre><p class="file">Found 2 matches</p>'
    )


def test_other_results() -> None:
    assert html("ls", "a\nb", path=".") == "<pre>a\nb</pre>"
    assert html("lookup", '{"a":1}') == "<pre>{\n  &quot;a&quot;: 1\n}</pre>"
    assert html("task", "**done**", prompt="x") == "<p><strong>done</strong></p>\n"
    assert html("bash", "one\ntwo", command="x") == "<pre>one\ntwo</pre>"
    assert html("bash", "1\n2\n3\n", command="x").count("data-line") == 3
    assert html("bash", " ", command="x") == ""
    assert html("read", "not found", path="x", failed=True) == "<pre>not found</pre>"
    assert result_html(Markup(), None, "read", "a").startswith('<pre class="lines">')


def test_pages_of_a_search_are_links_when_they_may_be_opened() -> None:
    pages = [{"title": "A<b>", "url": "https://a.b/?x=1&y"}, {"url": "javascript:x", "snippet": "Words"}]
    assert html("web_search", json.dumps(pages), query="x") == (
        '<p><a href="https://a.b/?x=1&amp;y" rel="noopener noreferrer">A&lt;b&gt;</a><br>https://a.b/?x=1&amp;y</p>'
        "<p>javascript:x<br>Words</p>"
    )
    assert html("web_search", "", json.dumps({"results": [{"url": "https://c"}]})).count("<a ") == 1


def test_the_only_changed_file_is_named_by_the_call() -> None:
    [change] = changes_of(call("edit", path="a", old_string="1", new_string="2"))
    assert "<code>a</code>" in difference_html(change)
    assert difference_html(change, is_only=True) == '<pre class="diff"><del>-1\n</del><ins>+2\n</ins></pre>'
    patch = "*** Begin Patch\n*** Delete File: gone\n*** End Patch"
    assert difference_html(changes_of(call("apply_patch", input=patch))[0], is_only=True) == (
        '<p class="file">Deleted <code>gone</code></p>'
    )


def test_the_lines_of_a_file_are_escaped_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()

    def noted(text: str) -> str:
        told.append(text)
        return escaped(text)

    monkeypatch.setattr(tool_forms, "escaped", noted)
    shown = call_html(Markup(), ToolCall("1", "write", '{"path": "a", "content": "a < b\\n\\nc\\n"}'))
    assert shown == (
        '<pre class="lines"><span data-line="1">a &lt; b\n</span><span data-line="2">\n</span>'
        '<span data-line="3">c\n</span></pre>'
    )
    assert told == ["a < b\n\nc"]

"""The HTML export shows all branches, and nothing in it is active but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.html.markup import MOST_MARKDOWN, Markup, cleaned
from stemmata.formats.html.writer import COLOURS, LANE, LONG_OUTPUT, MOST_LANES, HtmlWriter
from stemmata.formats.pi.reader import Pi
from tests.fakes.export_source import MemorySource
from tests.strategies import chains

DEMO = Path(__file__).parents[4] / "resources" / "demo" / "ledgerly-import.jsonl"
VOID = {"meta", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Parses a page strictly: every element is closed in order. Collects elements, articles and their texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.articles: dict[str, str] = {}
        self._article = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "article":
            self._article = dict(attrs)["id"] or ""
            self.articles[self._article] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag
        if tag == "article":
            self._article = ""

    def handle_data(self, data: str) -> None:
        if self._article:
            self.articles[self._article] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def written(*entries: Entry, leaf: str | None = None, **blobs: bytes) -> str:
    source = MemorySource(SessionInfo(source="pi", source_id="s"), blobs=blobs, title="Lanes & <forks>")
    if entries:
        source.add(*entries)
        source.leaf_id = leaf or entries[-1].id
    return b"".join(HtmlWriter().export(source)).decode()


def user(id: str, text: str, parent: str | None = None) -> Entry:
    return Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(text),))


def reply(id: str, parent: str, *blocks: Text | Thinking | ToolCall | Image | UnknownBlock, **facts: object) -> Entry:
    return Entry(id=id, parent=parent, role=Role.ASSISTANT, blocks=blocks, **facts)  # type: ignore[arg-type]


def test_the_page_may_load_nothing_and_run_only_its_own_script() -> None:
    page = written(user("a", "hello"))
    policy = next(m["content"] or "" for m in Page(page).all("meta") if m.get("http-equiv"))
    assert policy.startswith("default-src 'none'; img-src data:; ")
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}';" in policy
    assert not [one for _, one in Page(page).elements if any(name.startswith(("on", "style")) for name in one)]
    assert Page(page).all("title") == [{}]
    assert "<title>Lanes &amp; &lt;forks&gt;</title>" in page


def test_every_branch_is_a_line_of_the_graph_and_a_chain_of_articles() -> None:
    page = written(
        user("a", "the question"),
        reply("b", "a", Text("the first answer"), model="m"),
        reply("c", "a", Text("the second answer"), model="m"),
        Entry(id="l", parent="c", kind=Kind.LABEL, target="c", name="good <one>"),
        leaf="c",
    )
    parsed = Page(page)
    assert [(one["id"], one["data-up"], one["data-row"]) for one in parsed.all("article")] == [
        ("e0", "-1", "0"),
        ("e1", "0", "1"),
        ("e2", "0", "2"),
        ("e3", "2", "2"),
    ]
    assert "the second answer" in parsed.articles["e2"]
    assert "‹ 2 / 2 ›" in parsed.articles["e2"].replace("\n", "")
    assert "good <one>" in parsed.articles["e2"]
    assert parsed.articles["e3"] == ""
    assert "2 branches" in page
    assert page.count('class="follows"') == 1, "only the second answer follows an entry that is not the one above it"
    assert len(parsed.all("circle")) == 3
    assert [one["data-last"] for one in parsed.all("li")] == ["0", "1", "2"]
    assert 'data-leaf="2"' in page


def test_what_is_in_the_trash_is_left_out() -> None:
    page = written(
        user("a", "kept"),
        user("b", "thrown away", "a"),
        user("c", "kept as well", "a"),
        Entry(id="t", parent="a", kind=Kind.TRASH, target="b"),
        leaf="c",
    )
    assert "thrown away" not in page
    assert "1 branch<" in page


def test_a_call_is_shown_with_its_result() -> None:
    page = written(
        user("a", "look"),
        reply(
            "b", "a", Text("I look."), ToolCall("1", "bash", '{"command":"ls -l"}'), ToolCall("2", "read", "nonsense")
        ),
        Entry(id="r", parent="b", role=Role.TOOL_RESULT, tool="bash", call="1", blocks=(Text("a\tfile"),)),
        Entry(id="f", parent="r", role=Role.TOOL_RESULT, tool="bash", call="9", flags=Flag.FAILED),
        reply("g", "f", Text("More."), Thinking("hm"), Thinking("", "sealed"), UnknownBlock("", '{"a":1}')),
        reply("h", "g", ToolCall("3", "grep", '{"pattern":"x"}'), flags=Flag.ABORTED),
        reply("i", "h", flags=Flag.FAILED),
    )
    articles = Page(page).articles
    assert "ls -l" not in articles["e1"]
    assert "read" in articles["e1"], "a call without a result stays where it is"
    assert "result missing" in articles["e1"]
    assert "ls -l" in articles["e2"]
    assert "a\tfile" in articles["e2"]
    assert "failed" in articles["e3"]
    assert "Assistant" not in articles["e4"], "the turn goes on"
    assert "Unknown block" in articles["e4"]
    assert "The reply was stopped." in articles["e5"]
    assert "The reply ended in an error." in articles["e6"]


def test_a_reply_that_begins_with_a_call_is_named_above_its_result() -> None:
    page = written(
        user("a", "look"),
        Entry(id="n", parent="a", kind=Kind.CUSTOM),  # shows nothing
        reply("b", "n", Thinking("", "sealed")),
        reply("c", "b", ToolCall("1", "bash", '{"command":"ls"}')),
        Entry(id="r", parent="c", role=Role.TOOL_RESULT, tool="bash", call="1", blocks=(Text("file"),)),
        reply("d", "r", ToolCall("2", "bash", '{"command":"ls"}')),
        Entry(id="s", parent="d", role=Role.TOOL_RESULT, tool="bash", call="2", blocks=(Text("file"),)),
        reply("e", "s", Text("Done.")),
        user("f", "thanks", "e"),
        reply("g", "f", Text("Welcome.")),
    )
    articles = Page(page).articles
    assert [id for id in articles if "Assistant" in articles[id]] == ["e4", "e9"], "once in each turn"


def test_what_an_edit_changed_is_a_difference_with_the_numbers_of_the_file() -> None:
    edit = ToolCall("c", "edit", '{"path": "a<b>.py", "oldText": "x", "newText": "y"}')
    patch = "*** Begin Patch\n*** Update File: c\n*** Move to: d\n-1\n*** Add File: e\n+2\n*** End Patch"
    both = ToolCall("p", "apply_patch", json.dumps({"input": patch}))
    page = written(
        user("a", "go"),
        reply("b", "a", edit, both),
        Entry(id="c", parent="b", role=Role.TOOL_RESULT, tool="edit", call="c", blocks=(Text("done"),),
              details='{"diff": " 7 <i>\\n-8 x & y\\n+8 y"}'),
        Entry(id="d", parent="c", role=Role.TOOL_RESULT, tool="apply_patch", call="p", blocks=(Text("done"),)),
    )  # fmt: skip
    parsed = Page(page)
    assert '<pre class="diff"><span data-line="7"> &lt;i&gt;\n</span><del data-line="8">-x &amp; y\n</del>' in page
    assert '<ins data-line="8">+y\n</ins></pre>' in page
    assert "<span>a&lt;b&gt;.py</span>" in page
    assert '<p class="file"><code>a&lt;b&gt;.py</code></p>' not in page, "the line of the call names the file"
    assert "<i>+1</i> <i class=bad>−1</i>" in page
    assert "oldText" not in parsed.articles["e2"]
    assert "done" not in parsed.articles["e2"]
    assert '<p class="file"><code>c → d</code></p>' in page
    assert '<p class="file">New file <code>e</code></p>' in page


def test_no_removed_line_is_not_marked_as_bad() -> None:
    page = written(
        user("a", "go"),
        reply("b", "a", ToolCall("c", "edit", '{"path": "n.py", "oldText": "x", "newText": "x\\ny"}')),
        Entry(id="c", parent="b", role=Role.TOOL_RESULT, tool="edit", call="c", blocks=(Text("done"),),
              details='{"diff": " 7 x\\n+8 y"}'),
    )  # fmt: skip
    assert "<i>+1</i> <i>−0</i>" in page


def test_a_failed_edit_shows_its_arguments_and_the_error() -> None:
    edit = ToolCall("c", "edit", '{"path": "a.py", "oldText": "x", "newText": "y"}')
    page = written(
        user("a", "go"), reply("b", "a", edit),
        Entry(id="c", parent="b", role=Role.TOOL_RESULT, tool="edit", call="c", blocks=(Text("not found"),),
              flags=Flag.FAILED),
    )  # fmt: skip
    assert "oldText" in Page(page).articles["e2"]
    assert "not found" in Page(page).articles["e2"]
    assert 'class="diff"' not in page.partition("<body>")[2]


def test_output_has_no_control_sequences_of_terminals() -> None:
    run = ToolCall("c", "bash", '{"command": "ls"}')
    page = written(
        user("a", "go"), reply("b", "a", run),
        Entry(id="c", parent="b", role=Role.TOOL_RESULT, tool="bash", call="c",
              blocks=(Text("\x1b[31mred\x1b[0m\n 10 %\r100 %"),)),
        Entry(id="d", parent="c", role=Role.BASH_EXECUTION, name="make", blocks=(Text("\x1b[1mbold\x1b[0m"),)),
    )  # fmt: skip
    assert "<pre>red\n100 %</pre>" in page
    assert "<pre>bold</pre>" in page


def test_the_other_kinds_of_entries() -> None:
    page = written(
        Entry(id="m", kind=Kind.MODEL_CHANGE, provider="anthropic", model="opus"),
        Entry(id="t", parent="m", kind=Kind.THINKING_LEVEL_CHANGE, name="high"),
        Entry(id="s", parent="t", kind=Kind.COMPACTION, blocks=(Text("## Goal"),), usage=Usage(total=51_200)),
        Entry(id="b", parent="s", kind=Kind.BRANCH_SUMMARY, blocks=()),
        Entry(id="x", parent="b", kind=Kind.COMPACTION, blocks=(Text("again"),)),
        Entry(id="h", parent="x", role=Role.BASH_EXECUTION, name="ls", blocks=(Text("a"),)),
        Entry(id="i", parent="h", role=Role.BASH_EXECUTION, name="ls", blocks=(Text("a\n" * LONG_OUTPUT),)),
        Entry(id="c", parent="i", role=Role.CUSTOM, name="status", blocks=(Text("fine"),)),
        Entry(id="n", parent="c", kind=Kind.CUSTOM_MESSAGE, blocks=(Text("note"),)),
        Entry(id="q", parent="n", kind=Kind.CUSTOM_MESSAGE, name="attachment:file", blocks=(Text("line"),)),
        Entry(id="o", parent="q", role=Role.SYSTEM, blocks=(Text("rules"),), time=1_767_225_600_000_000_000),
    )
    articles = Page(page).articles
    assert articles["e0"] == "Model: anthropic/opus"
    assert articles["e1"] == "Thinking: high"
    assert articles["e2"].startswith("Compaction, 51.2k → ≈ 2 tokens, −100%")
    assert articles["e3"] == ""
    assert "<span>Compacted 51.2k → ≈ 2 tokens, −100%</span>" in page
    assert "<span>Compacted ≈ 2 → ≈ 2 tokens, +0%</span>" in page
    assert page.count("<details open>") == 1, "long output is folded"
    assert "status" in articles["e7"]
    assert "Note" in articles["e8"]
    assert "Attached file" in articles["e9"]
    assert "System2026-01-01 00:00" in articles["e10"]


def test_pictures_are_in_the_file_or_named() -> None:
    page = written(
        Entry(
            id="a",
            role=Role.USER,
            blocks=(
                Image("image/png", "b1", 3, "plan.png"),
                Image("image/svg+xml", "b1", 3),
                Image("image/png", "no", 1),
            ),
        ),
        Entry(id="r", parent="a", role=Role.TOOL_RESULT, tool="read", blocks=(Image("image/png", "b1", 3),)),
        b1=b"PNG",
    )
    pictures = Page(page).all("img")
    assert pictures[0] == {"alt": "plan.png", "src": "data:image/png;base64,UE5H"}
    assert len(pictures) == 2
    assert page.count("Picture that is not in this file") == 2


def test_a_session_without_entries_is_a_page() -> None:
    parsed = Page(written())
    assert parsed.all("article") == []
    source = MemorySource(SessionInfo(source="pi", source_id="x", cwd="/w", created_at=1_767_225_600_000_000_000))
    page = b"".join(HtmlWriter().export(source)).decode()
    assert "<h1>Session</h1>" in page
    assert "pi · /w · 2026-01-01 · 0 entries" in page


def test_lanes_far_to_the_right_share_the_last_one() -> None:
    entries = [user("r", "root")]
    for depth in range(MOST_LANES + 4):
        parent = "r" if depth == 0 else f"n{depth - 1}"
        entries += [user(f"n{depth}", "on", parent), user(f"s{depth}", "side", parent)]
    page = written(*entries, leaf="r")
    numbers = [int(one.get("cx") or 0) for one in Page(page).all("circle")]
    assert max(numbers) <= (MOST_LANES + 1) * LANE
    assert f'class="c{COLOURS}' in page


def test_the_demo() -> None:
    page = b"".join(HtmlWriter().export(MemorySource.read(Pi(), DEMO))).decode()
    parsed = Page(page)
    assert len(parsed.articles) == 73
    assert 'class="task-list-item"' in page
    assert len(parsed.all("rect")) == 1


@given(chains(min_size=1, max_size=12))
def test_any_tree_becomes_a_sound_page(entries: list[Entry]) -> None:
    source = MemorySource()
    source.add(*entries)
    text = b"".join(HtmlWriter().export(source)).decode()
    parsed = Page(text)
    assert {tag for tag, _ in parsed.elements if tag in ("script", "iframe", "object", "embed", "link", "form")} == {
        "script"
    }
    assert len(parsed.all("script")) == 1


PIECES = st.sampled_from(
    ["a", " ", "\n", "\n\n", "`", "```\n", "<b>", "<script>x</script>", "</article>", "<!--", "-->", "![", "](", ")",
     "http://e/x.png", "javascript:x", "data:text/html,x", "[", "]", ": ", "> ", "- [ ] ", "# ", "    ", "|", "--|--",
     "<img src=x onerror=y>", "<p onclick=x>", "&lt;", "\0", "\ud800", "\x1b", "[a]: vbscript:x", "<https://e>",
     "<javascript:x>", '"']
)  # fmt: skip
HARMLESS = re.compile(
    r"</?(?:p|h[3-6]|pre|code|em|strong|s|ul|ol|li|blockquote|hr|br|a|table|thead|tbody|tr|th|td|input)\b[^<>]*>"
)


# The attributes that converted text has: none runs a script, and only `href` names an address.
ATTRIBUTES = frozenset({"href", "rel", "title", "class", "start", "type", "checked", "disabled"})


@given(st.lists(PIECES, max_size=30).map("".join))
@example('[a](http://e/x.png "<img src=x onerror=y>")')  # a title, in which a tag is only text
@example("[a]() [](<>)")  # no address
def test_whatever_a_text_says_nothing_is_active(text: str) -> None:
    made = Markup().of(text)
    made.encode()
    assert "<" not in HARMLESS.sub("", made)
    for attributes in re.findall(r"<a ([^>]*)>", made):
        assert re.match(r'href="(?:https?:|mailto:)', attributes), attributes
        assert 'rel="noopener noreferrer"' in attributes
    assert {name for _, attributes in Page(made).elements for name in attributes} <= ATTRIBUTES


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("# Big", "<h3>Big</h3>"),
        ("![a <b>](http://e/x.png)", "[a &lt;b&gt;]"),
        ("![](https://e.org/x.png)", "[image]"),
        ("[site](https://e.org)", '<a href="https://e.org" rel="noopener noreferrer">site</a>'),
        ("[file](src/main.py)", "[file](src/main.py)"),
        ("[site]()", "<a>site</a>"),
        ("x\x00\x1by", "x\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}y"),
        ("*" * (MOST_MARKDOWN + 1), f"<pre>{'*' * (MOST_MARKDOWN + 1)}</pre>"),
    ],
)
def test_markup(text: str, page: str) -> None:
    assert page in Markup().of(text)


def test_characters_that_no_page_may_contain() -> None:
    assert cleaned("a\tb\nc\ud800\x7f") == "a\tb\nc\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"


def test_the_alignment_of_a_column_is_a_class() -> None:
    page = Markup().of("| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |")
    assert "style" not in page, "the policy of the page forbids it"
    assert '<th>a</th>\n<th class="right">b</th>\n<th class="center">c</th>' in page
    assert '<td class="right">2</td>' in page


def test_formulas_are_code_as_they_are_written() -> None:
    page = Markup().of("For $e^{i\\pi}$ and \\(a_1\\) pay $5 or $6.\n\n$$\n\\int_0^1 x\\,dx\n$$\n\n\\[ a < b \\]")
    assert "For <code>$e^{i\\pi}$</code> and <code>\\(a_1\\)</code> pay $5 or $6." in page
    assert "<pre>\\int_0^1 x\\,dx</pre>" in page
    assert "<code>\\[ a &lt; b \\]</code>" in page
    assert "<code>$a_1$</code></a>" in Markup().of("[$a_1$](https://a.b)")


def test_what_a_tool_wrote_is_a_line_and_no_message_of_the_user() -> None:
    """The words are those of the window."""
    page = written(
        Entry(id="u", role=Role.USER, blocks=(Text("Fix it"),)),
        Entry(id="a", parent="u", role=Role.ASSISTANT, model="m", blocks=(Text("Asking an agent"),)),
        Entry(
            id="n", parent="a", role=Role.USER, flags=Flag.INJECTED,
            blocks=(Text("<system_notification>Agent 1 is done.</system_notification>"),),
        ),
        Entry(id="b", parent="n", role=Role.ASSISTANT, model="m", blocks=(Text("It is done"),)),
        Entry(
            id="c", parent="b", role=Role.USER,
            blocks=(Text("<bash-input>ls</bash-input><bash-stderr>not found</bash-stderr>"),),
        ),
        Entry(id="d", parent="c", role=Role.USER, blocks=(Text("<local-command-stdout></local-command-stdout>"),)),
        Entry(id="e", parent="d", role=Role.USER, blocks=(Text("<system-reminder>Be brief.</system-reminder>"),)),
        Entry(id="f", parent="e", kind=Kind.TOOL_PRUNE),
        Entry(id="g", parent="f", role=Role.CUSTOM, blocks=(Text("said"),)),
        Entry(id="h", parent="g", role=Role.USER, name="attachment:queued_command", blocks=(Text("and this"),)),
    )  # fmt: skip
    articles = Page(page).articles
    assert page.count("<span>Queued message</span>") == 1
    assert page.count("<span>You</span>") == 1
    assert page.count("<span>m</span>") == 1, "the reply goes on below the line"
    assert articles["e2"] == "<system_notification>Agent 1 is done.</system_notification>" * 2
    assert articles["e4"] == "ls not foundls\nnot found"
    assert "<span class=bad>not found</span>" in page
    assert articles["e5"] == "The command printed nothing"
    assert articles["e6"] == "Reminder for the modelBe brief."
    assert articles["e7"] == "Tool outputs above are pruned from the context"
    assert "<span>Note</span>" in page

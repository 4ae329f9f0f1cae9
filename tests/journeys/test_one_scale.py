"""Every figure of a context, read where the window shows it: before, during and after a compaction they agree.

| where | what it counts |
|---|---|
| heading of the context column, ring at the message, marker of the chart, row of the session | the whole context |
| rows of the table, largest entries, tooltip of the chart | parts of it, at its scale |
| workbench: before, after, facts, slider, tool output; block in the column; cut in the transcript | the same scale |
| card of the compaction, row of the navigator, message that it is done, cliff of the chart | the same two totals |
| `/context` and `/status`, `stemmata context`, `stemmata compact` | the same totals |
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stemmata.bootstrap.commands import command_line
from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind
from stemmata.gui.cards.card import Card
from stemmata.gui.context.chart_words import drop_text
from stemmata.gui.transcript.cut import CutLine
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.surface import FactLine
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Reply, Say, flood
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat
from tests.journeys.person import Person

FIGURE = re.compile(r"(?:≈ ?)?\d+(?:\.\d+)?[kM]?(?![\w.]*\d)(?! ?%| entr)")
Told = Callable[..., Any]


def figures(text: str) -> list[str]:
    """The figures in a text, each with its mark: `≈180.8k`."""
    return [found.replace(" ", "") for found in FIGURE.findall(text)]


def value(figure: str) -> float:
    digits = figure.removeprefix("≈")
    factor = {"k": 1e3, "M": 1e6}.get(digits[-1], 1)
    return float(digits.rstrip("kM")) * factor


@pytest.fixture
def told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Told:
    """Return the output of a command on the archive of the window: its text, or with --json its document."""

    def call(*arguments: str) -> Any:
        capfd.readouterr()
        assert command_line(["--profile", str(tmp_path / "profile"), *arguments]) == 0
        out = capfd.readouterr().out
        return json.loads(out) if "--json" in arguments else out

    return call


def total(person: Person) -> str:
    """The heading of the context column; the ring, the chart, and both of a session's commands say the same."""
    window = person.window
    chart = window.context.over_time.chart
    person.until(lambda: chart.timeline is not None and chart.timeline.history.path_totals.tree is person.tree)
    [found] = figures(person.total().partition(" of ")[0])
    assert figures(window.transcript.composer.foot.ring.request.text)[0] == found
    assert figures(window.context.over_time.note.text())[0] == found
    assert figures(chart.spoken.partition(": ")[2])[0] == found
    services, session = person.application.services, person.gui.opened.key
    assert session is not None
    row = services.sessions.get(session).result(PATIENCE)
    assert value(found) == pytest.approx(row.context_tokens, abs=50)
    assert row.context_kind == ("estimated" if "≈" in found else "reported")
    for command in ("context", "status"):
        line = next(line for line in command_text(person, command).splitlines() if "Context:" in line)
        assert value(figures(line.replace("/", " of "))[0]) == value(found)
    return found


def command_text(person: Person, command: str) -> str:
    commands, key = person.application.services.commands, person.gui.opened.key
    assert key is not None
    return str(getattr(commands, f"_{command}")(key, "").text)


def assert_the_parts_make_up_the_total(person: Person) -> None:
    column = person.window.context
    rows = [row for row in column.breakdown.table[:-1] if figures(row[1])]
    whole = value(figures(person.total())[0])
    assert sum(value(figures(row[1])[0]) for row in rows) == pytest.approx(whole, abs=50 * len(rows))
    session_tree, leaf = person.gui.opened.session_tree, person.gui.opened.leaf
    assert session_tree is not None
    breakdown = person.application.services.contexts.seen(session_tree, leaf).breakdown
    [first, *_] = column.largest.buttons
    largest = breakdown.scaled(breakdown.largest[0].tokens)
    assert figures(first.accessibleName())[-1] == f"≈{tokens_text(largest)}"


def enter(person: Person) -> None:
    person.until(person.is_planned)
    block, panel = person.window.context.preview, person.window.workbench
    person.until(lambda: figures(block.note.text())[:1] == figures(person.total().partition(" of ")[0]))
    person.window.actions_table["compact"].trigger()
    person.until(lambda: person.in_workbench() and bool(panel.editor.text) and panel.accept.isEnabled())
    assert not block.isVisible()


def fact(person: Person, name: str) -> str:
    found: FactLine = person.window.workbench.sizes.facts[name]
    return figures(found.value)[-1] if figures(found.value) else ""


def assert_the_workbench_agrees(person: Person) -> tuple[str, str]:
    """Check that the workbench agrees with itself and with the cut in the transcript."""
    panel, sizes = person.window.workbench, person.window.workbench.sizes
    [before] = figures(sizes.note.text().partition(" of ")[0])
    after = figures(sizes.left.note.text())[0]
    [cut] = person.window.transcript.view.viewport().findChildren(CutLine)
    assert figures(cut.spoken)[-1] == figures(cut.shown)[-1] == fact(person, "summarised")
    assert figures(panel.keep.amount.text())[0] == fact(person, "kept")
    assert figures(panel.draft_note.text())[0] == fact(person, "summary")
    parts = {name: value(fact(person, name) or "0") for name in ("system", "summary", "pinned", "kept", "summarised")}
    made_up = parts["system"] + parts["pinned"] + parts["kept"]
    assert value(before) == pytest.approx(made_up + parts["summarised"], abs=200)
    assert value(after) == pytest.approx(made_up + parts["summary"], abs=200)
    return before, after


def accept(person: Person) -> None:
    leaf = person.leaf
    person.window.workbench.accept.click()
    person.until(lambda: person.leaf != leaf and not person.in_workbench())


def card_texts(person: Person, key: int) -> list[str]:
    """Return the texts of an entry's card, piece by piece, once it is visible."""
    view = person.window.transcript.view
    view.scroll_to(key)

    def cards() -> list[Card]:
        return [card for card in view.viewport().findChildren(Card) if card.key == key and card.isVisible()]

    person.until(lambda: bool(cards()))
    return [part.text() for part in cards()[0].parts]


def assert_it_is_told_so_everywhere(person: Person, before: str, after: str) -> None:
    window, key = person.window, person.compaction
    assert key is not None
    assert figures(window.toast.text) == [before, after]
    rows = window.branches.model
    person.until(lambda: rows.row_of(key) is not None)  # the rows are laid out beside the window
    row = rows.row_of(key)
    assert row is not None
    assert figures(rows.shown(row).text) == [before, after]
    said = card_texts(person, key)
    assert figures(next(text for text in said if "Compacted" in text))[:2] == [before, after]
    bars = next(text for text in said if text.startswith("Before")).splitlines()
    assert [figures(bar)[0] for bar in bars] == [before, after]
    assert total(person) == after
    chart = window.context.over_time.chart
    person.until(lambda: chart.timeline is not None)  # it is gone through beside the window
    assert chart.timeline is not None
    drop = chart.timeline.history.drops[-1]
    assert [drop.before.value, drop.after.value] == pytest.approx([value(before), value(after)], abs=50)


def assert_the_command_line_agrees(person: Person, told: Told, found: str) -> None:
    printed = told("context", "latest")
    first = next(line for line in printed.splitlines() if line.startswith("Context"))
    assert value(figures(first)[0]) == value(found)
    assert told("context", "latest", "--json")["seen"]["total"]["value"] == pytest.approx(value(found), abs=50)


def test_a_session_of_pi(person: Person, samples: Path, told: Told) -> None:
    person.drop(samples / "pi" / "before-compaction.jsonl")
    before = total(person)
    assert before == "≈180.8k"
    assert_the_parts_make_up_the_total(person)
    assert_the_command_line_agrees(person, told, before)
    enter(person)
    found, after = assert_the_workbench_agrees(person)
    assert found == before
    dry = told("compact", "latest", "--dry-run")
    assert [value(figure) for figure in figures(dry.splitlines()[0])] == [value(found), value(after)]
    accept(person)
    assert_it_is_told_so_everywhere(person, before, after)
    assert_the_parts_make_up_the_total(person)
    assert_the_command_line_agrees(person, told, after)


def test_compactions_that_a_source_made(person: Person, samples: Path) -> None:
    person.drop(samples / "pi" / "before-compaction.jsonl")
    total(person)
    tree, rows = person.tree, person.window.branches.model
    timeline = person.window.context.over_time.chart.timeline
    assert timeline is not None
    for entry, drop in zip(tree.of_kind(Kind.COMPACTION), timeline.history.drops, strict=True):
        row = rows.row_of(tree.key(entry))
        assert row is not None
        told = figures(rows.shown(row).text)
        assert figures(drop_text(drop)) == told
        said = card_texts(person, tree.key(entry))
        assert figures(next(text for text in said if "Compacted" in text))[:2] == told


def test_with_the_tool_output_pruned_first(person: Person, samples: Path) -> None:
    person.drop(samples / "pi" / "before-compaction.jsonl")
    enter(person)
    before, unpruned = assert_the_workbench_agrees(person)
    person.window.workbench.prune_first.click()
    sizes = person.window.workbench.sizes
    person.until(lambda: figures(sizes.left.note.text())[0] != unpruned)
    after = figures(sizes.left.note.text())[0]
    dropped = value(fact(person, "dropped"))
    assert value(unpruned) - value(after) == pytest.approx(dropped, abs=200)
    accept(person)
    assert figures(person.window.toast.text) == [before, after]
    assert total(person) == after


def test_the_comparison_tells_the_sizes_of_a_compaction(person: Person, samples: Path) -> None:
    person.drop(samples / "claude-code" / "dag_compact_after_rewind.jsonl")
    total(person)
    tree = person.tree
    [entry] = tree.of_kind(Kind.COMPACTION)
    key = tree.key(entry)
    told = next(text for text in card_texts(person, key) if "Compacted" in text)
    beside = next(leaf for leaf in tree.leaves if leaf != tree.get(person.leaf))
    person.gui.controllers.compare.open(tree.key(beside))
    person.until(lambda: person.gui.controllers.compare.is_open)
    turns = person.gui.controllers.compare.view.list
    person.until(lambda: turns.row_count > 0)
    rows = map(turns.pieces, range(turns.row_count))
    shown = [piece.text() for row in rows for side in row.placed for piece in side]
    assert told.partition(" Edit")[0] in [text.partition(" Edit")[0] for text in shown]


def exported(person: Person, told: Told, folder: Path, leaf: int) -> tuple[list[str], list[str]]:
    """Return the figures of a compaction in an exported page: in the row of its branch, and in its heading."""
    page = folder / "out.html"
    told("export", "latest", "--format", "html", "-o", str(page))
    text = page.read_text("utf-8")
    [row] = re.findall(r"<span>(Compacted[^<]*)</span>", text)[-1:]
    [heading] = re.findall(r"<span>(Compaction,[^<]*)</span>", text)[-1:]
    assert person.compaction == leaf
    return figures(row.rpartition(",")[0]), figures(heading.rpartition(",")[0])


@pytest.mark.parametrize("prune_first", [False, True])
@pytest.mark.parametrize("file", ["claude-code/long_1100k.jsonl", "codex/long_session_2026-04.jsonl"])
def test_a_session_of_another_tool(
    person: Person, samples: Path, told: Told, tmp_path: Path, file: str, *, prune_first: bool
) -> None:
    person.drop(samples / file)
    heading = total(person)
    assert_the_parts_make_up_the_total(person)
    enter(person)
    sizes = person.window.workbench.sizes
    found, after = assert_the_workbench_agrees(person)
    assert found == heading
    if prune_first:
        person.window.workbench.prune_first.click()
        person.until(lambda: figures(sizes.left.note.text())[0] != after)
        unpruned, after = after, figures(sizes.left.note.text())[0]
        assert value(unpruned) - value(after) == pytest.approx(value(fact(person, "dropped")), abs=200)
    else:  # the command line compacts without pruning
        dry = told("compact", "latest", "--dry-run")
        assert [value(figure) for figure in figures(dry.splitlines()[0])] == [value(found), value(after)]
    accept(person)
    assert_it_is_told_so_everywhere(person, found, after)
    assert_the_command_line_agrees(person, told, after)
    key = person.compaction
    assert key is not None
    in_row, in_heading = exported(person, told, tmp_path, key)
    assert in_row == in_heading == [found, after]


def talk(chat: Chat, server: AnthropicServer) -> None:
    """Make four questions with long answers, and a reply that is stopped."""
    for number in range(4):
        server.script(Reply(blocks=(Say(f"Answer {number}. " * 400),), piece=2000))
        chat.hands.send(f"Question {number}. " * 60)
        chat.until_told(2 * number + 2)


def test_a_chat_with_a_reply_that_was_stopped(chat: Chat, chat_server: AnthropicServer, told: Told) -> None:
    person = chat.person
    talk(chat, chat_server)
    reported = total(person)
    assert "≈" not in reported, "the provider has just said so"
    assert_the_parts_make_up_the_total(person)
    remark = person.window.context.breakdown.remark.text()
    chat_server.script(flood(60))
    chat.hands.send("And now?")
    chat.until(lambda: "quick" in chat.streamed())
    chat.hands.stop()
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 10)
    person.until(lambda: person.total() != reported)
    stopped = total(person)
    assert 0 <= value(stopped) - value(reported) <= 50, "the question alone was added"
    assert person.window.context.breakdown.remark.text() == remark, "and the scale is what it was"
    enter(person)
    before, after = assert_the_workbench_agrees(person)
    assert before == stopped
    accept(person)
    assert_it_is_told_so_everywhere(person, before, after)
    assert_the_command_line_agrees(person, told, after)


def test_an_edited_summary_tells_its_own_size(chat: Chat, chat_server: AnthropicServer) -> None:
    person = chat.person
    talk(chat, chat_server)
    enter(person)
    before, after = assert_the_workbench_agrees(person)
    accept(person)
    first = person.compaction
    assert first is not None
    text = "## Goal\n" + "Everything, word for word. " * 300
    person.gui.controllers.summaries.store(first, text, person.gui.opened.key)
    person.until(lambda: person.compaction != first and total(person) != after)
    edited = person.compaction
    assert edited is not None
    body = person.application.services.entries.bodies([edited]).result(PATIENCE)[edited]
    noted = json.loads(body.details)
    assert noted["after"]["total"]["value"] == pytest.approx(value(total(person)), abs=50)
    assert noted["after"]["categories"][Category.SUMMARIES.text]["value"] > 1500
    assert noted["before"]["total"]["value"] == pytest.approx(value(before), abs=50)

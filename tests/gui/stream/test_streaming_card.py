"""Replies that stream in below the transcript's last card."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.streaming import BlockKind
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.streaming import StreamingCard
from stemmata.gui.cards.streaming_blocks import MOST_INSERTED, SLICE
from stemmata.gui.core.streams import OpenBlock, StreamingReply
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.pages import FakePages
from tests.fakes.transcripts import cards, show_path


def conversation(count: int) -> list[Entry]:
    roles = (Role.USER, Role.ASSISTANT)
    return [
        Entry(
            id=f"e{at}", parent=f"e{at - 1}" if at else None, role=roles[at % 2], blocks=(Text(f"Entry {at}. " * 20),)
        )
        for at in range(count)
    ]


@pytest.fixture
def view(theme: Theme, qtbot: QtBot) -> TranscriptView:
    entries = conversation(31)
    view = TranscriptView(theme, FakePages(entries))
    qtbot.addWidget(view)
    view.resize(640, 500)
    view.show()
    show_path(view, entries)
    view.scroll_to_end()
    return view


def reply(kind: BlockKind = BlockKind.TEXT, *pieces: str) -> StreamingReply:
    made = StreamingReply(1, 1, 0, "claude-opus")
    made.blocks[0] = OpenBlock(kind, "bash" if kind is BlockKind.TOOL_CALL else "", list(pieces))
    return made


def card(view: TranscriptView) -> StreamingCard:
    found = view.viewport().findChild(StreamingCard)
    assert isinstance(found, StreamingCard)
    return found


def show(qtbot: QtBot, view: TranscriptView, open_reply: StreamingReply) -> None:
    """Show a reply and wait until all of its text is shown: a long one takes several turns of the event loop."""
    view.show_replies([open_reply])
    qtbot.waitUntil(lambda: not card(view).is_behind)


def is_shown(view: TranscriptView) -> bool:
    return card(view).isVisible()


def test_the_reply_stands_below_the_last_card_and_is_followed(qtbot: QtBot, view: TranscriptView) -> None:
    open_reply = reply(BlockKind.TEXT, "Hello")
    show(qtbot, view, open_reply)
    assert is_shown(view)
    assert card(view).y() == cards(view)[-1].geometry().bottom() + 1
    for number in range(100):
        open_reply.blocks[0].pieces.append(f"\n\nParagraph {number}.")
        show(qtbot, view, open_reply)
        assert card(view).geometry().bottom() < view.viewport().height()
    assert view.follows_end
    assert card(view).height() > view.viewport().height()
    assert "Paragraph 99." in card(view).text()
    assert "claude-opus" in card(view).text()


def test_who_reads_further_up_is_left_alone(qtbot: QtBot, view: TranscriptView) -> None:
    show(qtbot, view, reply(BlockKind.TEXT, "Hello"))
    view.scroll_by(-900)
    before = {shown.key: shown.y() for shown in cards(view)}
    show(qtbot, view, reply(BlockKind.TEXT, "Hello\n\n" * 200))
    assert {shown.key: shown.y() for shown in cards(view)} == before
    assert not is_shown(view)
    assert view.jump_button.isVisible()
    view.scroll_to_end()
    assert is_shown(view)


def test_one_can_scroll_within_a_reply_longer_than_the_window(qtbot: QtBot, view: TranscriptView) -> None:
    show(qtbot, view, reply(BlockKind.TEXT, "Line\n\n" * 300))
    bottom = card(view).geometry().bottom()
    view.scroll_by(-2000)
    assert card(view).geometry().bottom() == bottom + 2000
    assert not view.follows_end
    view.scroll_by(5000)
    assert card(view).geometry().bottom() == bottom


def test_it_gives_way_to_the_stored_entry(qtbot: QtBot, view: TranscriptView) -> None:
    show(qtbot, view, reply(BlockKind.TEXT, "Hello\n\n" * 50))
    entries = conversation(31)
    show_path(view, entries[:30])
    show_path(view, entries)
    view.show_replies([])
    assert not is_shown(view)
    assert cards(view)[-1].key == 30
    assert view.follows_end


@pytest.mark.parametrize(
    ("kind", "done", "before", "after"),
    [
        (BlockKind.THINKING, Thinking("Let me see"), "Thinking…", "Thought"),
        (BlockKind.TOOL_CALL, ToolCall("c1", "bash", '{"command":"ls -la"}'), "bash", "ls -la"),
        (BlockKind.OPAQUE, Text(""), "More", "More"),
    ],
)
def test_blocks_show_what_they_are(
    qtbot: QtBot, view: TranscriptView, kind: BlockKind, done: Text | Thinking | ToolCall, before: str, after: str
) -> None:
    open_reply = reply(kind, "Let me see")
    show(qtbot, view, open_reply)
    assert before in card(view).text()
    open_reply.blocks[0].done = done
    show(qtbot, view, open_reply)
    assert after in card(view).text()


def test_code_grows_and_is_coloured_when_it_is_complete(qtbot: QtBot, view: TranscriptView) -> None:
    open_reply = reply(BlockKind.TEXT, "Look:\n```python\ndef f():\n")
    show(qtbot, view, open_reply)
    open_reply.blocks[0].pieces += ["    return 1", "\n```\nDone."]
    show(qtbot, view, open_reply)
    said = card(view).text()
    assert "def f():\n    return 1" in said
    assert "```" not in said
    assert said.endswith("Done.")


def test_very_long_code_is_all_there(qtbot: QtBot, view: TranscriptView) -> None:
    lines = [f"line {number}\n" for number in range(3000)]
    open_reply = reply(BlockKind.TEXT, "```\n")
    show(qtbot, view, open_reply)
    for at in range(0, 3000, 100):
        open_reply.blocks[0].pieces += lines[at : at + 100]
        show(qtbot, view, open_reply)
    assert [line for line in card(view).text().splitlines() if line.startswith("line")] == [x.strip() for x in lines]


def test_another_look_and_another_width_keep_everything(qtbot: QtBot, view: TranscriptView, theme: Theme) -> None:
    show(qtbot, view, reply(BlockKind.TEXT, "Hello\n\n" + "wide world " * 40))
    said = card(view).text()
    theme.set_scheme("light")
    assert card(view).text() == said
    height = card(view).height()
    view.resize(300, 500)
    assert card(view).height() > height
    assert card(view).geometry().bottom() < view.viewport().height()


def test_the_work_for_a_piece_does_not_grow_with_the_reply(
    view: TranscriptView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stemmata.gui.cards import parts

    rendered: list[int] = []
    prose: Callable[..., object] = parts.prose

    def counted(style: object, text: str, **more: object) -> object:
        rendered.append(len(text))
        return prose(style, text, **more)

    monkeypatch.setattr(parts, "prose", counted)
    open_reply = reply(BlockKind.TEXT, *(["A paragraph of some words.\n\n"] * 2000))
    show(qtbot, view, open_reply)
    qtbot.waitUntil(lambda: not card(view).is_behind)
    rendered.clear()
    for _ in range(20):
        open_reply.blocks[0].pieces.append("A paragraph of some words.\n\n")
        show(qtbot, view, open_reply)
    assert sum(rendered) <= 20 * 3 * len("A paragraph of some words.\n\n")


def test_the_head_tells_the_rate_and_stops(
    qtbot: QtBot, view: TranscriptView, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("stemmata.gui.cards.streaming.monotonic", lambda: clock[0])
    open_reply = reply(BlockKind.TEXT, "Hello")
    open_reply.since, open_reply.characters = 100.0, 5
    show(qtbot, view, open_reply)
    assert "streaming Stop" in card(view).text()
    clock[0], open_reply.characters = 102.0, 320
    show(qtbot, view, open_reply)
    assert "streaming · ≈ 40 tok/s Stop" in card(view).text()
    asked: list[Action] = []
    view.wanted.connect(lambda _key, action: asked.append(action))
    shown = card(view)
    spots = (QPoint(x, shown.above + 8) for x in range(shown.width() - 1, 0, -4))
    spot = next(point for point in spots if shown.action_at(point) is not None)
    QTest.mouseClick(shown, Qt.MouseButton.LeftButton, pos=spot)
    assert [action.request for action in asked] == [Request.STOP]
    open_reply.ended = True
    show(qtbot, view, open_reply)
    assert "Stop" not in card(view).text()


def test_a_caret_stands_where_the_next_words_will(qtbot: QtBot, view: TranscriptView, theme: Theme) -> None:
    open_reply = reply(BlockKind.TEXT, "Hello")
    show(qtbot, view, open_reply)
    accent = theme.color("accent").rgb()

    def caret() -> list[int]:
        image = card(view).grab().toImage()
        rows = range(image.height() // 2, image.height())
        return [x for x in range(image.width()) if any(image.pixel(x, y) == accent for y in rows)]

    first = caret()
    assert first
    assert first == list(range(first[0], first[-1] + 1))
    open_reply.blocks[0].pieces.append(" there, and more")
    show(qtbot, view, open_reply)
    assert caret()[0] > first[-1]
    open_reply.ended = True
    show(qtbot, view, open_reply)
    assert not caret()


def pieces_shown(shown: StreamingCard, replies: list[StreamingReply]) -> int:
    """Show what fits into a turn of the event loop that has no time left, and return the number of all pieces."""
    shown.show_replies(replies, until=0.0)
    return len(shown._flow.placed)


def test_a_turn_without_time_adds_one_block(view: TranscriptView) -> None:
    view.show_replies([reply(BlockKind.TEXT, "Hello")])
    blocks = reply(BlockKind.TEXT, "---\n\n" * 60)
    counts = [pieces_shown(card(view), [blocks]) for _ in range(20)]
    assert all(after - before == 1 for before, after in pairwise(counts))


def test_a_turn_without_time_adds_some_lines_of_code(view: TranscriptView) -> None:
    view.show_replies([reply(BlockKind.TEXT, "Hello")])
    lines = "".join(f"line {number}\n" for number in range(700))
    code = reply(BlockKind.TEXT, f"```\n{lines}")
    sizes = [0]
    for _ in range(20):
        card(view).show_replies([code], until=0.0)
        sizes.append(len(card(view).text()))
    assert max(after - before for before, after in pairwise(sizes)) <= MOST_INSERTED + 100  # the head
    assert lines.strip() in card(view).text()


def test_a_turn_without_time_leaves_text_that_completes_no_block(view: TranscriptView) -> None:
    view.show_replies([reply(BlockKind.TEXT, "Hello")])
    blank = reply(BlockKind.TEXT, "\n" * 10 * SLICE)
    for _ in range(9):
        card(view).show_replies([blank], until=0.0)
        (_, (block,)) = card(view)._shown[0]
        assert block.is_behind

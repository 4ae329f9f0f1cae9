"""What a card says of a reply that came to an end of its own, which may not be the end."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Text, Thinking
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.gui.cards.content import Action, Request
from tests.fakes.cards import click, words
from tests.fakes.conversation import assistant
from tests.gui.cards.test_card import MakeCard


def test_a_reply_at_its_limit_offers_to_go_on(qtbot: QtBot, make_card: MakeCard) -> None:
    cut = make_card(assistant("One, two,", flags=Flag.CUT, details='{"limit":8192}'))
    assert "The reply reached the limit of 8,192 tokens" in words(cut)
    assert click(qtbot, cut, Request.CONTINUE) == Action(Request.CONTINUE)
    assert click(qtbot, cut, Request.SETTING).text == "chat.max_tokens"
    assert "reached its limit" in words(make_card(assistant("One,", flags=Flag.CUT)))


def test_a_refusal_and_a_full_window_are_said(make_card: MakeCard) -> None:
    assert "refused to continue" in words(make_card(assistant(details='{"stop":"refusal"}')))
    full = make_card(assistant(details='{"stop":"model_context_window_exceeded"}'))
    assert "filled the model’s context window" in words(full)
    assert "declined" not in words(make_card(assistant(details='{"stop":"end_turn"}')))


def test_a_silent_reply_is_one_dimmed_line(make_card: MakeCard) -> None:
    silent = make_card(assistant("NO_REPLY", flags=Flag.HIDDEN | Flag.OWN))
    assert words(silent).strip() == "Silent turn: NO_REPLY"
    assert words(make_card(assistant("", flags=Flag.HIDDEN | Flag.OWN))).strip() == "Silent turn"
    asked = Entry(
        id="n", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="memory_flush", blocks=(Text("Write."),),
        flags=Flag.OWN,
    )  # fmt: skip
    assert words(make_card(asked)).strip() == "Storing notes in memory before a compaction"
    assert "Write." in words(make_card(replace(asked, flags=Flag.NONE)))  # of another tool: as it stands


def test_a_thought_says_how_long_it_took_where_that_is_known(make_card: MakeCard) -> None:
    def thought(details: str, count: int = 1) -> str:
        blocks = tuple(Thinking(f"thought {at}") for at in range(count))
        return words(make_card(Entry(id="t", role=Role.ASSISTANT, blocks=blocks, details=details)))

    assert "Thought for 6 s" in thought('{"thinking_ms": [6120]}')
    assert "Thought for 1 s" in thought('{"thinking_ms": [0]}')
    assert "Thought for 2 min 5 s" in thought('{"thinking_ms": [125000]}')
    assert "Thought for 3 s\nThought for 9 s" in thought('{"thinking_ms": [3000, 9000]}', 2)
    for unknown in (
        "",
        '{"thinking_ms": 3}',
        '{"thinking_ms": [1, 2]}',
        '{"thinking_ms": ["x"]}',
        '{"thinking_ms": [true]}',
    ):
        assert "Thought" in thought(unknown)
        assert "Thought for" not in thought(unknown)

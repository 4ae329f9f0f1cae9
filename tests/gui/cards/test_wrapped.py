"""What a tool wrote in the person's name: a quiet line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stemmata.domain.entries.entry import Flag
from stemmata.gui.cards.card import Card
from tests.fakes.cards import words
from tests.fakes.conversation import user

MakeCard = Callable[..., Card]
COMMAND = (
    "<command-name>/exit</command-name>\n  <command-message>exit</command-message>\n<command-args></command-args>"
)
OUTPUT = "<local-command-stdout>\x1b[1mSee ya!\x1b[22m\nmore</local-command-stdout>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (COMMAND, "/exit"),
        ("<command-name>/model</command-name><command-args>opus</command-args>", "/model opus"),
        (OUTPUT, "See ya! more"),
        ("<bash-input>ls</bash-input><bash-stdout>a.py</bash-stdout>", "ls a.py"),
        ("<bash-stderr>not found</bash-stderr>", "not found"),
        ("<local-command-stdout></local-command-stdout>", "The command printed nothing"),
        ("<task-notification>\n<summary>Agent done</summary></task-notification>", "Agent done"),
        ("<task-notification>x</task-notification>", "Task notification"),
        ("<system-reminder>Be brief.</system-reminder>", "Reminder for the model"),
    ],
)
def test_what_is_wrapped_is_one_quiet_line(make_card: MakeCard, text: str, said: str) -> None:
    assert words(make_card(user(text))) == said


def test_the_line_unfolds(make_card: MakeCard) -> None:
    card = make_card(user(OUTPUT), unfolded=frozenset({"note"}))
    assert words(card).splitlines() == ["See ya! more", "See ya!", "more"]


def test_what_the_tool_says_itself_is_quiet_too(make_card: MakeCard) -> None:
    card = make_card(user("[Request interrupted by user]", flags=Flag.INJECTED))
    assert words(card) == "[Request interrupted by user]"
    assert card.accessibleName() == "Note"


@pytest.mark.parametrize("text", ["<div>html</div>", f"{COMMAND} and more", "What is <command-name>?", ""])
def test_what_the_person_wrote_is_a_card(make_card: MakeCard, text: str) -> None:
    assert words(make_card(user(text))).startswith("You")

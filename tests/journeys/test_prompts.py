"""Going from prompt to prompt by keys."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.transcripts import cards
from tests.journeys.person import Person


def test_prompts_are_gone_through_and_the_end_is_behind_the_last(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    view, actions = person.window.transcript.view, person.window.actions_table
    for turn in (3, 2, 1):
        view.scroll_to(person.key(f"ans000{turn:02d}"))
        actions["previous-prompt"].trigger()
        assert view.visible_keys[0] == person.key(f"usr000{turn:02d}")
    actions["next-prompt"].trigger()
    assert view.visible_keys[0] == person.key("usr00002")
    assert cards(view)[0].y() == 0
    for _turn in range(10):
        actions["next-prompt"].trigger()
    assert view.follows_end

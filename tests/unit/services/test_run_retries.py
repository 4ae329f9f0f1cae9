"""Replies that come at a later try, and replies that cannot be stored."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.domain.chat.run import Phase, RunChanged
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import ChatSettings
from tests.fakes.scripted_provider import ScriptedBench, Step, said

BUSY: list[Step] = [ProviderError("Busy.", Fault.OVERLOADED)]


def tries(chat: ScriptedBench) -> list[tuple[int, str]]:
    states = [event.state for event in chat.events if isinstance(event, RunChanged)]
    return [(state.attempt, state.problem) for state in states if state.phase is Phase.RETRYING]


def test_a_busy_server_is_asked_again(chat: ScriptedBench) -> None:
    chat.services.adopt_chat(ChatSettings(longest_wait=0))
    session = chat.session()
    chat.talk(session, "Hello", BUSY, BUSY, said(Text("Here I am.")))
    assert chat.told(session) == ["user: Hello", "assistant: Here I am."]
    assert tries(chat) == [(2, "Busy."), (3, "Busy.")]
    assert len(chat.provider.requests) == 3


def test_it_is_asked_again_as_often_as_the_settings_say(chat: ScriptedBench) -> None:
    chat.services.adopt_chat(ChatSettings(longest_wait=0, retries=1))
    session = chat.session()
    chat.talk(session, "Hello", BUSY, BUSY, said(Text("Too late.")))
    state = chat.runs.state(session)
    assert (state.phase, state.problem) == (Phase.FAILED, "Busy.")
    assert chat.told(session) == ["user: Hello"]
    assert len(chat.provider.requests) == 2


def test_a_request_that_was_refused_is_not_asked_again(chat: ScriptedBench) -> None:
    chat.services.adopt_chat(ChatSettings(longest_wait=0))
    session = chat.session()
    chat.talk(session, "Hello", [ProviderError("No.", Fault.REQUEST)], said(Text("Too late.")))
    assert chat.runs.state(session).phase is Phase.FAILED
    assert tries(chat) == []


def test_what_cannot_be_stored_can_be_copied_until_all_is_well(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, session = chat.runs.parts.store, chat.session()
    append = store.append

    async def refuse(place: Any, entry: Entry, files: Any = None) -> Any:
        if entry.role is Role.ASSISTANT:
            raise KnownError("The disk is full.")
        return await append(place, entry, files)

    assert chat.runs.unsaved(session) == ()
    with monkeypatch.context() as full:
        full.setattr(store, "append", refuse)
        chat.talk(session, "Hello", said(Text("Words that are lost.")))
    state = chat.runs.state(session)
    assert (state.phase, state.problem, state.offers) == (Phase.FAILED, "The disk is full.", ("copy", "retry"))
    assert chat.runs.unsaved(session) == (Text("Words that are lost."),)
    chat.talk(session, "Again", said(Text("Kept.")))
    assert chat.told(session)[-1] == "assistant: Kept."
    assert chat.runs.unsaved(session) == ()

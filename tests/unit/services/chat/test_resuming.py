"""Which sessions are old, and that none is summarised twice."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Usage
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.chat.resuming import LATELY, Resumed
from stemmata.services.compaction.request import CompactionRequest
from tests.fakes.scripted_provider import ScriptedBench, said
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records, Ticking


@pytest.fixture
def long(bench: Bench, talk: Records) -> SessionTree:
    """An imported session that exceeds its budget."""
    settings = bench.services.contexts.settings
    bench.services.contexts.settings = settings._replace(resume_token_budget=5, enabled=False)
    speakers = ("assistant", "user")
    rows = [(str(at), str(at - 1) if at > 1 else None, speakers[at % 2], "Words. " * 600) for at in range(1, 13)]
    return bench.imported(talk("s", *rows))


def go_on(chat: ScriptedBench, session: int) -> Resumed:
    return chat.services.resuming.go_on(session).result(PATIENCE)


def test_a_session_of_another_tool_is_summarised_once(chat: ScriptedBench, long: SessionTree) -> None:
    first = go_on(chat, long.session.key)
    assert first.compaction is not None
    again = chat.services.resuming.resume(long.session.key).result(PATIENCE)
    assert (again.session, again.compaction) == (first.session, None)
    assert again.notice.startswith("Resumed in session ")
    chat.services.branching.move_leaf(long.session.key, long.tree.key(9)).result(PATIENCE)
    assert go_on(chat, long.session.key).session not in (long.session.key, first.session)


def test_what_was_said_here_lately_goes_on_and_is_old_a_day_later(chat: ScriptedBench, long: SessionTree) -> None:
    key, clock = long.session.key, chat.services.clock
    assert isinstance(clock, Ticking)
    chat.talk(key, "said here", said(Text("Yes."), usage=Usage(input=900, output=5)))
    chat.runs.note(key, "a note is not said").result(PATIENCE)
    assert go_on(chat, key) == Resumed(key, "")
    asked = chat.services.resuming.resume(key).result(PATIENCE)  # by hand, it is asked for all the same
    assert asked.session != key
    clock.time += LATELY
    assert go_on(chat, key).session == asked.session


def test_an_empty_session_just_goes_on(chat: ScriptedBench) -> None:
    session = chat.services.runs.new_session().result(PATIENCE).key
    assert go_on(chat, session) == Resumed(session, "")


def test_a_fork_is_not_taken_for_it(chat: ScriptedBench, long: SessionTree) -> None:
    assert long.session.leaf is not None
    fork = chat.services.branching.fork(long.session.key, long.session.leaf).result(PATIENCE)
    assert go_on(chat, long.session.key).session not in (fork.key, long.session.key)


def test_what_cannot_be_summarised_goes_on_whole(bench: Bench, chat: ScriptedBench, talk: Records) -> None:
    settings = bench.services.contexts.settings
    bench.services.contexts.settings = settings._replace(resume_token_budget=1, keep_recent_tokens=10_000)
    session = bench.imported(talk("w", ("1", None, "user", "Words. " * 600), ("2", "1", "assistant", "Yes."))).session
    told = go_on(chat, session.key)
    assert (told.session, told.compaction) == (session.key, None)
    assert told.notice.startswith("Resumed in full, although the session fills ")


def test_the_share_is_the_one_that_is_shown(bench: Bench, chat: ScriptedBench) -> None:
    contexts = bench.services.contexts
    contexts.settings = contexts.settings._replace(keep_recent_tokens=10, enabled=False)
    contexts.adopt(Catalogue({"m": Model("m", 10_000)}))
    session = chat.session()
    for text in ("one", "two"):
        chat.talk(session, text, said(Text("Words. " * 600), usage=Usage(input=3000, output=5)))
    session_tree = bench.services.sessions.open(session).result(PATIENCE)
    assert session_tree.session.leaf is not None
    bench.services.compaction.run(CompactionRequest(session=session, leaf=session_tree.session.leaf)).result(PATIENCE)
    session_tree = bench.services.sessions.open(session).result(PATIENCE)
    total = contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf)).breakdown.total.value
    assert total is not None
    told = bench.services.resuming.resume(session).result(PATIENCE).notice
    assert told.startswith(f"Resumed in full: the session fills {round(total / 100)}% of the window")

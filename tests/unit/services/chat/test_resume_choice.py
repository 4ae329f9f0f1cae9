"""An old session can be continued whole or from a summary, with the size of each."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.catalogue import Catalogue
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Usage
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.chat.resuming import LATELY, ResumeChoice
from tests.fakes.scripted_provider import ScriptedBench, said
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records, Ticking


@pytest.fixture
def long(bench: Bench, talk: Records) -> SessionTree:
    """An imported session; its model's window is known."""
    contexts = bench.services.contexts
    contexts.settings = contexts.settings._replace(keep_recent_tokens=2_000, enabled=False)
    speakers = ("assistant", "user")
    rows = [(str(at), str(at - 1) if at > 1 else None, speakers[at % 2], "Words. " * 600) for at in range(1, 13)]
    return bench.imported(talk("s", *rows))


def choice(chat: ScriptedBench, session: int) -> ResumeChoice | None:
    return chat.services.resuming.choice(session).result(PATIENCE)


def test_an_imported_session_has_both_sizes(chat: ScriptedBench, long: SessionTree) -> None:
    key = long.session.key
    found = choice(chat, key)
    assert found is not None
    view = chat.services.contexts.seen(long, long.tree.get(long.session.leaf))
    assert found.whole == view.breakdown.total
    assert found.share == round(100 * (view.breakdown.total.value or 0) / (view.budget.window or 1))
    assert found.fits
    assert 0 < (found.from_summary.value or 0) < (found.whole.value or 0)
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(resume_token_budget=1)
    less = choice(chat, key)
    assert less is not None
    assert not less.fits


def test_a_summary_is_made_also_when_the_session_fits(chat: ScriptedBench, long: SessionTree) -> None:
    key = long.session.key
    done = chat.services.resuming.from_summary(key).result(PATIENCE)
    assert done.session != key
    assert done.compaction is not None
    assert chat.services.sessions.get(done.session).result().parent == key
    again = chat.services.resuming.from_summary(key).result(PATIENCE)
    assert (again.session, again.compaction) == (done.session, None)
    found, after = choice(chat, key), chat.services.sessions.open(done.session).result(PATIENCE)
    assert found is not None
    assert (
        found.from_summary == chat.services.contexts.seen(after, after.tree.get(after.session.leaf)).breakdown.total
    )


def test_the_size_before_is_the_one_that_was_told(chat: ScriptedBench, long: SessionTree) -> None:
    found = choice(chat, long.session.key)
    done = chat.services.resuming.from_summary(long.session.key).result(PATIENCE)
    assert found is not None
    assert done.compaction is not None
    assert done.compaction.before.total == found.whole
    assert (done.compaction.after.total.value or 0) < (found.whole.value or 0)


def test_a_session_used_lately_has_no_choice_until_it_is_old_or_finalised(
    chat: ScriptedBench, long: SessionTree
) -> None:
    key, clock = long.session.key, chat.services.clock
    assert isinstance(clock, Ticking)
    chat.talk(key, "said here", said(Text("Yes."), usage=Usage(input=900, output=5)))
    assert choice(chat, key) is None
    clock.time += 2 * LATELY
    assert choice(chat, key) is not None
    chat.talk(key, "said again", said(Text("Yes."), usage=Usage(input=900, output=5)))
    assert choice(chat, key) is None
    chat.services.commands.run(key, "/new").result(PATIENCE)
    chat.runs.settled().result(PATIENCE)
    assert chat.services.sessions.get(key).result().finalised is not None
    assert choice(chat, key) is not None


def test_an_empty_session_has_no_choice(chat: ScriptedBench) -> None:
    session = chat.services.runs.new_session().result(PATIENCE).key
    assert choice(chat, session) is None
    with pytest.raises(NothingToDoError, match="empty"):
        chat.services.resuming.from_summary(session).result(PATIENCE)


def test_what_cannot_be_summarised_has_no_choice(bench: Bench, chat: ScriptedBench, talk: Records) -> None:
    session = bench.imported(talk("w", ("1", None, "user", "Words."), ("2", "1", "assistant", "Yes."))).session
    assert choice(chat, session.key) is None
    rows = [(str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Hm.") for at in range(1, 9)]
    contexts = bench.services.contexts
    contexts.settings = contexts.settings._replace(keep_recent_tokens=1)
    short = bench.imported(talk("v", *rows)).session
    assert choice(chat, short.key) is None


def test_a_session_of_unknown_window_fits(bench: Bench, chat: ScriptedBench, long: SessionTree) -> None:
    bench.services.contexts.adopt(Catalogue({}))
    found = choice(chat, long.session.key)
    assert found is not None
    assert (found.share, found.fits) == (None, True)

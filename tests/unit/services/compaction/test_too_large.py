"""A message that is larger than the window: told before it is sent, and its branch goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.compaction.plan import plan_whole
from stemmata.domain.context.projection import CUT, OUT, WHOLE
from stemmata.domain.entries.blocks import Image, Text, plain_text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.requests.message_normalizer import shortened
from stemmata.services.compaction.request import CompactionRequest
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.fake_models import FakeModel
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Reply, Say
from tests.fakes.scripted_provider import ScriptedBench

WINDOW = 32_000
SMALL = FakeModel(id="small", window=WINDOW, most_output=8_192, thinking=("disabled",), levels=(), summarises=False)
HUGE = "Every word of this counts. " * 7_500  # 200 kB
WAYS = ("cut", "exclude", "summarise", "model", "take-back")


def stuck(chat: ChatApp) -> int:
    session = chat.session()
    chat.say(session, "Hello")
    chat.say(session, HUGE)
    return session


def retried(chat: ChatApp, session: int) -> str:
    chat.runs.retry(session).result()
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    return chat.runs.state(session).problem


def test_it_is_kept_and_told_before_it_is_sent(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = stuck(chat)
        state = chat.runs.state(session)
        assert (state.phase, state.offers) == (Phase.FAILED, WAYS)
        assert "32,000" in state.problem
        assert chat.told(session)[2].startswith("user: Every word")
        assert state.entry == chat.path(session)[2][0].key
        assert sum(request.path == "/v1/messages" for request in server.requests) == 1
        chat.say(session, "And this?")  # the branch says what is in its way
        assert chat.runs.state(session).entry == state.entry


@pytest.mark.parametrize("how", [CUT, OUT])
def test_cut_or_left_out_the_branch_goes_on(how: str, tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = stuck(chat)
        entry = chat.runs.state(session).entry
        assert entry is not None
        chat.services.pruning.omit(session, entry, how).result()
        chat.say(session, "What was that about?")
        assert chat.runs.state(session).problem == ""
        sent = json.dumps(server.requests[-1].body)
        assert ("characters left out to save space" in sent) == (how == CUT)
        assert len(sent) < 20_000
        chat.say(session, "And this?")
        assert chat.runs.state(session).phase is Phase.IDLE
        session_tree = chat.services.sessions.open(session).result()
        view = chat.services.contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf))
        fate = view.projection.fate(session_tree.tree.index(entry))
        assert fate.fate.text + (f" {fate.reason.text}" if fate.reason else "") == (
            "cut" if how == CUT else "never excluded"
        )
        assert (view.breakdown.total.value or 0) < 6_000
        chat.services.pruning.omit(session, entry, WHOLE).result()
        chat.say(session, "And now?")
        assert chat.runs.state(session).entry == entry


def test_left_out_can_be_undone(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = stuck(chat)
        entry = chat.runs.state(session).entry
        assert entry is not None
        chat.services.pruning.omit(session, entry, OUT).result()
        with pytest.raises(NothingToDoError, match="already in this state"):
            chat.services.pruning.omit(session, entry, OUT).result()
        keys = [row.key for row, _ in chat.path(session)]
        chat.services.histories.undo(session).result()
        assert [row.key for row, _ in chat.path(session)] == keys[:-1]


def test_summarised_the_branch_goes_on(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = stuck(chat)
        leaf = chat.path(session)[-1][0].key
        done = chat.services.compaction.run(CompactionRequest(session=session, leaf=leaf, whole=True)).result()
        assert (done.plan.first_kept, done.plan.kept) == (None, ())
        assert retried(chat, session) == ""
        assert [row.kind for row, _ in chat.path(session)][-2:] == [Kind.COMPACTION, Kind.MESSAGE]


def test_what_only_a_refusal_tells_offers_the_same(tmp_path: Path) -> None:
    """OpenAI's newer API reports no numbers with a refusal."""
    with OpenAIServer(window=WINDOW) as server:
        server.lists = False
        url = f"{server.url}/v1"
        with chat_app(tmp_path, url, api="openai-responses", model="qwen3:8b") as chat:
            session = stuck(chat)
            state = chat.runs.state(session)
            assert (state.phase, state.offers) == (Phase.FAILED, WAYS)
            assert state.entry is not None
            chat.services.pruning.omit(session, state.entry, CUT).result()
            assert retried(chat, session) == ""


def test_nothing_is_sent_where_all_is_left_out(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        chat.say(session, HUGE)
        entry = chat.runs.state(session).entry
        assert entry is not None
        chat.services.pruning.omit(session, entry, OUT).result()
        assert "Nothing to send" in retried(chat, session)


def test_short_entries_and_others_are_not_cut(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = chat.session()
        chat.say(session, "Hello")
        with pytest.raises(NothingToDoError, match="less than 2,000 tokens"):
            chat.services.pruning.omit(session, chat.path(session)[0][0].key, CUT).result()
        with pytest.raises(NothingToDoError, match="not in the context"):
            chat.services.pruning.omit(session, 99, OUT).result()


def test_what_is_left_out_comes_into_no_summary(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        session = stuck(chat)
        entry = chat.runs.state(session).entry
        assert entry is not None
        chat.services.pruning.omit(session, entry, OUT).result()
        for _ in range(3):
            chat.say(session, "A long story. " * 1_000)
        leaf = chat.path(session)[-1][0].key
        done = chat.services.compaction.run(
            CompactionRequest(session=session, leaf=leaf, keep_recent_tokens=100)
        ).result()
        assert "Every word of this counts" not in done.summary.text
        session_tree = chat.services.sessions.open(session).result()
        view = chat.services.contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf))
        assert view.projection.fate(session_tree.tree.index(entry)).fate.text == "never"
        assert (view.breakdown.total.value or 0) == (done.after.total.value or 0)


def test_only_what_is_long_of_an_entry_is_cut() -> None:
    picture, short, long = Image("image/png", "00"), Text("Look:"), Text("word " * 10_000)
    whole = shortened(Entry(id="a", blocks=(picture, short, long)))
    assert whole.blocks[:2] == (picture, short)
    assert plain_text(whole.blocks[2:]).count("word ") < 2_000


def test_many_entries_that_are_too_long_together_name_none(tmp_path: Path) -> None:
    with AnthropicServer(models=[SMALL]) as server, chat_app(tmp_path, server.url, model="small") as chat:
        settings = chat.services.contexts.settings
        chat.services.contexts.settings = settings._replace(enabled=False)
        session = chat.session()
        server.script(*[Reply(blocks=(Say("Yes."),))] * 4)
        for _ in range(4):
            chat.say(session, "A story of nine thousand tokens. " * 1_130)
        state = chat.runs.state(session)
        assert (state.phase, state.offers, state.entry) == (Phase.FAILED, ("compact", "model", "retry"), None)
        assert "nothing more can be left out automatically" in state.problem


def test_a_server_that_cannot_count_just_now_is_not_needed(chat: ScriptedBench) -> None:
    async def fails(_payload: object) -> int:
        raise ProviderError("Busy.", Fault.OVERLOADED)

    chat.provider.count = fails  # type: ignore[method-assign] # of this one provider
    session = chat.session()
    chat.say(session, HUGE)
    assert chat.runs.state(session).offers == WAYS


def test_nothing_above_is_no_summary(chat: ScriptedBench) -> None:
    with pytest.raises(NothingToDoError, match="Nothing to summarise"):
        plan_whole(_pinned_alone(), 1)


def _pinned_alone() -> Tree:
    said = Entry(id="1", role=Role.USER, blocks=(Text("Hello"),))
    return Tree.from_entries([said, Entry(id="2", parent="1", kind=Kind.PIN, target="1")])

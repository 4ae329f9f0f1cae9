"""Summaries by a connection of their own: chosen by the settings or by the session, at two real servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.details import is_compacted_by_hand, summariser_of, with_marks_of, with_summariser
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.services.chat.commands import CommandAnswer
from stemmata.services.compaction.model_compaction import ModelRef
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.compaction.summarising import SummaryError
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Reply, Say
from tests.fakes.summary_model import GOOD
from tests.fakes.waiting import PATIENCE

OTHER = "claude-opus-4-5"
MODEL = "claude-sonnet-5-5"


@pytest.fixture
def own() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def second() -> Iterator[AnthropicServer]:
    """The server of the connection "second", which writes one good summary."""
    with AnthropicServer() as server:
        server.script(Reply(blocks=(Say(GOOD),)))
        yield server


@pytest.fixture
def chat(own: AnthropicServer, second: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    lines = ["[[connections]]", 'name = "second"', 'api = "anthropic"', f'base_url = "{second.url}"']
    bare = ["[[connections]]", 'name = "bare"', 'api = "anthropic"', f'base_url = "{second.url}"']
    with chat_app(tmp_path, own.url, extra=[*lines, f'model = "{OTHER}"', *bare]) as chat:
        yield chat


@pytest.fixture
def session(chat: ChatApp) -> int:
    key = chat.session()
    for text in ("First, the rules.", "Second, the plan.", "Third, the work."):
        chat.say(key, f"{text} " + "Words, " * 400 + "all.")
    return key


def use(chat: ChatApp, connection: str = "", model: str = "") -> None:
    chat.services.contexts.settings = CompactionSettings(
        summariser="model", keep_recent_tokens=50, connection=connection, model=model
    )


def request(chat: ChatApp, session: int) -> CompactionRequest:
    leaf = chat.services.sessions.get(session).result(PATIENCE).leaf
    assert leaf is not None
    return CompactionRequest(session=session, leaf=leaf)


def answer(chat: ChatApp, session: int, text: str) -> CommandAnswer:
    return chat.services.commands.run(session, text).result(PATIENCE)


def models(server: AnthropicServer) -> list[str]:
    return [asked.body["model"] for asked in server.requests if asked.path.startswith("/v1/messages")]


def test_the_connection_of_the_settings_writes_instead_of_the_session_s(
    chat: ChatApp, session: int, own: AnthropicServer, second: AnthropicServer
) -> None:
    use(chat, "second")
    before = len(models(own))
    told = answer(chat, session, "/compact").text.splitlines()
    assert told[-1].startswith("- Summary: second/claude-opus-4-5, ")
    assert " tokens in, " in told[-1]
    assert (len(models(own)), models(second)) == (before, [OTHER])
    chat.say(session, "And now?")
    assert len(models(own)) == before + 1  # the session goes on with its own model


def test_its_cost_is_part_of_the_session_s(chat: ChatApp, session: int) -> None:
    use(chat, "second")
    chat.services.catalogue = Catalogue({OTHER: Model(OTHER, 200_000, 1_000_000, 5_000_000)})
    before = chat.services.sessions.get(session).result(PATIENCE).cost
    written = chat.services.summary_writing.written(request(chat, session))
    done = chat.services.compaction.run(written).result(PATIENCE)
    assert done.usage is not None
    assert done.usage.cost
    assert chat.services.sessions.get(session).result(PATIENCE).cost == before + done.usage.cost
    assert chat.services.facts(session).result(PATIENCE).path.cost == before + done.usage.cost
    assert done.entry is not None
    chat.services.compaction.edit(session, done.entry, "## Goal\n\nAnother.").result(PATIENCE)
    assert chat.services.sessions.get(session).result(PATIENCE).cost == before + done.usage.cost  # paid once
    facts = chat.services.facts(session).result(PATIENCE)
    assert (facts.path.cost, facts.whole.cost) == (before, before + done.usage.cost)


def test_an_automatic_summary_is_written_there_too(
    chat: ChatApp, session: int, own: AnthropicServer, second: AnthropicServer
) -> None:
    use(chat, "second", MODEL)
    before = len(models(own))
    compact = chat.runs.parts.auto_compaction._compact_with

    async def run() -> None:
        await compact(request_)

    request_ = request(chat, session)
    chat.services.chat_ports.loop.run(run()).result(PATIENCE)
    assert (len(models(own)), models(second)) == (before, [MODEL])


def test_a_session_chooses_for_itself(
    chat: ChatApp, session: int, own: AnthropicServer, second: AnthropicServer
) -> None:
    use(chat, "second")
    assert answer(chat, session, "/summariser").text == "Summaries by a model: second"
    assert answer(chat, session, f"/summariser second/{MODEL}").text.endswith(f": second/{MODEL}")
    fork = chat.services.branching.fork(session, request(chat, session).leaf).result(PATIENCE)
    assert summariser_of(fork.details) == f"second/{MODEL}"
    answer(chat, session, "/compact")
    assert models(second) == [MODEL]
    assert answer(chat, session, "/summariser default").text == "Summaries by a model: second"
    use(chat)
    assert answer(chat, session, "/summariser").text == "Summaries by a model: the model of the session"


def test_a_name_without_a_connection_is_a_model_of_the_session_s(
    chat: ChatApp, session: int, own: AnthropicServer, second: AnthropicServer
) -> None:
    use(chat)
    assert answer(chat, session, f"/summariser {OTHER}").text == f"Summaries by a model: {OTHER}"
    own.script(Reply(blocks=(Say(GOOD),)))
    answer(chat, session, "/compact")
    assert (models(own)[-1], models(second)) == (OTHER, [])


def test_a_model_named_for_one_summary_comes_before_all(chat: ChatApp, session: int, second: AnthropicServer) -> None:
    chat.services.contexts.settings = CompactionSettings(keep_recent_tokens=50)
    writer = ModelRef("second", MODEL)
    written = chat.services.summary_writing.written(request(chat, session), model=writer)
    assert (written.maker, models(second)) == (f"second/{MODEL}", [MODEL])
    assert chat.services.summary_writing.written(request(chat, session), "digest", writer).text is None


def test_an_unknown_connection_is_told_and_no_other_is_asked(
    chat: ChatApp, session: int, own: AnthropicServer
) -> None:
    use(chat, "gone")
    before = len(models(own))
    with pytest.raises(KnownError, match="gone"):
        answer(chat, session, "/compact")
    assert len(models(own)) == before
    use(chat, "bare")
    with pytest.raises(SummaryError, match=r"“bare” has no model for summaries\. Choose one"):
        answer(chat, session, "/compact")


def test_without_connections_none_can_be_chosen(chat: ChatApp, session: int) -> None:
    for name in ("fake", "second", "bare"):
        chat.services.connecting.remove(name).result(PATIENCE)
    with pytest.raises(KnownError, match="No model is connected"):
        answer(chat, session, "/summariser x")


def test_the_choice_outlives_an_import_and_a_broken_one_is_none() -> None:
    chosen = with_summariser('{"version":2}', "a/b")
    assert summariser_of(with_marks_of('{"version":3}', chosen)) == "a/b"
    assert with_summariser(chosen, "") == '{"version":2}'
    assert with_summariser("", "") == ""
    assert summariser_of('{"summariser":3}') == ""
    assert not is_compacted_by_hand(chosen)

"""A disk that is full or read-only in the middle of a reply: the run says so, and what had come can be copied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase, Streamed
from stemmata.domain.chat.streaming import BlockGrew
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.errors import KnownError
from stemmata.services.chat import reply as run_reply
from stemmata.store.core.database import connection_of
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Reply, Say
from tests.fakes.waiting import PATIENCE

FULL = ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "disk is full")
READ_ONLY = ("PRAGMA query_only = 1", "PRAGMA query_only = 0", "read-only")
LONG = Reply(blocks=(Say("A word and then another. " * 8000),), piece=400, delay=0.002)


@pytest.fixture
def chat(anthropic_server: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatApp]:
    monkeypatch.setattr(run_reply, "FLUSH", 0.02)
    with chat_app(tmp_path, anthropic_server.url) as chat:
        yield chat


def pragma(chat: ChatApp, text: str) -> None:
    """Run a PRAGMA on the connection that writes, outside any transaction."""
    store = chat.core.store
    store._worker.submit(lambda: connection_of(store._writer_db()).execute(text).fetchall()).result()


@pytest.mark.parametrize(("fault", "relief", "problem"), [FULL, READ_ONLY], ids=["full", "read-only"])
def test_the_run_stops_and_what_had_come_can_be_copied(
    anthropic_server: AnthropicServer, chat: ChatApp, fault: str, relief: str, problem: str
) -> None:
    session = chat.session()
    chat.say(session, "First")
    anthropic_server.script(LONG)
    chat.send(session, "Tell me")
    chat.wait(
        lambda: sum(isinstance(event, Streamed) and isinstance(event.event, BlockGrew) for event in chat.events) > 5
    )
    pragma(chat, fault)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    state = chat.runs.state(session)
    assert problem in state.problem
    copied = plain_text(chat.runs.unsaved(session))
    if state.phase is Phase.FAILED:
        assert state.offers == ("copy", "retry")
        assert copied.startswith("A word and then another.")
        assert chat.told(session)[-1] == "user: Tell me"
    else:  # there was room for the part that had come, when what was kept of it before had gone
        assert (state.phase, fault) == (Phase.INTERRUPTED, FULL[0])
        assert chat.told(session)[-1].startswith("assistant: A word and then another.")
    assert anthropic_server.gone.wait(PATIENCE), "the connection was not closed"
    with pytest.raises(KnownError, match=problem):
        chat.send(session, "Are you there? " * 20_000)
    assert not chat.runs.state(session).is_busy
    pragma(chat, relief)
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE
    assert chat.runs.unsaved(session) == ()
    assert chat.services.sessions.check().result() == []


def test_what_had_been_kept_comes_back_with_the_next_start(
    anthropic_server: AnthropicServer, chat: ChatApp, tmp_path: Path
) -> None:
    session = chat.session()
    anthropic_server.script(LONG)
    chat.send(session, "Tell me")
    chat.wait(lambda: bool(chat.archive.read(lambda reader: reader.open_runs()).result()))
    run = chat.runs.state(session).run
    while not chat.archive.read(lambda reader: reader.partials(run)).result():
        chat.archive.read(lambda reader: reader.totals()).result()
    pragma(chat, READ_ONLY[0])
    chat.wait_phase(session, Phase.FAILED)
    pragma(chat, READ_ONLY[1])
    assert chat.services.recover().result() == 0, "this process still lives"
    chat.core.close()
    with chat_app(tmp_path, anthropic_server.url) as again:
        chat_ports = again.services.chat_ports
        object.__setattr__(again.runs._recovery, "_is_alive", lambda _owner: False)
        assert chat_ports.is_alive(chat_ports.owner)
        assert again.services.recover().result() == 1
        assert again.told(session)[-1].startswith("assistant: A word and then another.")

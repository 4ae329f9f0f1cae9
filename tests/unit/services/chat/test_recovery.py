"""Runs whose process is gone: what had come becomes an entry, calls are answered, totals are right again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace

import pytest

from stemmata.domain.chat.run import Partial, PartialText, Phase
from stemmata.domain.chat.silence import MEMORY_FLUSH
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import NotFoundError
from stemmata.services.sessions.own_entries import put_below
from stemmata.system.processes import is_alive, this_process
from tests.fakes.scripted_provider import ScriptedBench, said

CALL, OTHER = ToolCall("c1", "look"), ToolCall("c2", "look")


def died(
    chat: ScriptedBench, session: int, *partials: Block, owner: str = "2:gone", texts: Sequence[str] = ()
) -> None:
    """A process was killed in the middle of a reply. `texts` are more of its last block, which was open."""

    def job(writer: object) -> None:
        from stemmata.store.writer import Writer

        assert isinstance(writer, Writer)
        run = writer.begin_run(session, owner, time=1)
        writer.follow_run(run, writer.session(session).leaf, "local", "m")
        for at, block in enumerate(partials):
            writer.save_partial(run, Partial(0, at, block, whole=not texts or at < len(partials) - 1))
        for text in texts:
            writer.grow_partial(run, PartialText(0, len(partials) - 1, text))

    chat.archive.write(job).result()


def append(chat: ScriptedBench, session: int, *entries: Entry) -> None:
    """Append entries below the leaf, one below the other."""
    ids = [chat.path(session)[-1][0].id, *(entry.id for entry in entries)]
    chained = [replace(entry, parent=parent) for entry, parent in zip(entries, ids, strict=False)]
    keys = chat.archive.write(lambda writer: writer.append(session, chained)).result()
    chat.services.branching.move_leaf(session, keys[-1]).result()


def test_what_had_come_is_an_entry_now(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    died(chat, session, Text("whole"), Text("half of the sec"), CALL)
    assert chat.runs.recover().result() == 1
    *_, (reply, body), (result, said_why) = chat.path(session)
    assert body.blocks == (Text("whole"), Text("half of the sec"), CALL)
    assert reply.flags == Flag.ABORTED | Flag.OWN
    assert (reply.provider, reply.model, json.loads(body.details)) == ("local", "m", {"interrupted": True})
    assert (result.call, result.flags) == ("c1", Flag.FAILED | Flag.OWN)
    assert said_why.blocks == (Text("Interrupted before a result arrived."),)
    assert chat.services.sessions.get(session).result().entries == 4
    assert chat.runs.recover().result() == 0
    chat.talk(session, "Again", said(Text("Fine.")))
    assert chat.runs.state(session).phase is Phase.IDLE


def test_text_of_a_block_that_was_open_is_in_the_entry_and_is_found(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    died(chat, session, Text("whole"), Text(""), texts=("A stor", "y about albatr", "osses"))
    assert chat.runs.recover().result() == 1
    assert chat.path(session)[-1][1].blocks == (Text("whole"), Text("A story about albatrosses"))
    found = chat.archive.read(lambda reader: reader.unread_hits("albatrosses")).result()
    assert len(found.found) == 1
    assert chat.services.sessions.check().result() == []


def test_calls_that_were_answered_are_left_alone(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello")
    result = Entry(id="r", role=Role.TOOL_RESULT, call="c1", tool="look", time=9, blocks=(Text("seen"),))
    append(chat, session, Entry(id="a", role=Role.ASSISTANT, time=8, blocks=(CALL, OTHER)), result)
    died(chat, session)
    assert chat.services.recover().result() == 1
    path = chat.path(session)
    assert [(row.call, row.flags & Flag.FAILED) for row, _ in path[-2:]] == [("c1", 0), ("c2", Flag.FAILED)]


def test_a_run_that_had_only_begun_leaves_nothing_behind(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    died(chat, session)
    assert chat.runs.recover().result() == 1
    assert chat.told(session) == ["user: Hello", "assistant: Hi"]


def test_sending_mends_first_what_was_left_behind(chat: ScriptedBench) -> None:
    session = chat.session()
    died(chat, session, Text("half"))
    chat.talk(session, "Hello", said(Text("Hi")))
    assert chat.told(session) == ["assistant: half", "user: Hello", "assistant: Hi"]


def test_a_message_that_was_never_answered_stays(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", [ProviderError("No.", Fault.REQUEST)])
    died(chat, session)
    assert chat.runs.recover().result() == 1
    assert chat.told(session) == ["user: Hello"]


def test_a_session_without_entries_is_mended_too(chat: ScriptedBench) -> None:
    session = chat.session()
    died(chat, session)
    assert chat.services.recover().result() == 1


def test_runs_of_living_processes_are_left_alone(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    died(chat, session, Text("still coming"), owner="1:bench")
    assert chat.services.recover().result() == 0
    assert len(chat.archive.read(lambda reader: reader.open_runs()).result()) == 1
    assert chat.told(session) == ["user: Hello", "assistant: Hi"]


def test_who_had_looked_elsewhere_stays_there(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    died(chat, session, Text("half"))
    away = chat.path(session)[0][0].key
    chat.services.branching.move_leaf(session, away).result()
    chat.runs.recover().result()
    assert chat.services.sessions.get(session).result().leaf == away
    assert len(chat.services.sessions.open(session).result().tree) == 3


def test_without_runs_nothing_is_loaded(chat: ScriptedBench) -> None:
    del chat.services.__dict__["runs"]
    assert chat.services.recover().result() == 0
    assert "runs" not in chat.services.__dict__


# -- processes -----------------------------------------------------------------------------------------------------


def test_this_process_is_alive() -> None:
    assert is_alive(this_process())
    assert is_alive(f"{os.getpid()}:")


@pytest.mark.parametrize("owner", ["", ":", "x:1", "0:1", "99999999999999999999:1", "4194305:7"])
def test_what_is_no_process_is_not_alive(owner: str) -> None:
    assert not is_alive(owner)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the start of a process is told by Linux alone")
def test_a_number_that_is_used_again_is_another_process() -> None:
    assert not is_alive(f"{os.getpid()}:1")


def test_a_process_of_somebody_else_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pid: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert is_alive("1:")


def asked_for_notes(chat: ScriptedBench, session: int, *entries: Entry) -> int:
    """A silent turn was begun below the leaf; the leaf before it."""
    before = chat.path(session)[-1][0].key
    asks = Entry(
        id="asks", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name=MEMORY_FLUSH, time=8, blocks=(Text("Write."),),
        flags=Flag.INJECTED | Flag.OWN,
    )  # fmt: skip
    append(chat, session, asks, *entries)
    return before


def test_a_silent_turn_that_was_broken_off_leaves_the_leaf_where_it_was(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    before = asked_for_notes(chat, session)
    died(chat, session, Text("half of a no"))
    assert chat.runs.recover().result() == 1
    assert chat.services.sessions.get(session).result().leaf == before
    tree = chat.services.sessions.open(session).result().tree
    assert len(tree) == 4
    assert tree.columns.flags[3] & Flag.HIDDEN  # what had come is kept, and is no message


def test_a_silent_turn_that_was_over_stays(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    flags = Flag.HIDDEN | Flag.ENDS_TURN | Flag.OWN
    asked_for_notes(
        chat, session, Entry(id="over", role=Role.ASSISTANT, time=9, blocks=(Text("NO_REPLY"),), flags=flags)
    )
    died(chat, session)
    assert chat.runs.recover().result() == 1
    assert chat.path(session)[-1][0].id == "over"
    assert chat.runs.recover().result() == 0


def test_in_a_silent_turn_who_had_looked_elsewhere_stays_there(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    asked_for_notes(chat, session)
    died(chat, session, Text("half"))
    away = chat.path(session)[0][0].key
    chat.services.branching.move_leaf(session, away).result()
    chat.runs.recover().result()
    assert chat.services.sessions.get(session).result().leaf == away


def test_a_reply_whose_tip_is_gone_is_kept_below_the_leaf(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi")))
    died(chat, session, Text("half"))
    chat.archive.write(lambda writer: writer.connection.execute("UPDATE runs SET tip = 999999")).result()
    assert chat.runs.recover().result() == 1
    assert [body.blocks for _, body in chat.path(session)[-2:]] == [(Text("Hi"),), (Text("half"),)]


def test_nothing_is_put_below_an_entry_that_is_gone(chat: ScriptedBench) -> None:
    session, entry = chat.session(), Entry(id="a")
    with pytest.raises(NotFoundError, match="has no entry 999999"):
        chat.archive.write(lambda writer: put_below(writer, chat.services.clock, session, entry, 999_999)).result()

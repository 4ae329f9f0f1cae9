"""Summaries that the server writes and signs: over the real SDK, at a server that takes them back unchanged only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.run import Phase
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.message_normalizer import OPENING
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.compaction.model_compaction import ModelRef
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.compaction.summarising import SummaryError
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Break, Call, Refuse, Reply, Say
from tests.fakes.summary_model import GOOD
from tests.fakes.waiting import PATIENCE, until
from tests.faults.chatting_child import tools

MODEL = "claude-sonnet-5-5"
WRITER = ModelRef("fake", MODEL)
WORDS = "We keep **tabs**, é and “quotes”.\n\n* one\n* two \n"


@pytest.fixture
def chat(server: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, server.url, model=MODEL, tools=tools()) as chat:
        yield chat


@pytest.fixture
def session(chat: ChatApp) -> int:
    """A session of four turns."""
    key = chat.session()
    for text in ("First, the rules.", "Second, the plan.", "Third, the work.", "Fourth, the rest."):
        chat.say(key, f"{text} " + "Words, " * 40 + "all.")
    return key


def opened(chat: ChatApp, session: int) -> SessionTree:
    return chat.services.sessions.open(session).result(PATIENCE)


def request(chat: ChatApp, session: int, **more: Any) -> CompactionRequest:
    """A request that keeps the last turn."""
    session_tree = opened(chat, session)
    tree, leaf = session_tree.tree, session_tree.session.leaf
    assert leaf is not None
    made = CompactionRequest(session=session, leaf=leaf, first_kept=tree.key(tree.path(tree.index(leaf))[-2]))
    return replace(made, **more)


def compacted(chat: ChatApp, session: int, **more: Any) -> int:
    written = chat.services.provider_compaction.written(request(chat, session, **more), WRITER).result(PATIENCE)
    done = chat.services.compaction.run(written).result(PATIENCE)
    assert done.entry is not None
    return done.entry


def details(chat: ChatApp, entry: int) -> Any:
    return json.loads(chat.services.entries.bodies([entry]).result(PATIENCE)[entry].details)


def first_sent(server: AnthropicServer) -> Any:
    return server.requests[-1].body["messages"][0]


def test_exactly_what_is_summarised_is_sent_in_a_request_of_the_beta(
    chat: ChatApp, session: int, server: AnthropicServer
) -> None:
    plain = server.requests[-1]
    compacted(chat, session)
    asked = server.requests[-1]
    assert asked.path == "/v1/messages?beta=true"
    assert asked.headers["anthropic-beta"] == "compact-2026-09-04"
    assert asked.body["compaction"] == {"type": "summarize"}
    assert asked.body["messages"] == plain.body["messages"][:6]
    assert asked.body["messages"][-1]["role"] == "assistant"  # no words of ours behind it
    assert {name: plain.body.get(name) for name in ("system", "tools", "max_tokens")} == {
        name: asked.body.get(name) for name in ("system", "tools", "max_tokens")
    }
    assert "anthropic-beta" not in plain.headers


def test_the_block_goes_back_first_and_as_it_came(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    server.script(Reply(blocks=(Say(WORDS),)))
    entry = compacted(chat, session)
    kept = json.loads(details(chat, entry)["signed"]["block"])
    assert kept["content"] == WORDS
    assert set(kept) == {"type", "content", "encrypted_content", "signature", "tool_changes"}
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    sent = server.requests[-1]
    assert sent.headers["anthropic-beta"] == "compact-2026-09-04"
    assert sent.body["messages"][0] == {"role": "assistant", "content": [kept]}
    assert [message["role"] for message in sent.body["messages"]] == ["assistant", "user", "assistant", "user"]


def test_the_next_summary_takes_up_the_signed_one(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    compacted(chat, session)
    chat.say(session, "Fifth, more of it. " + "Words, " * 40 + "all.")
    entry = compacted(chat, session)
    asked = server.requests[-1].body["messages"]
    assert asked[0]["content"][0]["type"] == "compaction"
    assert len(asked) == 3
    chat.say(session, "And now?")
    assert first_sent(server)["content"][0]["content"] == details_text(chat, entry)


def details_text(chat: ChatApp, entry: int) -> str:
    text: str = json.loads(details(chat, entry)["signed"]["block"])["content"]
    return text


def test_what_it_cost_is_that_of_the_summary_alone(chat: ChatApp, session: int) -> None:
    written = chat.services.provider_compaction.written(request(chat, session), WRITER).result(PATIENCE)
    assert written.usage is not None
    assert written.usage.input > 100
    assert written.usage.output > 5
    done = chat.services.compaction.run(written).result(PATIENCE)
    assert done.entry is not None
    kept = details(chat, done.entry)
    assert kept["usage"]["output"] == written.usage.output
    assert kept["summariser"] == f"fake/{MODEL}"


def test_a_focus_replaces_the_server_s_own_instructions(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    compacted(chat, session, focus="the names of modules")
    overrides = server.requests[-1].body["compaction"]
    assert overrides["instructions"].endswith("Dwell most on: the names of modules")


def test_an_edited_summary_is_an_ordinary_one(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    entry = compacted(chat, session)
    edited = chat.services.compaction.edit(session, entry, "In my own words.").result(PATIENCE)
    assert "signed" not in details(chat, edited)
    assert "signed" in details(chat, entry)
    chat.say(session, "And now?")
    assert first_sent(server)["role"] == "user"
    assert "In my own words." in first_sent(server)["content"][0]["text"]
    assert "anthropic-beta" not in server.requests[-1].headers


def test_a_text_that_was_edited_before_it_is_stored_is_not_signed(chat: ChatApp, session: int) -> None:
    written = chat.services.provider_compaction.written(request(chat, session), WRITER).result(PATIENCE)
    done = chat.services.compaction.run(replace(written, text="Mine.", maker="")).result(PATIENCE)
    assert done.entry is not None
    assert "signed" not in details(chat, done.entry)


def test_another_model_that_does_not_summarise_is_sent_the_text(
    chat: ChatApp, session: int, server: AnthropicServer
) -> None:
    chat.services.connecting.models("fake").result(PATIENCE)
    compacted(chat, session)
    chat.runs.pick_model(session, "fake", "claude-haiku-3-5").result(PATIENCE)
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    assert first_sent(server)["role"] == "user"


def test_a_pin_stands_between_the_block_and_what_is_kept(
    chat: ChatApp, session: int, server: AnthropicServer
) -> None:
    tree = opened(chat, session).tree
    pin = tree.key(tree.path(tree.index(opened(chat, session).session.leaf or 0))[0])
    chat.services.branching.pin(session, pin, on=True).result(PATIENCE)
    compacted(chat, session)
    assert first_sent(server)["content"][0]["text"] == OPENING  # the prompt itself stays word for word
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    messages = server.requests[-1].body["messages"]
    assert messages[0]["content"][0]["type"] == "compaction"
    assert messages[1]["content"][0]["text"].startswith("First, the rules.")


def test_a_turn_that_is_split_goes_on_behind_the_block(chat: ChatApp, server: AnthropicServer) -> None:
    server.script(
        Reply(blocks=(Say("I look."), Call("look", {"at": "tree"}))),
        Reply(blocks=(Say("And again."), Call("look", {"at": "bush"}))),
        Reply(blocks=(Say("There it is."),)),
    )
    session = chat.session()
    chat.say(session, "Where is it? " + "Words, " * 100)
    tree, leaf = opened(chat, session).tree, opened(chat, session).session.leaf
    assert leaf is not None
    first_kept = tree.key(tree.path(tree.index(leaf))[-3])
    compacted(chat, session, first_kept=first_kept)
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    kinds = [[block["type"] for block in message["content"]] for message in server.requests[-1].body["messages"]]
    assert kinds == [["compaction"], ["text"], ["text", "tool_use"], ["tool_result"], ["text"], ["text"]]


def test_a_new_session_begins_with_the_block(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    written = chat.services.provider_compaction.written(request(chat, session), WRITER).result(PATIENCE)
    done = chat.services.compaction.run_in_new_session(written).result(PATIENCE)
    assert done.session is not None
    chat.say(done.session, "And now?")
    assert chat.runs.state(done.session).phase is Phase.IDLE, chat.runs.state(done.session)
    assert first_sent(server)["content"][0]["type"] == "compaction"


def test_a_block_that_its_server_no_longer_takes_goes_as_text(
    chat: ChatApp, session: int, server: AnthropicServer
) -> None:
    compacted(chat, session)
    server.script(Refuse(400, "The `signature` does not verify", code="compaction_signature_invalid"))
    chat.say(session, "And now?")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    assert first_sent(server)["role"] == "user"
    chat.say(session, "And then?")
    assert first_sent(server)["role"] == "assistant"  # it is tried anew with each question


def test_the_words_are_found_and_the_rest_is_not(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    server.script(Reply(blocks=(Say("About Kamtschatka."),)))
    entry = compacted(chat, session)
    found = chat.services.searching.search("Kamtschatka").result(PATIENCE)
    assert [hit.entry for hit in found.hits] == [entry]
    block = json.loads(details(chat, entry)["signed"]["block"])
    opaque = block["encrypted_content"].removeprefix("opaque/").rstrip("=")
    for secret in (opaque, "encrypted_content"):
        assert not chat.services.searching.search(secret).result(PATIENCE).hits


@pytest.mark.parametrize("format", ["pi", "json"])
def test_the_block_outlives_an_export(
    chat: ChatApp, session: int, server: AnthropicServer, tmp_path: Path, format: str
) -> None:
    server.script(Reply(blocks=(Say(WORDS),)))
    entry = compacted(chat, session)
    path = tmp_path / f"out.{'jsonl' if format == 'pi' else 'json'}"
    chat.services.exporting.to_file(session, format, path).result(PATIENCE)
    block = details(chat, entry)["signed"]["block"]
    if format == "json":
        assert json.dumps(block)[1:-1] in path.read_text(encoding="utf-8")
        return
    report = chat.services.importing.import_paths([path]).result(PATIENCE)
    [again] = report.sessions
    chat.say(again.key, "And now?")
    assert chat.runs.state(again.key).phase is Phase.IDLE, chat.runs.state(again.key)
    assert first_sent(server)["content"] == [json.loads(block)]


# -- what goes wrong ------------------------------------------------------------------------------------------


def unchanged(chat: ChatApp, session: int, attempt: Callable[[], object], kind: type[KnownError], words: str) -> Any:
    before = opened(chat, session).session
    with pytest.raises(kind, match=words) as raised:
        attempt()
    after = opened(chat, session).session
    assert (after.leaf, after.entries) == (before.leaf, before.entries)
    return raised.value


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("compaction_nothing_to_summarize", "found nothing to summarise .*Nothing was changed. Move the cut down"),
        ("compaction_incomplete_turn", "an incomplete turn .*Move the cut to the start of a turn"),
        ("compaction_too_many_tool_references", "this many tools .*or use the digest"),
        ("compaction_block_ambiguous", "its own signed summary.*Edit the summary"),
        ("compaction_block_misplaced", "its own signed summary.*Edit the summary"),
        ("compaction_content_mismatch", "its own signed summary.*Edit the summary"),
        ("compaction_signature_invalid", "its own signed summary.*Edit the summary"),
        ("compaction_tool_changes_mismatch", "its own signed summary.*Edit the summary"),
    ],
)
def test_refusals_are_told_in_plain_words(
    chat: ChatApp, session: int, server: AnthropicServer, code: str, words: str
) -> None:
    server.script(Refuse(400, "Whatever it says.", code=code))
    error = unchanged(chat, session, lambda: compacted(chat, session), ProviderError, words)
    assert (error.fault, error.code, error.is_retried) == (Fault.REQUEST, code, False)


@pytest.mark.parametrize("inside", [False, True])
def test_a_server_that_cannot_now_may_be_asked_again(
    chat: ChatApp, session: int, server: AnthropicServer, inside: bool
) -> None:
    code = "compaction_unavailable"
    broken = Reply(breaks=Break("error", 0, code=code))
    server.script(broken if inside else Refuse(529, "Overloaded", code=code))
    words = "cannot summarise at the moment.* Nothing was changed. Try again later, or use the digest."
    error = unchanged(chat, session, lambda: compacted(chat, session), ProviderError, words)
    assert error.fault is Fault.OVERLOADED
    compacted(chat, session)


def test_an_empty_block_is_no_summary(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    server.script(Reply(blocks=()))
    unchanged(chat, session, lambda: compacted(chat, session), SummaryError, "could not write a summary")


@pytest.mark.parametrize("stop", ["end_turn", "refusal", "max_tokens"])
def test_an_answer_that_ends_for_another_reason_is_no_summary(
    chat: ChatApp, session: int, server: AnthropicServer, stop: str
) -> None:
    server.script(Reply(blocks=(Say("Half of it"),), stop=stop))
    unchanged(chat, session, lambda: compacted(chat, session), SummaryError, "answered with no summary. Nothing")


def test_what_is_too_long_for_the_window_says_what_helps(
    chat: ChatApp, session: int, server: AnthropicServer
) -> None:
    server.window = 100
    unchanged(chat, session, lambda: compacted(chat, session), SummaryError, "too long for claude.*Move the cut up")


@pytest.mark.parametrize("how", ["fin", "eof", "garbage"])
def test_a_stream_that_breaks_stores_nothing(chat: ChatApp, session: int, server: AnthropicServer, how: Any) -> None:
    server.script(Reply(breaks=Break(how, 1)))
    unchanged(chat, session, lambda: compacted(chat, session), ProviderError, "fake")


def test_stopping_hangs_up_and_stores_nothing(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    before = opened(chat, session).session
    server.script(Reply(wait=60))
    future = chat.services.provider_compaction.written(request(chat, session), WRITER)
    until(lambda: b'"compaction"' in server.requests[-1].raw)
    assert future.cancel()
    assert server.gone.wait(PATIENCE)
    after = opened(chat, session).session
    assert (after.leaf, after.entries) == (before.leaf, before.entries)


def test_nothing_to_summarise_asks_nobody(chat: ChatApp, server: AnthropicServer) -> None:
    session = chat.session()
    chat.say(session, "Hello")
    asked = len(server.requests)
    leaf = opened(chat, session).session.leaf
    assert leaf is not None
    wanted = CompactionRequest(session=session, leaf=leaf, keep_recent_tokens=10_000)
    chat.services.connecting.models("fake").result(PATIENCE)
    with pytest.raises(NothingToDoError):
        chat.services.provider_compaction.written(wanted, WRITER).result(PATIENCE)
    assert not [one for one in server.requests[asked:] if one.path.startswith("/v1/messages")]


# -- who can --------------------------------------------------------------------------------------------------


def test_a_server_says_of_its_models_whether_they_can(chat: ChatApp) -> None:
    refusal = chat.services.provider_compaction.refusal
    assert refusal(WRITER).result(PATIENCE) == ""
    words = refusal(ModelRef("fake", "claude-haiku-3-5")).result(PATIENCE)
    assert words == "claude-haiku-3-5 cannot write signed summaries. Choose another model."


def test_a_server_that_says_nothing_of_it_cannot(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    plain = Connection(name="plain", base_url=server.url, model="a-model")
    chat.services.connecting.save(plain).result(PATIENCE)
    words = "“plain” cannot write signed summaries"
    assert chat.services.provider_compaction.refusal(ModelRef("plain", "a-model")).result(PATIENCE).startswith(words)
    chat.services.connecting.save(replace(plain, name="chat", api="openai-chat")).result(PATIENCE)
    asked = len(server.requests)
    future = chat.services.provider_compaction.written(request(chat, session), ModelRef("chat", "a-model"))
    with pytest.raises(SummaryError, match="“chat” cannot write signed summaries"):
        future.result(PATIENCE)
    assert not [one for one in server.requests[asked:] if "messages" in one.path]


def test_the_summariser_that_is_named_or_set_writes(chat: ChatApp, session: int, server: AnthropicServer) -> None:
    writing, given = chat.services.summary_writing, request(chat, session)
    before = len(server.requests)
    assert writing.written(given) is given  # the digest is written with the compaction
    assert writing.written(given, "digest") is given
    assert len(server.requests) == before
    signed = writing.written(given, "provider")
    assert signed.signed is not None
    assert writing.model(given) == WRITER
    server.script(Reply(blocks=(Say(GOOD),)))
    contexts = chat.services.contexts
    contexts.settings = contexts.settings._replace(summariser="model")
    written = writing.written(given)
    assert (written.maker, written.signed) == (f"fake/{MODEL}", None)
    assert (written.text or "").startswith("## Goal")

"""A signed summary is sent first and unchanged, or as plain text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stemmata.domain.chat.connections import ANTHROPIC_URL, Connection, OfferedModel
from stemmata.domain.compaction.summary.signed import (
    SignedSummary,
    cannot_summarise,
    is_signed,
    signed_summary,
    to_detail,
)
from stemmata.domain.compaction.summary.summary import COMPACTION_INTRO
from stemmata.domain.context.projection import Form, context_at
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Usage, sum_of
from stemmata.domain.entries.tree import Tree
from stemmata.domain.requests.anthropic import GO_ON, GOES_ON
from stemmata.domain.requests.apis import API_NAMES, payload_of
from stemmata.domain.requests.request import Payload, RequestOptions
from tests.fakes.fake_models import ADAPTIVE
from tests.fakes.request_rules import violations
from tests.fakes.signed_blocks import BETA, refused, signed_block
from tests.strategies import chains, entry_lists
from tests.unit.domain.talk import result, says, user

WORDS = "What was said, in *short*."
MODEL = ADAPTIVE.id
OPTIONS = RequestOptions(model=MODEL, provider="fake")
HEADERS = {"anthropic-beta": BETA}


def signed(text: str = WORDS, connection: str = "fake") -> Entry:
    made = SignedSummary(connection, MODEL, json.dumps(signed_block(text)))
    details = json.dumps({"kept": 3, "signed": to_detail(made)}, ensure_ascii=False)
    return Entry(id="c", kind=Kind.COMPACTION, blocks=(Text(text),), details=details)


def payload(*entries: Entry, options: RequestOptions = OPTIONS, api: str = "anthropic") -> Payload:
    return payload_of(api, [(entry, Form.WHOLE) for entry in entries], options, lambda _digest: None)


def blocks(found: Payload) -> list[dict[str, Any]]:
    return [block for message in found["messages"] for block in message["content"] if block["type"] == "compaction"]


def test_the_signed_block_is_the_first_assistant_message() -> None:
    found = payload(signed(), user("q"))["messages"]
    assert found[0] == {"role": "assistant", "content": [signed_block(WORDS)]}
    assert [message["role"] for message in found] == ["assistant", "user"]


def test_no_assistant_message_is_merged_with_the_block() -> None:
    found = payload(signed(), says("a", ToolCall("1", "read")), result("1"), user("q"))
    assert [message["role"] for message in found["messages"]] == ["assistant", "user", "assistant", "user"]
    assert found["messages"][1]["content"] == [{"type": "text", "text": GOES_ON}]
    assert not violations({"max_tokens": 1} | found, "anthropic")


def test_after_the_block_alone_a_user_message_follows() -> None:
    for model in (MODEL, "claude-haiku-3-5"):  # one goes on with what the assistant began, the other does not
        found = payload(signed(), options=replace(OPTIONS, model=model))["messages"]
        assert found[1] == {"role": "user", "content": [{"type": "text", "text": GO_ON}]}


def test_an_interrupted_reply_continues_after_the_block() -> None:
    found = payload(signed(), options=replace(OPTIONS, model="claude-haiku-3-5", prefill="And so"))["messages"]
    assert [message["role"] for message in found] == ["assistant", "user", "assistant"]


def test_a_mark_for_the_cache_is_set_on_a_copy() -> None:
    found = payload(signed(), user("q"), options=replace(OPTIONS, cache="5m"))
    assert found["messages"][0]["content"][0].pop("cache_control") == {"type": "ephemeral"}
    assert blocks(found) == [signed_block(WORDS)]


@pytest.mark.parametrize(
    "options",
    [
        replace(OPTIONS, provider="other"),
        replace(OPTIONS, provider=""),
        replace(OPTIONS, signed=False),
        replace(OPTIONS, facts=OfferedModel(id=MODEL, summarises=False)),
    ],
)
def test_other_servers_are_sent_the_text(options: RequestOptions) -> None:
    found = payload(signed(), user("q"), options=options)
    assert not blocks(found)
    assert found["messages"][0]["content"][0]["text"].startswith(COMPACTION_INTRO)


@pytest.mark.parametrize("api", API_NAMES[1:])
def test_other_apis_are_sent_the_text(api: str) -> None:
    text = json.dumps(payload(signed(), user("q"), api=api))
    assert WORDS in text
    assert "signature" not in text


def test_at_another_position_the_text_is_sent() -> None:
    found = payload(user("before"), signed(), user("q"))
    assert not blocks(found)
    assert WORDS in json.dumps(found)
    assert len(blocks(payload(signed(), signed("More."), user("q")))) == 1


def changed(**fields: object) -> Entry:
    """Return the entry with other values in the stored signature."""
    details = json.loads(signed().details)
    details["signed"] |= fields
    return replace(signed(), details=json.dumps(details))


def resealed(block: object) -> Entry:
    made = SignedSummary("fake", MODEL, block if isinstance(block, str) else json.dumps(block))
    return replace(signed(), details=json.dumps({"signed": to_detail(made)}))


@pytest.mark.parametrize(
    "entry",
    [
        replace(signed(), blocks=(Text("Other words."),)),
        replace(signed(), blocks=()),
        replace(signed(), kind=Kind.BRANCH_SUMMARY),
        replace(signed(), details=""),
        replace(signed(), details='"signed" is no JSON'),
        replace(signed(), details='{"signed": [1]}'),
        changed(block=json.dumps(signed_block(WORDS) | {"signature": "forged"})),
        changed(sha256=""),
        changed(block=None),
        changed(connection=3),
        changed(model=None),
        resealed("no JSON"),
        resealed([WORDS]),
        resealed(signed_block(None)),
        resealed(signed_block(WORDS) | {"type": "text"}),
        resealed(signed_block(WORDS) | {"content": [WORDS]}),
        resealed(signed_block(WORDS) | {"signature": "\ud800"}),
        resealed(json.dumps(signed_block(WORDS))[:-1] + ', "n": NaN}'),
        resealed(json.dumps(signed_block(WORDS))[:-1] + ', "n": ' + "[" * 500 + "]" * 500 + "}"),
        resealed("[" * 100_000),
    ],
)
def test_a_changed_block_or_text_is_not_signed(entry: Entry) -> None:
    assert signed_summary(entry) is None
    assert not blocks(payload(entry, user("q")))


def test_details_alone_tell_whether_a_summary_is_signed() -> None:
    assert is_signed(signed().details)
    assert not is_signed('{"kept": 3}')


def test_unknown_parts_of_a_block_are_kept() -> None:
    block = signed_block(WORDS) | {"later": {"é": [1, 2.5]}, "tool_changes": [{"type": "tool_removal"}]}
    assert blocks(payload(resealed(block), user("q"))) == [block]


@given(
    chains(max_size=12),
    st.sampled_from(
        [signed(), signed(" \u00a0é\n"), replace(signed(), blocks=(Text("Edited."),)), changed(sha256="")]
    ),
    st.lists(st.integers(0, 12), max_size=2),
    st.integers(0, 12),
    st.booleans(),
)
@example([], signed(), [], 0, True)
def test_a_server_never_gets_a_changed_or_misplaced_block(
    entries: list[Entry], summary: Entry, more: list[int], place: int, asks: bool
) -> None:
    """For any other messages and positions of summaries, the server that signed accepts the request."""
    told = [*entries]
    told.insert(min(place, len(told)), summary)
    for at in more:
        told.insert(min(at, len(told)), summary)
    found = payload(*told, options=replace(OPTIONS, cache="1h", summarise="" if asks else None))
    problem = refused(found, HEADERS, ADAPTIVE)
    assert problem is None or problem.code == "compaction_nothing_to_summarize", problem
    sent = blocks(found)
    assert len(sent) <= 1
    if sent:
        assert {name: value for name, value in sent[0].items() if name != "cache_control"} == signed_block(
            summary.blocks[0].text  # type: ignore[union-attr] # summaries are made of text here
        )
    rules = violations({"max_tokens": 1} | found, "anthropic")
    assert not [rule for rule in rules if "do not begin" in rule or "follows" in rule], rules


@given(entry_lists(damaged=True))
def test_in_any_tree_the_current_summary_is_sent_first_and_signed(entries: list[Entry]) -> None:
    """For any start of the kept part, and any pinned or pruned entries."""
    told = [_signed_like(entry) for entry in entries]
    tree = Tree.from_entries(told)
    for at in range(len(tree)):
        projection = context_at(tree, at)
        messages = [(told[found.entry], found.form) for found in projection.messages]
        found = payload_of("anthropic", messages, OPTIONS, lambda _digest: None)
        assert refused(found, HEADERS, ADAPTIVE) is None
        assert not [rule for rule in violations({"max_tokens": 1} | found, "anthropic") if "follows" in rule]
        summary = None if projection.compaction_entry is None else signed_summary(told[projection.compaction_entry])
        is_shown = summary is not None and Flag.EXCLUDED not in told[projection.compaction_entry or 0].flags
        assert bool(blocks(found)) is is_shown


def _signed_like(entry: Entry) -> Entry:
    if entry.kind is not Kind.COMPACTION or not entry.blocks:
        return entry
    return replace(entry, details=signed(plain_text(entry.blocks)).details)


# -- asking for one -------------------------------------------------------------------------------------------


def test_a_request_for_a_summary_adds_no_message() -> None:
    found = payload(user("q"), says("done \n"), options=replace(OPTIONS, summarise="  "))
    assert found["compaction"] == {"type": "summarize"}
    assert found["messages"][-1] == {"role": "assistant", "content": [{"type": "text", "text": "done"}]}
    found = payload(user("q"), options=replace(OPTIONS, summarise="Be brief."))
    assert found["compaction"] == {"type": "summarize", "instructions": "Be brief."}
    assert payload(options=replace(OPTIONS, summarise=""))["messages"] == []


@pytest.mark.parametrize(
    ("connection", "facts", "can"),
    [
        (Connection(name="a"), None, True),
        (Connection(name="a", base_url=f"{ANTHROPIC_URL}/v1/"), OfferedModel(id="m"), True),
        (Connection(name="a"), OfferedModel(id="m", summarises=False), False),
        (Connection(name="a", base_url="http://127.0.0.1:1"), None, False),
        (Connection(name="a", base_url="http://127.0.0.1:1"), OfferedModel(id="m", summarises=True), True),
        (Connection(name="a", api="openai-chat"), OfferedModel(id="m", summarises=True), False),
    ],
)
def test_models_whose_provider_can_summarise(connection: Connection, facts: OfferedModel | None, can: bool) -> None:
    assert (cannot_summarise(connection, "m", facts) is None) is can


def test_the_usage_of_several_responses_is_added() -> None:
    assert sum_of([Usage(1, 2, 3, 4, 5, total=99, cost=7), Usage(10, 20)]) == Usage(11, 22, 3, 4, 5)

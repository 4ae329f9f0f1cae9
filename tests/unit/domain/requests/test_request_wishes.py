"""The parts of a request besides its messages: thinking, cache marks, documents, an interrupted reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.requests.model_abilities import ModelTraits, checked_level, thinking_level
from stemmata.domain.requests.request import LARGEST_PDF, Payload, RequestOptions, ToolDefinition
from tests.fakes.request_rules import violations

PDF = b"%PDF-1.7 short"
READ = ToolDefinition("read", "Reads.")
ADAPTIVE, BUDGETED, LOCAL = "claude-sonnet-5-5", "claude-opus-4-5", "qwen3:8b"
REASONING = '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}'


def user(*blocks: Text | Image | str) -> tuple[Entry, Form]:
    given = tuple(Text(block) if isinstance(block, str) else block for block in blocks)
    return Entry(id="u", role=Role.USER, blocks=given), Form.WHOLE


def reply(*blocks: Text | Thinking | ToolCall, model: str = BUDGETED) -> tuple[Entry, Form]:
    return Entry(id="a", role=Role.ASSISTANT, blocks=blocks, provider="p", model=model), Form.WHOLE


def result(call: str, text: str, form: Form = Form.WHOLE) -> tuple[Entry, Form]:
    return Entry(id="r", role=Role.TOOL_RESULT, call=call, tool="read", blocks=(Text(text),)), form


def summary(text: str) -> tuple[Entry, Form]:
    return Entry(id="s", kind=Kind.COMPACTION, blocks=(Text(text),)), Form.SUMMARY


def built(
    api: str, *messages: tuple[Entry, Form], model: str = BUDGETED, data: bytes = PDF, **wishes: Any
) -> Payload:
    options = RequestOptions(model=model, provider="p", **wishes)
    payload = payload_of(api, messages or [user("Hi")], options, lambda _: data)
    assert violations(payload, api) == []
    return payload


# -- thinking -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "effort"), [("low", "low"), ("high", "high"), ("xhigh", "high"), ("max", "max"), ("minimal", "low")]
)
def test_newer_models_think_adaptively(level: str, effort: str) -> None:
    payload = built("anthropic", model=ADAPTIVE, thinking=level)
    assert payload["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert payload["output_config"] == {"effort": effort}
    assert payload["max_tokens"] > 8192, "thoughts count towards it"


def test_facts_from_the_server_take_precedence() -> None:
    facts = OfferedModel(id="m", thinking=("adaptive", "disabled"), levels=("low", "xhigh"), most_output=10_000)
    payload = built("anthropic", model=LOCAL, thinking="max", facts=facts)
    assert payload["thinking"]["type"] == "adaptive"
    assert payload["output_config"] == {"effort": "xhigh"}
    assert payload["max_tokens"] == 10_000
    assert built("anthropic", facts=facts, thinking="off")["thinking"] == {"type": "disabled"}
    assert "thinking" not in built("anthropic", facts=facts)


@pytest.mark.parametrize(("level", "budget"), [("low", 1_024), ("medium", 4_096), ("high", 16_384)])
def test_older_models_get_a_budget(level: str, budget: int) -> None:
    payload = built("anthropic", thinking=level)
    assert payload["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert payload["max_tokens"] == budget + 8192
    assert "output_config" not in payload


@pytest.mark.parametrize(("most", "budget", "total"), [(32_000, 5_000, 13_192), (6_000, 3_000, 6_000)])
def test_an_exact_number_of_tokens_is_never_above_what_the_model_takes(most: int, budget: int, total: int) -> None:
    facts = OfferedModel(id="m", thinking=("enabled",), most_output=most)
    payload = built("anthropic", thinking="5000", facts=facts)
    assert payload["max_tokens"] == total
    assert payload["thinking"]["budget_tokens"] == budget


@pytest.mark.parametrize(
    ("tokens", "level"), [("1024", "low"), ("1", "low"), ("5000", "medium"), ("9999999", "max"), ("1" * 5000, "")]
)
def test_models_that_take_a_word_get_the_nearest_level_below(tokens: str, level: str) -> None:
    assert thinking_level(tokens) == level


@pytest.mark.parametrize(("typed", "level"), [("high", "high"), ("05000", "5000"), ("1024", "1024")])
def test_a_typed_level_is_a_word_or_a_number(typed: str, level: str) -> None:
    assert checked_level(typed) == level


@pytest.mark.parametrize("typed", ["hardest", "1023", "-5000", "5.5", "99999999", "٥٠٠٠", ""])
def test_other_typed_levels_are_refused(typed: str) -> None:
    with pytest.raises(KnownError, match="or a number of tokens from 1,024 on"):
        checked_level(typed)


def test_a_budget_leaves_room_for_the_answer() -> None:
    facts = OfferedModel(id="m", thinking=("enabled",), most_output=8_192)
    payload = built("anthropic", thinking="max", facts=facts)
    assert payload["max_tokens"] == 8_192
    assert payload["thinking"]["budget_tokens"] == 4_096
    none = OfferedModel(id="m", thinks=False)
    assert "thinking" not in built("anthropic", thinking="max", facts=none)
    tiny = OfferedModel(id="m", thinking=("enabled",), most_output=1_500)
    assert "thinking" not in built("anthropic", thinking="max", facts=tiny)


@pytest.mark.parametrize("level", ["", "off", "unheard of"])
def test_without_a_level_no_thinking_parameter_is_sent(level: str) -> None:
    for api in ("anthropic", "openai-chat", "openai-responses"):
        payload = built(api, model="some-model", thinking=level)
        assert not payload.keys() & {"thinking", "output_config", "reasoning", "reasoning_effort", "include"}
    assert "thinking" not in built("anthropic", model="claude-3-5-haiku-20241022", thinking="high")


def test_no_budget_is_sent_with_results_of_calls_without_thinking() -> None:
    call = ToolCall("c1", "read", "{}")
    without = (user("Hi"), reply(call), result("c1", "ok"))
    assert "thinking" not in built("anthropic", *without, thinking="high", tools=(READ,))
    thought = (user("Hi"), reply(Thinking("hm", "c2ln"), call), result("c1", "ok"))
    assert built("anthropic", *thought, thinking="high", tools=(READ,))["thinking"]["type"] == "enabled"


def test_effort_in_the_terms_of_openai() -> None:
    assert built("openai-chat", model="gpt-5.5", thinking="xhigh")["reasoning_effort"] == "xhigh"
    assert built("openai-chat", model="o3", thinking="max")["reasoning_effort"] == "high"
    assert "reasoning_effort" not in built("openai-chat", model="gpt-4o", thinking="high")
    facts = OfferedModel(id="m", levels=("none", "low"))
    assert built("openai-chat", thinking="off", facts=facts)["reasoning_effort"] == "none"
    payload = built("openai-responses", model="gpt-5.5", thinking="high")
    assert payload["reasoning"] == {"effort": "high", "summary": "auto"}
    assert payload["include"] == ["reasoning.encrypted_content"]
    assert built("openai-responses", model="gpt-5.5")["include"] == ["reasoning.encrypted_content"]
    assert "include" not in built("openai-responses", model="gpt-4o")


@pytest.mark.parametrize(
    ("id", "kind", "prefill"),
    [
        ("claude-3-5-sonnet-20241022", "", True),
        ("claude-3-7-sonnet-latest", "enabled", True),
        ("claude-opus-4-20250514", "enabled", True),
        ("claude-opus-4-5-20251101", "enabled", True),
        ("anthropic/claude-opus-4.6", "adaptive", False),
        ("claude-sonnet-4-6", "adaptive", False),
        ("claude-haiku-5-5", "adaptive", False),
        ("claude-mythos-preview", "adaptive", False),
        ("qwen3:8b", "enabled", True),
    ],
)
def test_the_features_of_a_model_are_known_from_its_id(id: str, kind: str, prefill: bool) -> None:
    traits = ModelTraits(id)
    assert (traits.thinking_kind, traits.takes_prefill) == (kind, prefill)


def test_level_names_of_other_tools_are_known() -> None:
    assert [thinking_level(name) for name in ("minimal", "high", "ultra", "")] == ["low", "high", "", ""]


# -- thoughts that are sent back ------------------------------------------------------------------------------


def test_reasoning_items_are_sent_unchanged() -> None:
    said = (Thinking("hm", REASONING), ToolCall("c1", "read", "{}"), Thinking("end", REASONING))
    payload = built(
        "openai-responses", user("Hi"), reply(*said, model="gpt-5.5"), result("c1", "ok"), model="gpt-5.5"
    )
    assert [item["type"] for item in payload["input"]] == [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
    ]
    assert payload["input"][1] == json.loads(REASONING)


@pytest.mark.parametrize(
    "signature", ["", "c2ln", "{", '{"type":"reasoning","id":"rs_1","summary":[]}', "{}", '{"a":' * 5000]
)
def test_reasoning_without_encrypted_content_is_left_out(signature: str) -> None:
    said = reply(Thinking("hm", signature), Text("Yes"), model="gpt-5.5")
    payload = built("openai-responses", user("Hi"), said, user("so?"), model="gpt-5.5")
    assert [item["type"] for item in payload["input"]] == ["message"] * 3


def test_thinking_of_one_api_is_not_sent_to_another() -> None:
    payload = built("anthropic", user("Hi"), reply(Thinking("hm", REASONING), Text("Yes")), user("so?"))
    assert [block["type"] for block in payload["messages"][1]["content"]] == ["text"]


# -- the prompt cache -----------------------------------------------------------------------------------------


def marked(payload: Payload) -> Iterator[tuple[str, Any]]:
    for part in ("tools", "system"):
        yield from ((part, block["cache_control"]) for block in payload.get(part, ()) if "cache_control" in block)
    for at, message in enumerate(payload["messages"]):
        for block in message["content"]:
            if "cache_control" in block:
                yield f"{at} {block['type']}", block["cache_control"]


def test_at_most_four_cache_marks() -> None:
    messages = (
        summary("What was said."),
        user("Go on."),
        reply(ToolCall("c1", "read", "{}"), ToolCall("c2", "read", "{}")),
        result("c1", "long", Form.PRUNED),
        result("c2", "ok"),
        reply(Text("Done.")),
        user("Thanks. And now?"),
    )
    payload = built("anthropic", *messages, system="Be brief.", tools=(READ,), cache="1h")
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert list(marked(payload)) == [("system", hour), ("0 text", hour), ("2 tool_result", hour), ("4 text", hour)]
    assert payload["messages"][0]["content"][0]["text"].count("What was said.") == 1
    assert list(marked(built("anthropic", *messages))) == []


def test_cache_marks_of_short_requests() -> None:
    assert list(marked(built("anthropic", cache="5m"))) == [("0 text", {"type": "ephemeral"})]
    payload = built("anthropic", tools=(READ,), cache="5m")
    assert [place for place, _ in marked(payload)] == ["tools", "0 text"]


def test_a_result_pruned_before_a_summary_gets_no_mark() -> None:
    call = reply(ToolCall("c1", "read", "{}"))
    payload = built("anthropic", user("Hi"), call, result("c1", "x", Form.PRUNED), summary("All."), cache="5m")
    assert [place for place, _ in marked(payload)] == ["tools", "2 text"]


def test_the_cause_of_a_cache_miss_is_requested() -> None:
    assert built("anthropic", previous="msg_1")["diagnostics"] == {"previous_message_id": "msg_1"}
    assert "diagnostics" not in built("anthropic")


# -- a reply that broke off -----------------------------------------------------------------------------------


def test_a_reply_is_continued_by_models_that_can() -> None:
    payload = built("anthropic", user("Count."), prefill="One, two, \n", cache="5m")
    assert payload["messages"][-1] == {"role": "assistant", "content": [{"type": "text", "text": "One, two,"}]}
    assert [place for place, _ in marked(payload)] == ["0 text"]


@pytest.mark.parametrize(
    ("api", "wishes"),
    [
        ("anthropic", {"model": ADAPTIVE}),
        ("anthropic", {"thinking": "high"}),
        ("openai-chat", {"model": "gpt-5.5"}),
        ("openai-responses", {"model": "gpt-5.5"}),
    ],
)
def test_for_other_models_the_reply_is_quoted(api: str, wishes: dict[str, Any]) -> None:
    payload = built(api, user("Count."), prefill="One, two,", **wishes)
    last = (payload.get("messages") or payload["input"])[-1]
    assert last["role"] == "user"
    assert "One, two," in json.dumps(last)


def test_a_request_that_would_end_in_a_reply_asks_to_continue() -> None:
    said = reply(Text("One."), model=ADAPTIVE)
    assert built("anthropic", user("Count."), said, model=ADAPTIVE)["messages"][-1]["role"] == "user"
    assert built("anthropic", user("Count."), said)["messages"][-1]["role"] == "assistant"


def test_an_empty_prefill_adds_no_message() -> None:
    for api in ("anthropic", "openai-chat", "openai-responses"):
        assert built(api, prefill=" \n") == built(api)


# -- documents ------------------------------------------------------------------------------------------------

PAPER = Image("application/pdf", "0" * 64, len(PDF), "paper.pdf")


def test_pdfs_in_the_form_of_each_api() -> None:
    content = built("anthropic", user("Read.", PAPER))["messages"][0]["content"]
    assert content[1]["type"] == "document"
    assert content[1]["title"] == "paper.pdf"
    content = built("openai-chat", user("Read.", PAPER), model="gpt-5.5")["messages"][0]["content"]
    assert content[1]["file"]["filename"] == "paper.pdf"
    content = built("openai-responses", user("Read.", PAPER), model="gpt-5.5")["input"][0]["content"]
    assert content[1]["type"] == "input_file"
    assert content[1]["file_data"].startswith("data:application/pdf;base64,")


def test_a_file_that_the_model_does_not_accept_becomes_a_note() -> None:
    for api in ("anthropic", "openai-chat", "openai-responses"):
        assert "application/pdf: the model takes none" in json.dumps(built(api, user("Read.", PAPER), model=LOCAL))
    facts = OfferedModel(id="m", takes_images=False, takes_pdfs=True)
    image = Image("image/png", "0" * 64, 8)
    sent = json.dumps(built("anthropic", user("See.", image), data=b"\x89PNG\r\n\x1a\n", facts=facts))
    assert "image/png: the model takes none" in sent
    assert "document" in json.dumps(built("anthropic", user("Read.", PAPER), model=LOCAL, facts=facts))


def test_a_pdf_that_is_too_large_becomes_a_note() -> None:
    data = PDF + bytes(LARGEST_PDF)
    assert "PDF of 20.0 MB left out" in json.dumps(built("anthropic", user("Read.", PAPER), data=data))


@pytest.mark.parametrize("thinks", [True, False])
def test_the_server_decides_whether_a_model_thinks(thinks: bool) -> None:
    traits = ModelTraits("gpt-4o" if thinks else "o3", OfferedModel(id="any", thinks=thinks))
    assert traits.reasons is thinks
    assert traits.takes_effort is thinks

from __future__ import annotations

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Kind, Role, Usage
from stemmata.domain.entries.tokens import to_tokens, units, weigh
from stemmata.domain.text.json_text import compact_json, javascript_number

IMAGE = Image("image/png", "0" * 64)


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        (Entry(id="a", role=Role.USER, blocks=(Text("hello"),)), 2),
        (Entry(id="a", role=Role.USER, blocks=()), 0),
        (Entry(id="a", role=Role.USER, blocks=(Text("text"), IMAGE)), 1201),  # pi counts no image of a user
        (Entry(id="a", role=Role.TOOL_RESULT, blocks=(Text("text"), IMAGE)), 1201),
        (Entry(id="a", role=Role.CUSTOM, blocks=(Text("12345678"),)), 2),
        (Entry(id="a", role=Role.BASH_EXECUTION, name="ls -la", blocks=(Text("abc"),)), 3),
        (Entry(id="a", kind=Kind.COMPACTION, blocks=(Text("123456789"),)), 3),
        (Entry(id="a", kind=Kind.BRANCH_SUMMARY, blocks=(Text("12345678"),)), 2),
        (Entry(id="a", role=Role.USER, blocks=(Text("\U0001f600" * 10),)), 5),
        (Entry(id="a", role=Role.USER, blocks=(Text("é" * 10),)), 3),
        (Entry(id="a", role=Role.ASSISTANT, blocks=(UnknownBlock("x", "12345678"),)), 2),
    ],
)
def test_ca10_ca12_estimates(entry: Entry, tokens: int) -> None:
    assert weigh(entry).tokens == tokens


def test_ca11_signatures_do_not_count() -> None:
    blocks = (
        Text("abc"),
        Thinking("defg", "s" * 1000),
        ToolCall("id", "read", compact_json({"path": "a.txt", "limit": 10})),
    )
    assert weigh(Entry(id="a", role=Role.ASSISTANT, blocks=blocks)).tokens == 10


def test_ca12_arguments_are_measured_as_javascript_prints_them() -> None:
    arguments = {"t": 'é\U0001f600\u2028\n"', "f": 1.0, "g": 0.1, "n": None}
    assert (
        weigh(Entry(id="a", role=Role.ASSISTANT, blocks=(ToolCall("i", "w", compact_json(arguments)),))).tokens == 10
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"), (0.1, "0.1"), (1e-7, "1e-7"), (1.5e-6, "0.0000015"), (-0.000123, "-0.000123"), (1e21, "1e+21"),
        (0.0, "0"), (123456789012345680000.0, "123456789012345680000"), (2.5e-10, "2.5e-10"), (1e-5, "0.00001"),
    ],
)  # fmt: skip
def test_numbers_are_printed_as_javascript_does(value: float, text: str) -> None:
    assert javascript_number(value) == text
    assert compact_json([value]) == f"[{text}]"


def test_compact_json() -> None:
    assert compact_json({"a": [True, None, "x"], "b": {"c": 1}}) == '{"a":[true,null,"x"],"b":{"c":1}}'
    assert compact_json({"s": "\ud800"}) == '{"s":"\\ud800"}'
    assert compact_json(float("nan")) == "null"
    assert compact_json((1, 2)) == "[1,2]"


def test_units_are_utf16() -> None:
    assert units("abc") == 3
    assert units("é😀") == 3
    assert units("\ud800") == 1
    assert to_tokens(0) == 0
    assert to_tokens(5) == 2


def test_ca1_context_of_a_usage() -> None:
    assert Usage(1000, 500, 200, 100).context == 1800
    assert Usage().context == 0
    assert Usage(1000, 500, 200, 100, total=7).context == 7
    assert Usage(1000, 500, 200, 100).sent == 1300

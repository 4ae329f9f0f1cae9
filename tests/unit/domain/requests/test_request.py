from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.requests.request import IdRule, ToolIds, rule_for


@pytest.mark.parametrize(
    ("id", "strict", "nine"),
    [
        ("call_abc|fc_123", "callabcfc123", "callabcfc"),
        ("toolu_01-A", "toolu01A", "a50280be5"),
        ("__", "sanitizedtoolid", "7b757a23b"),
        ("", "defaulttoolid", "defaultid"),
        ("a", "a", "86f7e437f"),
    ],
)
def test_vectors(id: str, strict: str, nine: str) -> None:
    assert ToolIds(IdRule.STRICT).of(id) == strict
    assert ToolIds(IdRule.NINE).of(id) == nine


@pytest.mark.parametrize(
    ("rule", "first", "second"),
    [(IdRule.STRICT, "ab", "abdcea6d9c"), (IdRule.NINE, "da23614e0", "9365455a2")],
)
def test_vector_collision(rule: IdRule, first: str, second: str) -> None:
    ids = ToolIds(rule)
    assert (ids.of("a|b"), ids.of("a:b")) == (first, second)
    assert ids.of("a|b") == first


def test_further_collisions() -> None:
    """Other ids equal the first and second id that would be made for a:b."""
    ids = ToolIds(IdRule.STRICT)
    for id in ("ab", "abdcea6d9c", "abdcea6d9cx2"):
        assert ids.of(id) == id
    assert ids.of("a:b") == "abdcea6d9cx3"


@given(st.lists(st.text(max_size=50)), st.sampled_from(list(IdRule)))
def test_ids_stay_different_and_short(originals: list[str], rule: IdRule) -> None:
    ids = ToolIds(rule)
    found = [ids.of(id) for id in originals]
    assert len(set(found)) == len(set(originals))
    allowed = r"[A-Za-z0-9]{1,40}" if rule in (IdRule.STRICT, IdRule.NINE) else r"[A-Za-z0-9_-]{1,64}"
    assert all(re.fullmatch(allowed, id) for id in found)


@pytest.mark.parametrize(
    ("own", "model", "rule"),
    [
        (IdRule.ANTHROPIC, "mistral-large", IdRule.ANTHROPIC),
        (IdRule.OPENAI, "Codestral-2", IdRule.NINE),
        (IdRule.OPENAI, "google/gemini-3", IdRule.STRICT),
        (IdRule.OPENAI, "gpt-5", IdRule.OPENAI),
    ],
)
def test_rule_for(own: IdRule, model: str, rule: IdRule) -> None:
    assert rule_for(own, model) is rule

"""Formulas are recognised in a line of Markdown; prices and variables are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pytest

from stemmata.domain.text.formulas import MOST_FORMULA, formula_at, inline_formula


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("$a^2$ is", "$a^2$"),
        ("$x$", "$x$"), ("$$a = b$$", "$$a = b$$"), ("\\(a\\) and", "\\(a\\)"),
        ("\\[ a \\]", "\\[ a \\]"),
        ("$5 and $10", None), ("$ a_b $", None), ("$a_b$c", None), ("words", None), ("$a_b", None),
        ("\\[a\\] b", None), ("\\[a_b\\] c", None), ("\\[\\lim_x x\\] is", "\\[\\lim_x x\\]"),
        ("\\[x^2\\].", "\\[x^2\\]"), ("\\[x_{1}\\] is", "\\[x_{1}\\]"),
        ("$a_b\n\nc$", None), ("$" + "a" * MOST_FORMULA + "_$", None), ("\\(\\)", None),
    ],
)  # fmt: skip
def test_a_formula_begins_a_text(text: str, written: str | None) -> None:
    found = formula_at(text, 0, len(text))
    assert (found.written if found is not None else None) == written
    assert found is None or text[: found.end] == written


def test_no_letter_may_stand_before_a_formula() -> None:
    assert formula_at("a$x_1$", 1, 6) is None


@dataclass
class Token:
    content: str = ""


@dataclass
class State:
    """What the rule sees of a parser."""

    src: str
    pos: int = 0
    tokens: list[Token] = field(default_factory=list)

    @property
    def posMax(self) -> int:  # the parser's name
        return len(self.src)

    @posMax.setter
    def posMax(self, _: int) -> None:
        raise AssertionError("the rule changes the end of the line")

    def push(self, _ttype: str, _tag: str, _nesting: Literal[0], /) -> Token:
        self.tokens.append(Token())
        return self.tokens[-1]


def test_the_rule_adds_a_token_and_goes_behind_the_formula() -> None:
    state = State("$x_1$ is")
    assert inline_formula(state, silent=False)
    assert (state.pos, state.tokens) == (5, [Token("$x_1$")])


def test_a_silent_rule_only_goes_behind_the_formula() -> None:
    state = State("$x_1$ is")
    assert inline_formula(state, silent=True)
    assert (state.pos, state.tokens) == (5, [])


def test_the_rule_leaves_other_text_alone() -> None:
    state = State("$5 or $6")
    assert not inline_formula(state, silent=False)
    assert (state.pos, state.tokens) == (0, [])

"""Formulas are recognised in a line of Markdown; prices and variables are none."""

from __future__ import annotations

import pytest

from stemmata.domain.text.formulas import MOST_FORMULA, formula_at


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("$a^2$ is", "$a^2$"),
        ("$x$", "$x$"), ("$$a = b$$", "$$a = b$$"), ("\\(a\\) and", "\\(a\\)"),
        ("\\[ a \\]", "\\[ a \\]"),
        ("$5 and $10", None), ("$ a_b $", None), ("$a_b$c", None), ("words", None), ("$a_b", None),
        ("\\[a\\] b", None),
        ("$a_b\n\nc$", None), ("$" + "a" * MOST_FORMULA + "_$", None), ("\\(\\)", None),
    ],
)  # fmt: skip
def test_a_formula_begins_a_text(text: str, written: str | None) -> None:
    found = formula_at(text, 0, len(text))
    assert (found.written if found is not None else None) == written
    assert found is None or text[: found.end] == written


def test_no_letter_may_stand_before_a_formula() -> None:
    assert formula_at("a$x_1$", 1, 6) is None

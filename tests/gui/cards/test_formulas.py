"""Formulas are shown as they are written; prices, variables and escaped signs are none."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest

from stemmata.gui.text.markdown import Code, Markdown, Prose


def formulas(text: str) -> list[str]:
    html = "".join(part.html for part in Markdown().segments(text) if isinstance(part, Prose))
    return [unescape(found) for found in re.findall("<code>(.*?)</code>", html, re.DOTALL)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"Euler: $e^{i\pi} + 1 = 0$.", [r"$e^{i\pi} + 1 = 0$"]),
        ("the $n$-th of $x_1, x_2$", ["$n$", "$x_1, x_2$"]),
        (r"so $$\int_0^1 x_i^2 \, dx$$ holds", [r"$$\int_0^1 x_i^2 \, dx$$"]),
        (r"with \(a_i * b_i\) and \(c_i * d_i\)", [r"\(a_i * b_i\)", r"\(c_i * d_i\)"]),
        ("\\[\n\\sum_i x_i < 3\n\\]", ["\\[\n\\sum_i x_i < 3\n\\]"]),
    ],
)
def test_formulas_are_code(text: str, found: list[str]) -> None:
    assert formulas(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 or $6.", "US$ 7 = 6 € and 8$", "echo $HOME/bin:$PATH_B",
        r"\$x_1$ is escaped", "$ x_1 $", "a$b_1$c",
        "$never_closed", r"\(", r"array\[0\] and \[x\]", "$a_1\n\nb_2$", "$$", "(x$y_1$z",
    ],
)  # fmt: skip
def test_other_signs_are_text(text: str) -> None:
    assert formulas(text) == []


def test_a_formula_on_its_own_is_a_block_of_latex() -> None:
    before, formula, after = Markdown().segments("A\n\n$$\n\\frac{a_1}{b_1}\n$$\n\nB")
    assert (before, after) == (Prose("<p>A</p>\n"), Prose("<p>B</p>\n"))
    assert formula == Code("latex", "\\frac{a_1}{b_1}")
    (nested,) = Markdown().segments("- x\n\n  $$\n  a_1\n  $$")
    assert isinstance(nested, Prose)
    assert "<pre>a_1</pre>" in nested.html


def test_hostile_signs_take_no_time() -> None:
    parser = Markdown()
    parser.load()
    for text in ("$" * 4_000, "$a" * 2_000, "$$a" * 1_300, r"\(" * 2_000, "\\[\n" * 1_300, "$ $" * 1_300):
        begun = time.process_time()
        parser.segments(text)
        assert time.process_time() - begun < 1

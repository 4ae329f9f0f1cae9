"""Every theme has the same tokens, and every text can be read on every background it stands on."""

from __future__ import annotations

import re

import pytest

from stemmata.assets import resource
from stemmata.gui.theme import theme as tokens
from tests.gui.theme.contrast import contrast

THEMES = sorted(path.stem for path in resource("themes").glob("*.json"))
SURFACES = ("bg", "panel", "raised")
LANES = tuple(f"lane_{number}" for number in range(1, 9))
CODE = ("code_keyword", "code_string", "code_number", "code_comment", "code_name", "code_type")
SPEAKERS = (
    "user", "assistant", "tool", "summary", "system", "tool_definitions", "thinking", "image", "memory", "skills"
)  # fmt: skip
TEXTS = ("text", "dim", "accent", "good", "bad", "warning", *SPEAKERS, *LANES)
MARKED = {
    "match": ("text",),
    "good_bg": ("text", "good", *CODE),
    "bad_bg": ("text", "bad", *CODE),
    "summary_bg": ("text", "dim", "faint", "summary"),
    "label_bg": ("text", "tool"),
    "accent": ("on_accent",),
    "summary": ("on_accent",),
    "hover": ("text", "dim"),
}
READABLE = 4.5  # WCAG 2, level AA
VISIBLE = 2.2  # the lines between columns, which disabled icons looked like, have 1.3


@pytest.mark.parametrize("name", THEMES)
def test_text_is_readable_on_every_surface(name: str) -> None:
    colors = tokens.load(name).colors
    pairs = [(text, ground) for text in TEXTS for ground in (*SURFACES, "selection")]
    pairs += [(text, ground) for text in (*CODE, "faint") for ground in SURFACES]
    pairs += [(text, ground) for ground, texts in MARKED.items() for text in texts]
    poor = {pair: round(contrast(*(colors[token] for token in pair)), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < READABLE} == {}


@pytest.mark.parametrize("name", THEMES)
def test_disabled_icons_are_seen_and_fainter_than_others(name: str) -> None:
    colors = tokens.load(name).colors
    for ground in SURFACES:
        assert VISIBLE < contrast(colors["disabled"], colors[ground]) < contrast(colors["dim"], colors[ground])


def test_high_contrast_is_higher() -> None:
    colors = tokens.load("high-contrast").colors
    assert all(contrast(colors[text], colors[ground]) >= 7 for text in (*TEXTS, *CODE) for ground in SURFACES)


def test_themes_agree_on_their_tokens() -> None:
    assert "dark" in THEMES
    assert "light" in THEMES
    names = {name: set(tokens.load(name).colors) for name in THEMES}
    assert len({frozenset(found) for found in names.values()}) == 1


@pytest.mark.parametrize("name", THEMES)
def test_colours_are_written_in_full(name: str) -> None:
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in tokens.load(name).colors.values())


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1

"""What keeps a turn of the event loop short: how often long contents are split, built and read, not how long."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from math import inf
from typing import Any

import pytest
from PySide6.QtCore import QObject, QRect
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Image, Text, ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.search.needle import text_needle
from stemmata.gui.cards import card as cards_module
from stemmata.gui.cards import match_stops as match_stops_module
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.core import turns
from stemmata.gui.core.pages import PageCache
from stemmata.gui.text import highlighting, markdown
from stemmata.gui.text.document import TextDocument
from stemmata.gui.text.markdown import Markdown, chunks
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript import card_pool, idle, match_walk
from stemmata.gui.transcript.idle import LAYING_OUT, LEAST, TURN, LayoutAllowance
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.pages import FakePages
from tests.fakes.torture import picture
from tests.fakes.transcripts import cards, settle
from tests.gui.transcript.conftest import MakeView

PICTURES = 40


class Counted:
    """A function that counts its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self.calls = 0
        self._called = getattr(owner, name)
        monkeypatch.setattr(owner, name, self)

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        self.calls += 1
        return self._called(*arguments, **more)

    def __get__(self, instance: object, _owner: type) -> Any:
        return partial(self, instance)  # as a method


def test_a_long_text_is_split_once_however_often_its_card_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch, markdown, "chunks")
    text, parser = "A line.\n\n" * 5_000, Markdown()
    assert parser.chunks(text, 1_500) is parser.chunks(text, 1_500)
    assert counted.calls == 1
    for at in range(10):
        parser.chunks(f"{at}{text}", 1_500)
    asked = counted.calls
    parser.chunks(text, 1_500)
    assert counted.calls == asked + 1  # only the parts of the last few texts are kept


@pytest.mark.parametrize("part", ["](", "\\frac{a}{b} &= c ", '{"id":0,"name":"a"},', "混沌初開乾坤始奠", "NUL\0"])
@pytest.mark.parametrize("size", [10_000, 4_000])
def test_a_line_without_an_end_is_cut_into_small_parts(part: str, size: int) -> None:
    text = part * (size // len(part))
    found = chunks(text, 1_500)
    assert "".join(chunk.source for chunk in found) == text
    assert max(len(chunk.source) for chunk in found) <= 1_500


def test_the_lines_of_a_part_are_not_counted_to_the_end_of_the_text() -> None:
    class Watched(str):
        """A text that refuses to be searched to its end, which takes longer the longer it is."""

        def find(self, part: str, start: Any = 0, end: Any = None) -> int:
            assert end is not None
            return super().find(part, start, end)

    text = Watched("a word " * 10_000)
    assert len(chunks(text, 1_500)) > 10


def test_stepping_through_the_matches_of_a_card_builds_it_once(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ToolCall("t1", "push", '{"items": "needle"}')
    entries = [
        Entry(id="a", role=Role.USER, blocks=(Text("Do it."),)),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(call, Text("needle and needle"))),
        Entry(id="c", parent="b", role=Role.USER, blocks=(Text("needle"),)),
    ]
    view = make_view(entries)
    settle(view)
    view.finding.mark(text_needle("needle"))
    view.finding.go(1, count=3)
    built, looked = Counted(monkeypatch, cards_module, "build"), Counted(monkeypatch, card_pool, "hiding")
    for _ in range(5):
        view.finding.go(1, count=3)
    assert (built.calls, looked.calls) == (0, 0)
    view.finding.mark(text_needle("items"))
    view.finding.go(1, count=1)
    assert looked.calls == 1


def test_jumps_within_a_long_card_build_it_once(make_view: MakeView, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        Entry(id="a", role=Role.USER, blocks=(Text("Go on."),)),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(Text("A line.\n\n" * 5_000),)),
        Entry(id="c", parent="b", role=Role.USER, blocks=(Text("Thanks."),)),
    ]
    view = make_view(entries)
    view.show_whole(1, {})
    settle(view)
    bar, shown = view.verticalScrollBar(), []
    bar.setValue(bar.maximum() // 3)
    settle(view)
    built = Counted(monkeypatch, cards_module, "build")
    for tenth in (5, 8, 4):
        bar.setValue(bar.maximum() * tenth // 10)
        settle(view)
        shown.append(view.place)
    assert built.calls == 0
    assert len(set(shown)) == 3


def test_a_small_table_of_many_rows_is_rendered_in_parts(make_view: MakeView) -> None:
    rows = "".join(f"| {at} | {at} | {at} |\n" for at in range(150))
    text = f"| a | b | c |\n|---|---|---|\n{rows}"
    assert len(text) < 3_000
    entries = [Entry(id="a", role=Role.ASSISTANT, blocks=(Text(text),))]
    view = make_view(entries)
    settle(view)
    card = cards(view)[0]
    shown = [part for part in card.parts if isinstance(part, TextPiece)]
    assert len(shown) > 0
    assert max(part.text().count("\n") for part in shown) <= markdown.MOST_CELLS
    assert len(shown) < len(chunks(text, 1_500)), "only what is in view"
    assert "".join(chunk.source for chunk in chunks(text, 1_500)) == text


def test_a_part_whose_match_is_hidden_by_markup_is_not_laid_out(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a table takes longer to lay out than to render."""
    rows = "".join(f"| nee**d**le {at} | {at} | {at} |\n" for at in range(150))
    entries = [Entry(id="a", role=Role.ASSISTANT, blocks=(Text(f"| a | b | c |\n|---|---|---|\n{rows}"),))]
    view = make_view(entries)
    settle(view)
    card = cards(view)[0]
    rendered, laid_out = Counted(monkeypatch, CardStyle, "prose"), Counted(monkeypatch, TextDocument, "height")
    view.finding.mark(text_needle("**"))
    assert card.next_match(back=True) is None
    assert 0 < rendered.calls <= cards_module.MOST_LOOKED
    assert laid_out.calls == 0
    view.finding.mark(text_needle("75"))
    assert card.next_match() is not None


def test_a_lexer_is_loaded_when_nobody_scrolls(
    make_view: MakeView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that loads it would keep Python's lock from the GUI thread."""
    monkeypatch.setattr(idle, "REST_MS", 1_000_000)
    loaded = Counted(monkeypatch, highlighting, "_load")
    view = make_view([Entry(id="a", role=Role.ASSISTANT, blocks=(Text("```python\nx = 1\n```"),))])
    qtbot.waitUntil(lambda: bool(cards(view)) and not view.idle.is_active)
    assert loaded.calls == 0
    (card,) = cards(view)
    (code,) = card.pending()
    while not code.highlighting.is_done:
        view.idle.run(1)
    assert loaded.calls == 1


def test_the_lines_of_a_text_are_counted_once_for_its_estimates(theme: Theme) -> None:
    class Watched(str):
        __slots__ = ("counts",)
        counts: int

        def count(self, *arguments: Any) -> int:
            self.counts += 1
            return super().count(*arguments)

    text = Watched("a line\n" * 100)
    text.counts = 0
    part = LongText(CardStyle(theme, lambda _digest: None), text, lambda _text: [])
    heights = [part.place(0, 0, width, []) for width in (300, 600, 300)]
    assert text.counts == 1
    assert heights[0] == heights[2] > heights[1]


def test_of_many_pictures_only_those_in_sight_are_read_and_each_once(make_view: MakeView) -> None:
    made = [picture(600, 400, at) for at in range(PICTURES)]
    digests = [hashlib.sha256(content).hexdigest() for content in made]
    images = tuple(Image("image/png", digest, 1) for digest in digests)
    pages = FakePages([Entry(id="a", role=Role.ASSISTANT, blocks=images)], dict(zip(digests, made, strict=True)))
    heads: list[str] = []
    read = pages.blob_head

    def blob_head(digest: str, size: int) -> bytes | None:
        heads.append(digest)
        return read(digest, size)

    pages.blob_head = blob_head  # type: ignore[method-assign]  # counts the calls
    view = make_view(pages.entries, pages=pages)
    view.scroll_to_end()
    settle(view)
    assert 0 < len(heads) < PICTURES / 2
    view.scroll_by(-100_000)
    settle(view)
    card = cards(view)[0]
    view._cards._drop(card.key)
    view._arrange()
    settle(view)
    assert len(heads) == len(set(heads))


def test_a_picture_that_just_fits_is_not_laid_out_for_ever(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scroll bar that came and went made the picture smaller and larger, and the bar unnecessary and necessary."""
    content = picture(1200, 900, 1)
    digest = hashlib.sha256(content).hexdigest()
    entries = [Entry(id="a", role=Role.ASSISTANT, blocks=(Image("image/png", digest, 1),))]
    view = make_view(entries, pages=FakePages(entries, {digest: content}))
    bar, width = view.verticalScrollBar(), view.viewport().width()
    resized: list[int] = []
    monkeypatch.setattr(view, "_reestimate", lambda: resized.append(view.viewport().width()))
    for height in range(bar.maximum() + view.height() - 20, bar.maximum() + view.height() + 20, 2):
        view.resize(view.width(), height)
        settle(view)
    assert resized == []
    assert view.viewport().width() == width
    assert bar.maximum() == 0
    assert bar.isVisible()
    right = QRect(view.viewport().width(), 0, view.width() - view.viewport().width(), view.height())
    strip = view.grab(right).toImage()  # where a bar would be
    assert len({strip.pixel(x, y) for x in range(strip.width()) for y in range(0, strip.height(), 10)}) == 1


def test_a_turn_that_has_painted_for_long_lays_out_little(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    for module in (idle, turns):
        monkeypatch.setattr(module, "thread_time", lambda: clock[0])
    allowance = LayoutAllowance(parent := QObject())
    assert allowance.until() == 100.0 + LAYING_OUT
    clock[0] += 1
    allowance._turn._begin()
    clock[0] += TURN - LAYING_OUT / 2
    assert allowance.until() == 101.0 + TURN
    allowance._turn._begin()
    clock[0] += 1
    assert allowance.until() == clock[0] + LEAST
    del parent


def _long_view(make_view: MakeView, text: str) -> TranscriptView:
    """A view of a session whose second entry is a text."""
    entries = [
        Entry(id="a", role=Role.USER, blocks=(Text("Go on."),)),
        Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(Text(text),)),
        Entry(id="c", parent="b", role=Role.USER, blocks=(Text("Thanks."),)),
    ]
    view = make_view(entries)
    settle(view)
    return view


def test_a_match_in_a_long_card_reads_its_entry_once(make_view: MakeView, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question about the card read the entry anew, four times in one turn."""
    view = _long_view(make_view, "# heading\n" * 20_000 + "needle")
    read = Counted(monkeypatch, PageCache, "uncut")
    view.finding.mark(text_needle("needle"))
    for _ in range(3):
        view.finding.go(1)
    assert view.finding.is_marked
    assert read.calls == 1


def test_a_match_in_a_long_card_is_gone_to_over_several_turns(
    make_view: MakeView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_walk, "SECONDS", 0)
    view = _long_view(make_view, "A line.\n\n" * 10_000 + "needle")
    view.finding.mark(text_needle("needle"))
    numbers = list[int]()
    view.finding.go_in_turns(1, numbers.append)
    assert not numbers
    qtbot.waitUntil(lambda: bool(numbers))
    assert view.finding.is_marked
    view.finding.go_in_turns(1, numbers.append)
    view.finding.finish()  # F3 in the next moment
    assert (len(numbers), view.finding.is_marked) == (2, True)
    view.finding.go_in_turns(1, numbers.append)
    view.finding.stop()
    qtbot.wait(0)
    assert len(numbers) == 2
    view.finding.go_in_turns(0, numbers.append)
    assert len(numbers) == 3, "a short card takes one turn"


def test_a_searched_card_that_is_laid_out_meanwhile_is_searched_to_the_end(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layout may release texts that are far from the view, in which the match is looked for."""
    monkeypatch.setattr(cards_module, "MOST_STEPS", 3)
    monkeypatch.setattr(cards_module, "MOST_REALISED", 1)
    view = _long_view(make_view, json.dumps([{"id": at} for at in range(12_000)]) + " needle")
    view.finding.mark(text_needle("needle"))
    view.finding.go(1)
    card = max(cards(view), key=lambda card: card.height())
    looking, steps = card.looking(), 0
    for _ in looking:
        card.lay_out(card.width(), 0, 300)
        steps += 1
    assert steps <= 3
    assert card.next_match() is not None


def test_the_texts_of_a_long_card_are_written_once_to_number_its_matches(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To parse and print the arguments of a call of a megabyte takes longer than a step may."""
    view = _long_view(make_view, "needle " * 40_000)
    written = Counted(monkeypatch, match_stops_module, "texts_of")
    view.finding.mark(text_needle("needle"))
    view.finding.go(1)
    assert [view.finding.step(1, 40_000) for _ in range(3)] == [1, 2, 3]
    assert written.calls == 1


def test_texts_far_from_the_view_are_released_in_several_turns(
    make_view: MakeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To free the documents of a hundred texts takes 10 ms."""
    monkeypatch.setattr(cards_module, "MOST_REALISED", 0)
    view = _long_view(make_view, "A line.\n\n" * 4_000)
    card = max(cards(view), key=lambda card: card.height())
    card.lay_out(card.width(), 0, 1_000_000, until=inf)
    released, past = Counted(monkeypatch, LongText, "retire"), -1.0
    for count in (1, 2):
        card.lay_out(card.width(), 2_000_000, 2_000_100, until=past)
        assert released.calls == count
    card.lay_out(card.width(), 2_000_000, 2_000_100, until=inf)
    assert released.calls > 10


def test_a_match_in_a_text_that_arrives_is_gone_to_in_later_turns(
    make_view: MakeView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To lay out the card, to number its matches and to show one of them in one turn took longer than a frame."""
    text, matches = "needle in a line\n" * 30_000, 30_000
    view = _long_view(make_view, text)
    view.finding.mark(text_needle("needle"))
    view.finding.go(1, last=True, count=matches)
    assert view.unread(1) == [1]
    numbered = Counted(monkeypatch, match_stops_module.CardMatches, "stops")
    view.show_whole(1, {1: Body(1, (Text(text),))})
    assert view.finding.is_going
    assert not numbered.calls, "not in the turn that lays out the card"
    qtbot.waitUntil(lambda: not view.finding.is_going)
    assert view.finding.is_marked

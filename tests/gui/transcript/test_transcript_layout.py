"""Where cards stand while heights change under them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.tree import Tree
from stemmata.gui.core.shown_path import TreePath
from stemmata.gui.transcript.layout import CardInSight, MeasuredCard, TranscriptLayout
from stemmata.gui.transcript.model import TranscriptModel
from tests.fakes.conversation import chain, user

VIEW, SPACE = 300, 14


@dataclass
class Ruler:
    """Cards of given true heights; each is first estimated to be 100 high."""

    heights: list[int]
    seen: list[int] = field(default_factory=list)

    def measure(self, model: TranscriptModel, at: int, sight: CardInSight) -> MeasuredCard:
        self.seen.append(at)
        model.measured(at, self.heights[at])
        return MeasuredCard(self.heights[at], sight.keep)


def laid_out(heights: list[int]) -> tuple[TranscriptLayout, Ruler]:
    tree = Tree.from_entries(chain([user("x") for _ in heights]))
    model = TranscriptModel(TreePath(tree, tree.path(len(heights) - 1)), lambda _shape, _place: 100)
    ruler = Ruler(heights)
    return TranscriptLayout(model, ruler.measure, height=VIEW, end_space=SPACE), ruler


def is_sound(layout: TranscriptLayout, heights: list[int]) -> bool:
    """Return whether the cards have no gaps and cover the view, or start at its top when they are few."""
    placed = layout.placed
    joined = all(one.y + one.height == two.y and one.at + 1 == two.at for one, two in pairwise(placed))
    known = all(card.height == heights[card.at] for card in placed)
    last = placed[-1]
    covers = last.y + last.height + SPACE >= VIEW or (
        last.at == len(heights) - 1 and placed[0].at == placed[0].y == 0
    )
    return joined and known and placed[0].y <= 0 and covers


card_heights = st.lists(st.integers(1, 900), min_size=1, max_size=60)


@given(card_heights, st.lists(st.integers(-1500, 1500), max_size=12))
def test_scrolling_keeps_the_view_covered(heights: list[int], steps: list[int]) -> None:
    layout, _ = laid_out(heights)
    layout.go_to_end()
    layout.arrange()
    assert layout.at_end
    for step in steps:
        layout.scroll_by(step)
        layout.arrange()
        assert is_sound(layout, heights)


@given(card_heights, st.integers(-400, 400), st.data())
def test_scrolling_moves_what_is_seen_by_just_as_much(heights: list[int], step: int, data: st.DataObject) -> None:
    layout, _ = laid_out(heights)
    layout.go_to(data.draw(st.integers(0, len(heights) - 1)))
    layout.arrange()
    before = {card.at: card.y for card in layout.placed}
    layout.scroll_by(step)
    layout.arrange()
    moved = {before[card.at] - card.y for card in layout.placed if card.at in before}
    at_an_edge = layout.at_end or (layout.at == 0 and layout.offset == 0)
    assert len(moved) <= 1
    assert not moved or at_an_edge or moved == {step}


@given(card_heights)
def test_scrolling_up_from_the_end_arrives_at_the_start(heights: list[int]) -> None:
    layout, ruler = laid_out(heights)
    layout.go_to_end()
    layout.arrange()
    for _ in range(sum(heights) // 100 + 1):
        layout.scroll_by(-100)
        layout.arrange()
    assert (layout.at, layout.offset) == (0, 0)
    assert set(ruler.seen) == set(range(len(heights)))
    assert layout.total == sum(heights) + SPACE


@given(card_heights, st.integers(-100, 70_000))
def test_jumping_to_a_height_shows_what_is_thought_to_be_there(heights: list[int], y: int) -> None:
    layout, ruler = laid_out(heights)
    layout.go_to_y(y)
    layout.arrange()
    assert is_sound(layout, heights)
    assert len(set(ruler.seen)) <= VIEW + 2


def test_correcting_heights_above_moves_nothing() -> None:
    layout, _ = laid_out([50] * 100)
    layout.go_to(60, 20)
    layout.arrange()
    before = list(layout.placed)
    for at in range(50):
        layout.model.measured(at, 500)
    layout.arrange()
    assert layout.placed == before
    assert layout.top == layout.model.heights.top(60) + 20


def test_only_what_is_in_sight_is_measured() -> None:
    layout, ruler = laid_out([60] * 10_000)
    layout.go_to(5000)
    layout.arrange()
    assert len(ruler.seen) <= VIEW // 60 + 1


def test_too_little_to_fill_the_view_stands_at_its_top() -> None:
    layout, _ = laid_out([50, 60])
    layout.go_to_end()
    layout.arrange()
    assert [card.y for card in layout.placed] == [0, 50]
    assert layout.at_end


def test_no_cards_at_all() -> None:
    layout, _ = laid_out([])
    layout.go_to_end()
    layout.go_to_y(100)
    layout.scroll_by(-10)
    layout.arrange()
    assert layout.placed == []
    assert layout.at_end
    assert layout.top == 0


def test_a_view_without_height_keeps_what_is_to_be_read() -> None:
    layout, _ = laid_out([100] * 20)
    layout.go_to(12)
    layout.height = 0
    layout.arrange()
    assert layout.placed == []
    layout.height = VIEW
    layout.arrange()
    assert layout.placed[0].at == 12

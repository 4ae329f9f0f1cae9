"""Cards that there is no time for: placeholders stand for them until they are built, and what is read stays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import CardContent, CardMarks
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.core.actions import ColumnKeys
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript import view as transcript_view
from stemmata.gui.transcript.view import TranscriptView
from tests.fakes.conversation import talk
from tests.fakes.transcripts import cards, is_joined, places, said, settle, show_path

MakeView = Callable[..., TranscriptView]
A_FRAME = 3  # cards


class CardClock:
    """A clock by which each card that is built takes a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.built: list[int] = []
        show = Card.show_content

        def counted(card: Card, style: CardStyle, content: CardContent, marks: CardMarks) -> None:
            self.built.append(content.entry.row.key)
            show(card, style, content, marks)

        monkeypatch.setattr(Card, "show_content", counted)
        monkeypatch.setattr("stemmata.gui.transcript.card_pool.thread_time", self.now)

    def now(self) -> float:
        return float(len(self.built))

    def take(self) -> list[int]:
        """Return the keys of the cards that were built since the last call."""
        built, self.built = self.built, []
        return built


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> CardClock:
    monkeypatch.setattr(transcript_view, "BUILD_SECONDS", A_FRAME)
    monkeypatch.setattr(transcript_view, "LATE_BUILD_SECONDS", 1)
    return CardClock(monkeypatch)


@pytest.fixture
def view(make_view: MakeView, clock: CardClock) -> TranscriptView:
    view = make_view(talk(300))
    settle(view)
    clock.take()
    return view


def jump(view: TranscriptView, share: float) -> None:
    bar = view.verticalScrollBar()
    bar.setValue(round(bar.maximum() * share))


def late(view: TranscriptView) -> None:
    """Take one turn of the late building."""
    view.idle.run(0)


def show_all(view: TranscriptView) -> None:
    while waits(view):
        late(view)


def blanks(view: TranscriptView) -> list[tuple[int, int]]:
    return [(place.y(), place.y() + place.height()) for place in view.placeholders.places]


def waits(view: TranscriptView) -> bool:
    return not view.is_settled


def seen(view: TranscriptView) -> QImage:
    return view.viewport().grab().toImage()


def test_a_jump_builds_as_many_cards_as_a_frame_has_time_for(view: TranscriptView, clock: CardClock) -> None:
    jump(view, 0.5)
    built = clock.take()
    assert len(built) == A_FRAME
    assert built == view.visible_keys[:A_FRAME]  # from the reading position downwards
    assert waits(view)
    for _ in range(len(view.visible_keys)):
        if not waits(view):
            break
        late(view)
        assert len(clock.take()) == 1
    assert not waits(view)
    assert blanks(view) == []
    assert [card.key for card in cards(view)] == view.visible_keys
    assert is_joined(view)


def test_placeholders_and_cards_cover_the_view(view: TranscriptView) -> None:
    jump(view, 0.3)
    places_of = [(card.y(), card.y() + card.height()) for card in cards(view)] + blanks(view)
    assert len(blanks(view)) >= 2
    for one, two in pairwise(sorted(places_of)):
        assert one[1] == two[0]
    assert min(places_of)[0] <= 0
    assert max(places_of)[1] >= view.viewport().height() - 20


def test_a_jump_ends_where_it_would_end_with_all_cards_built_at_once(
    view: TranscriptView, monkeypatch: pytest.MonkeyPatch
) -> None:
    jump(view, 0.6)
    settle(view)
    key, offset = view.place or (0, 0)
    late_places, late_words = places(view), said(view)
    jump(view, 0.1)
    settle(view)
    view.show_place(key, offset)
    assert places(view) == late_places
    assert said(view) == late_words


@pytest.mark.parametrize("dy", [-900, -590, -300, 300, 900])
def test_late_cards_do_not_move_what_is_read(view: TranscriptView, monkeypatch: pytest.MonkeyPatch, dy: int) -> None:
    jump(view, 0.5)
    show_all(view)
    monkeypatch.setattr(transcript_view, "BUILD_SECONDS", 1)
    known = set(view.visible_keys)
    view.scroll_by(dy)
    assert waits(view)
    shown = [card for card in cards(view) if card.geometry().bottom() > 0]
    read = next((card for card in shown if card.key in known), shown[0]) if dy > -600 else shown[0]
    key, y = read.key, read.y()
    while waits(view):
        late(view)
        assert places(view)[key] == y
    assert is_joined(view)
    assert cards(view)[0].y() <= 0


def test_steps_of_the_wheel_find_their_cards_built(view: TranscriptView, clock: CardClock) -> None:
    jump(view, 0.5)
    settle(view)
    for dy in (-90, 90):
        for _ in range(20):
            view.scroll_by(dy)
            assert not waits(view)
            settle(view)


def test_a_session_that_is_opened_builds_its_last_cards_first(view: TranscriptView, clock: CardClock) -> None:
    """All cards in view took longer than a frame together with what else the window shows."""
    with view.arranged_once():
        view.show_tail(range(200, 240))
    built = clock.take()
    assert built[0] == 239
    assert len(built) <= A_FRAME + 1
    assert waits(view)
    show_all(view)
    assert is_joined(view)
    assert cards(view)[-1].key == 239


def test_cards_that_were_shown_a_moment_ago_are_not_built_again(view: TranscriptView, clock: CardClock) -> None:
    jump(view, 0.5)
    show_all(view)
    before = places(view), said(view)
    view.scroll_by(500)
    show_all(view)
    clock.take()
    view.scroll_by(-500)
    assert not waits(view)
    assert clock.take() == []
    assert (places(view), said(view)) == before


def test_free_cards_forget_what_would_be_shown_otherwise(
    view: TranscriptView, clock: CardClock, theme: Theme
) -> None:
    jump(view, 0.5)
    show_all(view)
    keys = view.visible_keys
    changes: tuple[Callable[[], object], ...] = (
        lambda: theme.set_scheme("light"),
        lambda: theme.set_scale(110),
        lambda: view.open_tools(on=True),
        view.card_cursor.unfold_thoughts,
        lambda: view.set_folder("/elsewhere"),
        lambda: view.show_whole(keys[0], {}),
    )
    for change in changes:
        view.show_place(keys[0], 0)
        view.scroll_by(500)
        show_all(view)
        change()
        show_all(view)
        clock.take()
        view.show_place(keys[0], 0)
        assert keys[0] in clock.take()


def test_the_next_cards_in_the_direction_of_the_scrolling_are_built_first(
    view: TranscriptView, clock: CardClock
) -> None:
    for share, dy in ((0.5, 1), (0.4, -1)):
        jump(view, share)
        show_all(view)
        view.scroll_by(dy)
        show_all(view)
        clock.take()
        view.idle.run(0)
        [built] = clock.take()
        assert built > view.visible_keys[-1] if dy > 0 else built < view.visible_keys[0]


def test_whoever_names_an_entry_sees_it_at_once(view: TranscriptView, clock: CardClock) -> None:
    ways: tuple[Callable[[], object], ...] = (
        lambda: view.scroll_to(400),
        lambda: view.show_place(700, 10),
        view.card_cursor.home,
        view.card_cursor.end,
        view.scroll_to_end,
    )
    for go in ways:
        jump(view, 0.5)
        go()
        assert not waits(view)
        assert blanks(view) == []
        assert [card.key for card in cards(view)] == view.visible_keys
        assert is_joined(view)


def test_a_match_is_marked_at_once(view: TranscriptView) -> None:
    jump(view, 0.5)
    assert waits(view)
    at = view.finding.position(403)
    assert at is not None
    view.finding.go(at)
    assert not waits(view)
    assert 403 in places(view)


def test_a_tree_that_arrives_builds_as_many_cards_as_a_frame_has_time_for(
    view: TranscriptView, clock: CardClock
) -> None:
    for share in (0.1, 0.3, 0.2):  # the cards of the end are used for others
        jump(view, share)
        show_all(view)
    clock.take()
    with view.arranged_once():
        show_path(view, talk(300))
        view.show_place(700, 5)
    assert clock.take() == view.visible_keys[:A_FRAME]
    assert waits(view)
    show_all(view)
    assert view.place == (view.visible_keys[0], 5)
    with view.arranged_once():
        view.show_place(1190, 5)
    assert waits(view)
    show_all(view)
    assert is_joined(view)
    assert not view.follows_end  # the end is in view, but nobody scrolled to it


def test_a_jump_to_the_end_follows_the_end(view: TranscriptView) -> None:
    jump(view, 0.5)
    jump(view, 1)
    settle(view)
    assert view.follows_end
    last = cards(view)[-1]
    assert last.key == view.visible_keys[-1] == len(talk(300)) - 1
    assert last.geometry().bottom() < view.viewport().height()


def test_a_placeholder_is_painted_until_its_card_is_there(view: TranscriptView, theme: Theme) -> None:
    jump(view, 0.5)
    before = seen(view)
    grey, ground = (theme.color(name).name() for name in ("hover", "bg"))
    top, bottom = blanks(view)[0]
    middle = view.viewport().width() // 4

    def colours(image: QImage) -> set[str]:
        return {image.pixelColor(middle, y).name() for y in range(max(top, 0), min(bottom, image.height()))}

    assert colours(before) == {grey, ground}
    settle(view)
    assert colours(seen(view)) != {grey, ground}


def test_keys_act_while_cards_are_missing(view: TranscriptView) -> None:
    view.use_keys(ColumnKeys())
    jump(view, 0.5)
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.selection.is_wide
    settle(view)
    assert all(card.selection.text() for card in cards(view) if card.parts)


def test_a_higher_view_builds_as_many_cards_as_a_frame_has_time_for(view: TranscriptView, clock: CardClock) -> None:
    """All twelve cards of a workbench that was opened were built in the turn that laid it out: 15 ms."""
    jump(view, 0.5)
    settle(view)
    clock.take()
    view.resize(view.width(), 4 * view.height())
    assert len(clock.take()) <= A_FRAME
    assert waits(view)
    show_all(view)
    assert is_joined(view)
    assert blanks(view) == []

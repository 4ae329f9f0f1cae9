"""Which entries of a path have a card, which are folded into another's, and what is kept when the path changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import indexOf

import pytest
from hypothesis import given

from stemmata.domain.context.projection import Fate, context_at
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.growing import numbers
from stemmata.domain.entries.tree import Tree
from stemmata.gui.core import shown_path
from stemmata.gui.core.shown_path import EntryAppearance, Marks, PathShape, TailPath, TreePath, common_length
from stemmata.gui.transcript import model as transcript
from stemmata.gui.transcript.model import BLOCK, TranscriptModel
from tests import strategies
from tests.fakes.conversation import assistant, call, chain, compaction, result, talk, user
from tests.fakes.pages import FakePages


def estimate(shape: PathShape, place: int) -> int:
    return 10 if place == EntryAppearance.FOLDED else 100 + shape.text // 10


def model_of(entries: list[Entry], known: TranscriptModel | None = None) -> TranscriptModel:
    tree = Tree.from_entries(entries)
    return TranscriptModel(TreePath(tree, tree.path(len(entries) - 1)), estimate, known)


def places(model: TranscriptModel) -> list[EntryAppearance]:
    return [model.appearance(at) for at in range(len(model))]


def test_results_are_folded_into_the_card_of_their_call() -> None:
    entries = [
        user("go"),
        assistant("so", call("a"), call("b")),
        result("a"),
        result("b"),
        assistant("done"),
        user("x"),
    ]
    model = model_of(chain(entries))
    assert places(model) == [
        EntryAppearance.CARD,
        EntryAppearance.CARD,
        EntryAppearance.FOLDED,
        EntryAppearance.FOLDED,
        EntryAppearance.CONTINUED,
        EntryAppearance.CARD,
    ]
    assert model.answers(1) == [2, 3]
    assert model.answers(0) == []
    assert model.card_of(3) == 1
    assert model.after(1) == 4
    assert model.before(4) == 1
    assert model.after(5) is None
    assert model.before(0) is None


def test_a_result_without_a_call_has_a_card() -> None:
    model = model_of(chain([result("a"), user("go"), result("b"), assistant("no calls"), result("c")]))
    assert places(model) == [EntryAppearance.CARD] * 5


def test_bookkeeping_has_no_card() -> None:
    name = Entry(id="", kind=Kind.SESSION_INFO, name="x")
    hidden = Entry(id="", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, flags=Flag.HIDDEN)
    change = Entry(id="", kind=Kind.MODEL_CHANGE, model="m")
    model = model_of(chain([name, assistant("a", call("a")), name, result("a"), hidden, change, assistant("b")]))
    hid = EntryAppearance.HIDDEN
    assert places(model) == [
        hid,
        EntryAppearance.CARD,
        hid,
        EntryAppearance.FOLDED,
        hid,
        EntryAppearance.CARD,
        EntryAppearance.CARD,
    ]
    assert model.answers(1) == [3]
    assert model.card_of(0) == 1
    assert model.card_of(4) == 1


def test_a_path_without_any_card() -> None:
    model = model_of(chain([Entry(id="", kind=Kind.SESSION_INFO, name="x")]))
    assert model.card_of(0) is None
    assert model.heights.total == 0
    assert model.card_of(7) is None
    assert model_of([]).card_of(0) is None


def test_folded_results_add_to_their_card() -> None:
    model = model_of(chain([assistant("", call("a"), call("b")), result("a"), result("b")]))
    model.appearance(0)
    assert [model.heights[at] for at in range(3)] == [120, 0, 0]


@given(strategies.entry_lists(min_size=1, max_size=30, damaged=True))
def test_every_entry_has_one_place_whatever_block_is_looked_at_first(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    path = tree.path(len(entries) - 1)
    forward = TranscriptModel(TreePath(tree, path), estimate)
    assert all(place != EntryAppearance.UNKNOWN for place in places(forward))
    for at in range(len(forward)):
        card = forward.card_of(at)
        if forward.appearance(at) == EntryAppearance.FOLDED:
            assert card is not None
            assert at in forward.answers(card)
        if card is not None:
            assert forward.has_card(card)


def test_blocks_agree_wherever_one_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = talk(300)
    whole = places(model_of(entries))
    monkeypatch.setattr(transcript, "BLOCK", 7)
    model = model_of(entries)
    assert [model.appearance(at) for at in reversed(range(len(model)))] == whole[::-1]


def test_looking_further_comes_to_an_end() -> None:
    model = model_of(talk(BLOCK))
    count = 0
    while model.search_further():
        count += 1
    assert count == 4
    exact = model.heights.total
    assert all(model.has_card(at) or not model.heights[at] for at in range(len(model)))
    assert not model.search_further()
    assert model.heights.total == exact


class CountedPath(TreePath):
    """Notes how many entries were read at a time."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree, tree.path(len(tree) - 1))
        self.asked: list[int] = []

    def shapes(self, start: int, stop: int) -> Sequence[PathShape]:
        self.asked.append(stop - start)
        return super().shapes(start, stop)


def test_a_look_further_reads_few_entries() -> None:
    """The search runs between two frames."""
    path = CountedPath(Tree.from_entries(talk(2000)))
    model, asked = TranscriptModel(path, estimate), path.asked
    asked.clear()
    steps = 0
    while model.search_further():
        steps += 1
        assert sum(asked) <= 2 * BLOCK
        asked.clear()
    assert steps == -(-len(model) // BLOCK)


def test_the_first_guess_is_near() -> None:
    model = model_of(talk(2000))
    guess = model.heights.total
    while model.search_further():
        pass
    assert guess == pytest.approx(model.heights.total, rel=0.1)


def test_what_was_measured_is_kept_on_the_common_part() -> None:
    entries = talk(BLOCK)
    first = model_of(entries[: 3 * BLOCK])
    first.measured(5, 777)
    second = model_of(entries, first)
    assert second.heights[5] == 777
    assert second.appearance(5) == first.appearance(5)
    other = model_of([replace(entries[0], id="e0"), *entries[1:10]], first)
    assert other.heights[5] != 777  # shorter than a block: measured again


def test_a_path_that_goes_on_is_not_estimated_anew() -> None:
    entries = talk(4_000)
    known, estimated = model_of(entries[:-3]), list[PathShape]()

    def counted(shape: PathShape, place: int) -> int:
        estimated.append(shape)
        return estimate(shape, place)

    tree = Tree.from_entries(entries)
    model = TranscriptModel(TreePath(tree, tree.path(len(entries) - 1)), counted, known)
    assert not estimated
    model.appearance(len(entries) - 1)
    assert len(estimated) <= BLOCK
    short = TranscriptModel(TreePath(tree, tree.path(len(entries) - 1)), counted, model_of(entries[:100]))
    assert short.heights.total == pytest.approx(model.heights.total, rel=0.1)


def test_another_width_estimates_few_entries() -> None:
    """It happens between two frames, such as when the workbench opens."""
    estimated = list[PathShape]()

    def counted(shape: PathShape, place: int) -> int:
        estimated.append(shape)
        return estimate(shape, place)

    model = model_of(talk(4000))
    model.estimate_anew(counted)
    assert 0 < len(estimated) < 1000
    guess = model.heights.total
    while model.search_further():
        pass
    assert guess == pytest.approx(model.heights.total, rel=0.1)


def test_another_width_reads_no_entry() -> None:
    """A model that was made anew for each width read 2,000 entries, which took half a frame."""
    path = CountedPath(Tree.from_entries(talk(2000)))
    model, asked = TranscriptModel(path, estimate), path.asked
    model.measured(5, 777)
    before = model.heights.total
    asked.clear()
    model.estimate_anew(lambda shape, place: 2 * estimate(shape, place))
    assert not asked
    assert model.heights.total == pytest.approx(2 * before, rel=0.1)
    assert model.appearance(5) is EntryAppearance.CARD
    assert model.heights[5] != 777


def test_a_path_that_has_grown_much_is_sampled_again() -> None:
    """A session that was opened when it was short and then grew has other entries than its first ones."""
    entries = chain([*(user("a") for _ in range(40)), *(assistant("", call("a")) for _ in range(4000))])

    def other(shape: PathShape, place: int) -> int:
        return 900 if shape.calls else estimate(shape, place)

    model = model_of(entries[:40])
    for count in (60, 100, 180, 300, 500, 900, 1600, 3000, len(entries)):  # each more than half known
        model = model_of(entries[:count], model)
    model.estimate_anew(other)
    assert model.heights.total == pytest.approx(900 * 4000, rel=0.1)


def test_common_length() -> None:
    tree = Tree.from_entries(chain([user("a"), user("b"), user("c"), user("d", parent="e1"), user("e")]))
    one, two = TreePath(tree, tree.path(2)), TreePath(tree, tree.path(4))
    assert common_length(one, two) == 2
    assert common_length(one, one) == 3
    assert common_length(one, TailPath([])) == 0


def test_a_path_is_not_looked_through_for_an_entry_that_it_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """To show a branch of 334,000 entries, entries of the branch before were looked for twelve times: 73 ms."""
    tree = Tree.from_entries(chain([user("a"), user("b"), user("c"), user("d", parent="e1"), user("e")]))
    looked: list[int] = []

    def look(path: Sequence[int], entry: int) -> int:
        looked.append(entry)
        return indexOf(path, entry)

    monkeypatch.setattr(shown_path, "indexOf", look)
    path = TreePath(tree, tree.path(4))
    assert [path.position(key) for key in tree.columns.key] == [0, 1, None, 2, 3]
    assert TreePath(tree, tree.path(None)).position(1) is None
    assert looked == []
    late = Tree(replace(tree.columns, parent=numbers("i", [-1, 3, 0, 0, 1])))  # a parent that was written later
    path = TreePath(late, late.path(4))
    assert [path.position(key) for key in late.columns.key] == [0, 2, None, 1, 3]
    assert looked


def test_marks_of_a_tree() -> None:
    entries = chain([user("a"), assistant("b"), user("one"), user("two", parent="e1"), user("three", parent="e1")])
    entries += [
        Entry(id="l", parent="e3", kind=Kind.LABEL, target="e3", name="good"),
        Entry(id="p", parent="e3", kind=Kind.PIN, target="e3"),
    ]
    tree = Tree.from_entries(entries)
    path = TreePath(tree, tree.path(3), context_at(tree, 3))
    marks = path.marks(2)
    assert (marks.label, marks.pinned, marks.place, marks.siblings) == ("good", True, 2, 3)
    assert marks.fate is not None
    assert marks.fate.fate is Fate.SENT
    assert path.position(3) == 2
    assert path.position(4) is None
    assert path.position(99) is None
    assert TreePath(tree, tree.path(3)).marks(0).fate is None
    assert TreePath(tree, tree.path(3), context_at(tree, 0)).marks(2).fate is None


def test_a_summarised_entry_names_its_compaction_in_its_fate() -> None:
    tree = Tree.from_entries(chain([user("a"), user("b"), compaction("s", "e1"), user("c")]))
    path = TreePath(tree, tree.path(3), context_at(tree, 3))
    summarised, sent = path.marks(0).fate, path.marks(3).fate
    assert summarised is not None
    assert sent is not None
    assert (summarised.by, sent.by) == (2, None)


def test_paths_that_do_not_ascend() -> None:
    tree = Tree.from_entries([user("child", parent="b"), user("other")])
    late = Tree.from_entries([replace(user("child"), id="a", parent="b"), replace(user("parent"), id="b")])
    path = TreePath(late, late.path(0))
    assert list(path.path) == [1, 0]
    assert [path.position(key) for key in (0, 1)] == [1, 0]
    assert path.shapes(0, 2)[0] == path.shapes(0, 1)[0]
    assert path.shapes(5, 9) == []
    assert TreePath(tree, numbers("i", [0])).position(1) is None


def test_a_tail_is_known_by_its_rows() -> None:
    entries = talk(2)
    rows = list(FakePages(entries).rows(range(8)).values())
    path = TailPath(rows)
    model = TranscriptModel(path, estimate)
    assert places(model) == places(model_of(entries))
    assert path.key(3) == 3
    assert path.position(3) == 3
    assert path.position(99) is None
    assert path.marks(0) == Marks()

"""Results stand in the card of their call, wherever in the run of replies they came; none is shown twice or lost."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.gui.core.pages import PageCache
from stemmata.gui.core.shown_path import EntryAppearance, TreePath
from stemmata.gui.transcript.card_pool import NEAR, answers_of, results_near
from stemmata.gui.transcript.model import TranscriptModel
from tests.fakes.conversation import assistant, call, chain, result, user
from tests.fakes.pages import FakePages


def shown(entries: list[Entry]) -> dict[int, list[int]]:
    """Return the positions of the results shown in each card."""
    model, pages = of(entries)
    cache = PageCache(pages)
    cards = (at for at in range(len(model)) if model.has_card(at))
    return {at: [answer.row.key for answer in answers_of(model, at, cache)] for at in cards}


def of(entries: list[Entry]) -> tuple[TranscriptModel, FakePages]:
    entries = chain(entries)
    tree = Tree.from_entries(entries)
    model = TranscriptModel(TreePath(tree, tree.path(len(entries) - 1)), lambda _shape, _place: 20)
    return model, FakePages(entries)


def test_calls_at_once_get_their_own_results() -> None:
    entries = [
        user("go"), assistant(call("a")), assistant(call("b")), assistant(call("c")),
        result("b"), result("a"), result("c"), assistant("done"),
    ]  # fmt: skip
    assert shown(entries) == {0: [], 1: [5], 2: [4], 3: [6], 7: []}


def test_a_result_that_nobody_called_for_stays_where_it_is() -> None:
    entries = [user("go"), assistant(call("a")), assistant(call("b")), result("x"), result("b")]
    assert shown(entries) == {0: [], 1: [], 2: [3, 4]}


def test_another_turn_takes_nothing() -> None:
    entries = [user("go"), assistant(call("a")), user("stop"), assistant(call("b")), result("a"), result("b")]
    assert shown(entries) == {0: [], 1: [], 2: [], 3: [4, 5]}


def test_an_id_that_is_used_again_belongs_to_the_last_call() -> None:
    entries = [user("go"), assistant(call("a")), assistant(call("a")), result("a"), assistant(call("a")), result("a")]
    assert shown(entries) == {0: [], 1: [], 2: [3], 4: [5]}


def test_a_result_far_away_stays_where_it_is() -> None:
    between = [assistant(call(f"b{at}")) for at in range(NEAR)]
    entries = [user("go"), assistant(call("a")), *between, result("a")]
    found = shown(entries)
    assert found[1] == []
    assert found[NEAR + 1] == [NEAR + 2]


def test_a_result_that_comes_makes_the_card_of_its_call_another() -> None:
    entries = [user("go"), assistant(call("a")), assistant(call("b")), result("b")]
    before, after = (results_near(of(told)[0], 1) for told in (entries, [*entries, result("a")]))
    assert (before, after) == (1, 2)


def test_what_is_in_order_reads_nothing_else() -> None:
    model, pages = of([user("go"), assistant(call("a")), result("a"), assistant(call("b")), result("b")])
    answers_of(model, 1, PageCache(pages))
    assert sum(count for _, count in pages.calls) == 4  # rows and bodies of the two


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=NEAR - 2))
def test_each_result_is_shown_once(moves: list[tuple[bool, int]]) -> None:
    entries = [user("go"), assistant(call("0"))]
    entries += [assistant(call(str(id))) if calls else result(str(id)) for calls, id in moves]
    model, _ = of(entries)
    folded = [at for at in range(len(model)) if model.appearance(at) == EntryAppearance.FOLDED]
    assert Counter(at for card in shown(entries).values() for at in card) == Counter(folded)

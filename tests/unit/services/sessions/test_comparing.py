from __future__ import annotations

import pytest

from stemmata.domain.compare.comparison import Comparison
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.figures import FigureKind
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import Change
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.sessions.comparing import MOST_OUTPUT, MOST_TEXT
from tests.unit.services.conftest import Bench, Records


@pytest.fixture
def forked(bench: Bench, talk: Records) -> SessionTree:
    return bench.imported(
        talk(
            "s", ("1", None, "user", "first"), ("2", "1", "assistant", "one"),
            ("3", "2", "user", "Port it, theming before wrapping"), ("4", "3", "call", "a.py"),
            ("5", "4", "toolResult", "text"),
            ("6", "5", "assistant", "two"), ("7", "6", "user", "go on"),
            ("8", "2", "user", "Port it, wrapping before theming"), ("9", "8", "assistant", "three"),
        )
    )  # fmt: skip


def compared(bench: Bench, session_tree: SessionTree, left: str | None, right: str | None) -> Comparison:
    ends = [None if id is None else bench.key(session_tree, id) for id in (left, right)]
    return bench.services.comparing.compare(session_tree.session.key, *ends).result()


def test_branches_are_compared_from_their_common_ancestor_on(bench: Bench, forked: SessionTree) -> None:
    found = compared(bench, forked, "7", "9")
    assert (bench.id_of(found.ancestor), found.origin) == ("2", "one")
    assert [bench.id_of(key) for row in found.rows if row.left for key in row.left.entries] == list("34567")
    assert [bench.id_of(key) for row in found.rows if row.right for key in row.right.entries] == list("89")
    assert (bench.id_of(found.left.end), bench.id_of(found.right.end)) == ("7", "9")
    assert found.rows[0].prompts.is_related
    assert [(use.path, int(use.left), int(use.right)) for use in found.files] == [("a.py", 1, 0)]


def test_the_origin_is_what_was_said_last(bench: Bench, talk: Records) -> None:
    lines = talk(
        "s", ("1", None, "user", "first"), ("2", "1", "assistant", "one"), ("4", "3", "user", "a"),
        ("5", "3", "user", "b"), ("8", "7", "user", "c"), ("9", "7", "user", "d"),
    )  # fmt: skip
    stamp: dict[str, object] = {
        "timestamp": "2026-01-01T00:00:09.000Z",
        "type": "thinking_level_change",
        "thinkingLevel": "medium",
    }
    lines.insert(3, stamp | {"id": "3", "parentId": "2"})
    lines.insert(6, stamp | {"id": "7", "parentId": None})
    forked = bench.imported(lines)
    found = compared(bench, forked, "4", "5")
    assert (bench.id_of(found.ancestor), found.origin) == ("3", "one")
    found = compared(bench, forked, "8", "9")
    assert (bench.id_of(found.ancestor), found.origin) == ("7", "")


def test_reported_tokens_stay_apart_from_estimates(bench: Bench, forked: SessionTree) -> None:
    found = compared(bench, forked, "6", "8")
    assert found.left.totals.tokens.kind is FigureKind.REPORTED  # the last reply's covers the call
    assert found.right.totals.tokens.kind is FigureKind.ESTIMATED
    assert compared(bench, forked, "6", "9").right.totals.tokens.kind is FigureKind.REPORTED


def test_the_sizes_around_a_compaction_are_known(bench: Bench, talk: Records) -> None:
    lines = talk(
        "s", ("1", None, "user", "first"), ("2", "1", "assistant", "long words " * 900),
        ("4", "c", "user", "go on"), ("5", "2", "user", "otherwise"),
    )  # fmt: skip
    lines.insert(3, {
        "type": "compaction", "id": "c", "parentId": "2", "timestamp": "2026-01-01T00:00:05.000Z",
        "summary": "Short.", "firstKeptEntryId": "2x", "tokensBefore": 3000,
    })  # fmt: skip
    tree = bench.imported(lines)
    found = compared(bench, tree, "4", "5")
    [(key, (before, after))] = found.sizes.items()
    assert bench.id_of(key) == "c"
    sizes = [one.categories[Category.ASSISTANT].value for one in (before, after)]
    assert sizes[0]
    assert not sizes[1]
    assert not before.largest
    assert compared(bench, tree, "5", "2").sizes == {}


def test_a_side_may_be_empty(bench: Bench, forked: SessionTree) -> None:
    found = compared(bench, forked, "7", "3")
    assert (bench.id_of(found.ancestor), bench.id_of(found.right.end)) == ("3", "3")
    assert found.right.turns == ()
    start = compared(bench, forked, None, "1")
    assert (start.ancestor, start.origin, start.left.end) == (None, "", None)


def test_labels_name_the_sides(bench: Bench, forked: SessionTree) -> None:
    bench.services.branching.label(forked.session.key, bench.key(forked, "9"), "wrap first").result()
    found = compared(bench, forked, "7", "9")
    assert (found.left.name, found.right.name) == ("Port it, theming before wrapping", "wrap first")


def test_what_cannot_be_compared_says_why(bench: Bench, forked: SessionTree) -> None:
    with pytest.raises(NothingToDoError, match="same branch"):
        compared(bench, forked, "7", "7")
    with pytest.raises(NotFoundError, match="no longer"):
        bench.services.comparing.compare(forked.session.key, bench.key(forked, "7"), 999).result()


def test_long_texts_are_shortened_and_that_is_said(bench: Bench, talk: Records) -> None:
    long = "word " * MOST_TEXT
    session_tree = bench.imported(
        talk("s", ("1", None, "user", long), ("2", "1", "call", "a"), ("3", "2", "toolResult", "x" * 3 * MOST_OUTPUT))
    )
    found = compared(bench, session_tree, "3", None)
    [turn] = found.left.turns
    assert len(turn.prompt) <= MOST_TEXT
    assert found.left.cut == len(long) - MOST_TEXT


def test_more_entries_than_a_page(bench: Bench, talk: Records) -> None:
    rows = [
        (str(at), str(at - 1) if at > 1 else None, "user" if at % 2 else "assistant", "t") for at in range(1, 150)
    ]
    session_tree = bench.imported(talk("s", *rows))
    assert compared(bench, session_tree, "149", "1").left.totals.turns == 75


def test_a_prompt_is_copied_to_the_end_of_the_other_branch(bench: Bench, forked: SessionTree) -> None:
    session, end = forked.session.key, bench.key(forked, "7")
    turn = compared(bench, forked, "7", "9").right.turns[0]
    position = bench.services.comparing.copy_turn(session, turn.entries, end, initiator="me").result()
    assert position.leaf is not None
    after = bench.reopened(forked)
    row = bench.services.entries.rows([position.leaf]).result()[position.leaf]
    body = bench.services.entries.bodies([position.leaf]).result()[position.leaf]
    assert (row.parent, row.preview, after.session.leaf) == (end, "Port it, wrapping before theming", position.leaf)
    assert body.details == '{"copied_from":"8"}'
    assert after.session.entries == forked.session.entries + 1
    published = bench.published[-1]
    assert published.what == Change.ENTRIES | Change.LEAF | Change.SESSIONS
    assert (published.session, published.entries, published.initiator) == (session, (position.leaf,), "me")
    assert bench.id_of(bench.services.histories.undo(session).result().leaf) == bench.id_of(forked.session.leaf)


def test_a_prompt_may_be_copied_to_the_start(bench: Bench, forked: SessionTree) -> None:
    session, key = forked.session.key, bench.key(forked, "3")
    position = bench.services.comparing.copy_turn(session, [key], None).result()
    assert position.leaf is not None
    assert bench.services.entries.rows([position.leaf]).result()[position.leaf].parent is None


def test_a_turn_without_a_prompt_is_not_copied(bench: Bench, forked: SessionTree) -> None:
    with pytest.raises(NothingToDoError, match="no prompt"):
        bench.services.comparing.copy_turn(forked.session.key, [bench.key(forked, "4")], None).result()
    assert bench.reopened(forked).session.entries == forked.session.entries

"""What the navigator shows: words, folds, moves, matches."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from stemmata.domain.context.breakdown import Sizes
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator.outline import Density, Row, Shape, outline_of
from stemmata.gui.branches.list_view import tooltip
from stemmata.gui.branches.model import KEPT, PAGE, BranchesModel, EntryRows
from stemmata.gui.branches.words import removed_words, title
from tests.gui.branches.conftest import ROWS, DigestInput, MemoryPages, Session, row_of


@pytest.fixture
def model(qapp: object, session: Session, pages: MemoryPages) -> BranchesModel:
    model = BranchesModel(pages)
    [compaction] = session.tree.of_kind(Kind.COMPACTION)
    model.compacted = {compaction: Sizes(Figure.reported(157_200), Figure.estimated(9_100))}
    model.set_outline(outline_of(session.tree, Density.TURNS, int(session.end)))
    return model


def texts(model: BranchesModel) -> list[str]:
    return [model.shown(row).text for row in range(len(model))]


def test_rows_in_order(model: BranchesModel) -> None:
    assert texts(model) == [
        *("Port the selectors", "Ported", "Try wrapping", "Wrapping breaks width", "Port the theme"),
        *("Compacted 157.2k → ≈ 9.1k", "One", "Three", "Two", "All tests pass"),
    ]


def test_an_unknown_size_is_not_told(model: BranchesModel) -> None:
    model.compacted = {}
    assert "Compacted 157.2k" in texts(model)


def test_what_stands_at_the_right(model: BranchesModel) -> None:
    metas = [model.shown(row).meta for row in range(ROWS)]
    assert metas == ["", "2 tools", "", "1 tool", "", "", "1/3", "3/3", "2/3", ""]
    model.streaming = int(model.key(9))
    assert model.shown(9).meta == "streaming"


def test_a_removed_branch_says_which_tool_removed_it_and_when(qapp: object, session: Session) -> None:
    wrap, wrapped = int(session.wrap), int(session.wrapped)
    for at in range(wrap, wrapped + 1):
        session.entries[at] = replace(session.entries[at], flags=session.entries[at].flags | Flag.REMOVED)
    pages = MemoryPages(session.entries)
    model = BranchesModel(pages)
    model.tool = "Zed"
    model.set_outline(outline_of(session.tree, Density.TURNS, int(session.end)))
    removed = {row: model.shown(row).removed for row in range(len(model)) if model.shown(row).removed}
    assert removed == {2: "removed by Zed", 3: "removed by Zed"}
    assert [model.shown(row).row.begins_removed for row in (2, 3)] == [True, False]
    assert "removed by Zed" in model.accessible_name(3)
    assert "removed by Zed" in tooltip(model, 3)
    year = datetime.now().year - 1
    time = int(datetime(year, 11, 12).timestamp()) * 10**9
    assert removed_words("Zed", time) == f"removed by Zed on 12 Nov {year}"
    count = len(pages.calls)
    model.set_outline(outline_of(Tree.from_entries(session.entries), Density.TURNS, int(session.end)))
    assert model.shown(2).removed
    assert len(pages.calls) > count  # another tree: the rows are read anew


def test_names_for_screen_readers(model: BranchesModel) -> None:
    assert model.accessible_name(1) == "Assistant: Ported, labelled known-good, 2 tools, on active path"
    assert model.accessible_name(2) == "You: Try wrapping, version 1 of 2, on another branch"
    assert model.accessible_name(8) == "You: Two, version 2 of 3, pinned, on active path"
    assert tooltip(model, 8) == "Two\nversion 2 of 3 · pinned · on active path"
    assert model.accessible_name(9) == "Assistant: All tests pass, current leaf"
    model.fold(2, fold=True)
    assert model.accessible_name(2) == "You: Try wrapping, version 1 of 2, 1 row folded, on another branch"


def test_keys_of_a_turn(model: BranchesModel, session: Session) -> None:
    assert model.first_key(1) == int(session.port) + 1
    assert model.key(1) == model.last_key(1) == int(session.ported)
    assert model.row_of(int(session.port) + 2) == 1
    assert model.row_of(10_000) is None
    assert model.row_of(None) is None


def test_folding_hides_what_is_below_and_says_how_much(model: BranchesModel, session: Session) -> None:
    assert [model.is_foldable(row) for row in range(ROWS)] == [
        True,
        False,
        True,
        *[False] * 1,
        True,
        *[False] * 3,
        True,
        False,
    ]
    model.fold(2, fold=True)
    assert len(model) == ROWS - 1
    assert model.is_folded(2)
    assert model.shown(2).meta == "+1"
    assert model.row_of(int(session.wrapped)) == 2
    model.fold(2, fold=False)
    assert len(model) == ROWS


def test_folding_all_but_the_active_path(model: BranchesModel) -> None:
    assert model.has_sides
    assert not model.folded
    model.fold_sides()
    assert model.folded
    assert "Wrapping breaks width" not in texts(model)
    model.unfold_all()
    assert not model.folded


def test_folds_wait_while_a_density_has_no_such_row(model: BranchesModel, session: Session) -> None:
    model.fold(2, fold=True)
    model.set_outline(outline_of(session.tree, Density.LABELLED, int(session.end)))
    assert len(model) == 1
    model.set_outline(outline_of(session.tree, Density.TURNS, int(session.end)))
    assert model.is_folded(2)


def test_revealing_unfolds_what_hides_an_entry(model: BranchesModel, session: Session) -> None:
    model.fold(2, fold=True)
    model.fold(0, fold=True)
    assert len(model) == 1
    assert model.reveal(int(session.wrapped))
    assert len(model) == ROWS
    assert not model.reveal(int(session.wrapped))
    assert not model.reveal(None)


def test_siblings_of_the_branch_a_row_is_on(model: BranchesModel) -> None:
    assert model.sibling(3, 1) == 4  # from inside the side branch
    assert model.sibling(4, -1) == 2
    assert model.sibling(2, -1) is None
    assert [model.sibling(8, step) for step in (-1, 1)] == [6, 7]
    assert model.sibling(0, 1) is None


def test_starts_and_ends_of_segments(model: BranchesModel) -> None:
    assert [model.segment_start(row) for row in (9, 8, 5, 3, 1, 0)] == [8, 4, 4, 2, 0, None]
    assert [model.segment_end(row) for row in (0, 4, 8, 9, 2, 3)] == [4, 8, 9, None, 3, None]


def test_matches_dim_the_others_and_are_gone_through_in_a_circle(model: BranchesModel, session: Session) -> None:
    before = model.match_count
    assert before is None
    model.set_matches([int(session.port), int(session.wrapped), 10_000])
    assert model.match_count == 2
    assert [row for row in range(ROWS) if model.shown(row).matches] == [0, 3]
    keys = (int(session.port), int(session.wrapped))
    assert model.next_match(keys[0]) == (keys[1], 2)
    assert model.next_match(keys[1]) == (keys[0], 1)
    assert model.next_match(keys[0], -1) == (keys[1], 2)
    assert model.next_match(int(session.ported), -1) == (keys[0], 1)
    assert model.next_match(None) == (keys[0], 1)
    assert model.next_match(10_000) == (keys[0], 1)  # an entry that has no row
    model.set_matches([])
    assert model.next_match(keys[0]) is None


def test_without_an_outline_there_are_no_rows(qapp: object, pages: MemoryPages) -> None:
    model = BranchesModel(pages)
    assert len(model) == 0
    assert model.leaf_row is None
    assert model.next_match(None) is None
    assert not model.reveal(1)
    assert not model.has_sides


# -- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (Entry(id="", kind=Kind.MODEL_CHANGE, provider="anthropic", model="opus"), "Model: opus"),
        (Entry(id="", kind=Kind.THINKING_LEVEL_CHANGE, name="high"), "Thinking: high"),
        (Entry(id="", kind=Kind.SESSION_INFO, name="Mine"), "Named “Mine”"),
        (Entry(id="", kind=Kind.LABEL, name="good"), "Label “good”"),
        (Entry(id="", kind=Kind.LABEL), "Label removed"),
        (Entry(id="", kind=Kind.PIN), "Pinned"),
        (Entry(id="", kind=Kind.PIN, name="off"), "Unpinned"),
        (Entry(id="", kind=Kind.TOOL_PRUNE), "Tool output pruned"),
        (Entry(id="", kind=Kind.CUSTOM, name="state"), "state"),
        (Entry(id="", kind=Kind.CUSTOM), "custom"),
        (Entry(id="", role=Role.BASH_EXECUTION, name="ls"), "$ ls"),
        (Entry(id="", role=Role.TOOL_RESULT, tool="read", flags=Flag.FAILED), "read (failed)"),
        (Entry(id="", role=Role.TOOL_RESULT, blocks=(Text("12 files"),)), "12 files"),
        (Entry(id="", role=Role.TOOL_RESULT), "(no text)"),
        (Entry(id="", role=Role.ASSISTANT, flags=Flag.ABORTED), "(stopped)"),
        (Entry(id="", role=Role.ASSISTANT, flags=Flag.FAILED), "(failed)"),
        (Entry(id="", role=Role.ASSISTANT), "(no text)"),
        (Entry(id="", role=Role.USER), "(no text)"),
        (Entry(id="", role=Role.USER, flags=Flag.INJECTED), "Note for the model"),
        (Entry(id="", role=Role.USER, blocks=(Text("Hi"),), flags=Flag.VARIANT), "Hi (other text)"),
    ],
)
def test_words_of_an_entry(qapp: object, entry: Entry, expected: str) -> None:
    row = Row(0, 0, 0, Shape.NOTE, 0, None, "", False)
    assert title(row, row_of(0, entry)) == expected


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (Sizes(Figure.reported(157_200), Figure.estimated(9_100)), "Compacted 157.2k → ≈ 9.1k"),
        (Sizes(Figure.estimated(157_200), Figure.estimated(9_000)), "Compacted ≈ 157.2k → ≈ 9k"),
        (Sizes(Figure.reported(157_200), UNKNOWN), "Compacted 157.2k"),
        (Sizes(UNKNOWN, Figure.estimated(9_100)), "Compacted to ≈ 9.1k"),
        (None, "Compacted"),
    ],
)
def test_words_of_a_compaction(qapp: object, sizes: Sizes | None, expected: str) -> None:
    assert title(Row(0, 0, 0, Shape.COMPACTION, 0, None, "", False), None, sizes) == expected


def test_words_of_what_is_gone_and_of_a_left_branch(qapp: object) -> None:
    row = Row(0, 0, 0, Shape.BRANCH_SUMMARY, 0, None, "", False)
    assert title(row, None) == "(no longer in the archive)"
    assert title(row, row_of(0, Entry(id="", kind=Kind.BRANCH_SUMMARY))) == "Abandoned branch"


# -- pages -----------------------------------------------------------------------------------------------------------


def test_rows_are_read_once_and_in_small_pages() -> None:
    story = DigestInput()
    for _ in range(3000):
        story.ask(None, "text")
    pages = MemoryPages(story.entries)
    rows = EntryRows(pages)
    rows.load(range(100))
    rows.load(range(100))
    assert pages.calls == [PAGE, 100 - PAGE]
    assert rows.get(5_000_000) is None
    rows.load(range(100, 3000))
    assert len(rows) == KEPT
    rows.clear()
    assert len(rows) == 0

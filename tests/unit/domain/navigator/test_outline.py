"""The rows of the navigator: rows of each density, entries of a row, places of marks."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.lanes import lay_out
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator import outline as outlines
from stemmata.domain.navigator.outline import Density, Outline, Shape, outline_of
from tests.strategies import chains, entry_lists
from tests.unit.domain.trees import assistant, branch_summary, chain, compaction, grown, mark, rest, result, user


class Session:
    """The rows of the outline, by the ids of their entries."""

    def __init__(self, *entries: Entry) -> None:
        self.entries = list(entries)
        self.tree = Tree.from_entries(entries)
        self.where = {entry.id: at for at, entry in enumerate(entries)}

    def outline(self, density: Density = Density.TURNS, leaf: str | None = None) -> Outline:
        return outline_of(self.tree, density, self.where[leaf] if leaf else None)

    def rows(self, density: Density = Density.TURNS, leaf: str | None = None) -> list[str]:
        """Each row as `first–last (tools)`, in display order."""
        outline, out = self.outline(density, leaf), []
        for place in range(len(outline)):
            row = outline.row(place)
            span = self.entries[row.entry].id
            if row.last != row.entry:
                span += f"–{self.entries[row.last].id}"
            out.append(f"{span} ({row.tools})" if row.tools else span)
        return out


def test_a_row_is_removed_with_its_last_entry() -> None:
    gone = [replace(one, flags=one.flags | Flag.REMOVED) for one in (user("x", "a"), assistant("y", "x", ""))]
    session = Session(user("u", None), assistant("a", "u", ""), *gone, user("b", "a"))
    outline = session.outline(leaf="b")
    rows = [outline.row(place) for place in range(len(outline))]
    found = {session.entries[row.entry].id: (row.removed, row.begins_removed) for row in rows}
    assert found == {
        "u": (False, False),
        "a": (False, False),
        "x": (True, True),
        "y": (True, False),
        "b": (False, False),
    }
    assert session.tree.removed_head(session.where["y"]) == session.where["x"]
    assert session.tree.removed_head(session.where["b"]) is None
    assert session.tree.removed_head(None) is None
    root = Session(replace(user("u", None), flags=Flag.REMOVED))
    assert root.outline().row(0).begins_removed
    assert root.tree.removed_head(0) == 0


def turn(user_id: str, parent: str | None, *, tools: int = 1) -> list[Entry]:
    """A prompt u, tool steps u.1, u.1r, …, and the answer u.end."""
    out = [user(user_id, parent)]
    for step in range(1, tools + 1):
        out.append(assistant(f"{user_id}.{step}", out[-1].id, "", calls=("c",)))
        out.append(result(f"{user_id}.{step}r", out[-1].id))
    return [*out, assistant(f"{user_id}.end", out[-1].id, "done", flags=Flag.ENDS_TURN)]


# -- turns -----------------------------------------------------------------------------------------------------------


def test_tool_steps_are_folded_into_the_assistants_turn() -> None:
    session = Session(*turn("a", None, tools=3), *turn("b", "a.end", tools=0))
    assert session.rows() == ["a", "a.1–a.end (3)", "b", "b.end"]


def test_a_turn_shows_its_last_text() -> None:
    first = assistant("x1", None, "I will look.", calls=("c",))
    session = Session(*chain(user("u", None), first, result("r", None), assistant("x2", None, "")))
    row = session.outline().row(1)
    assert (session.entries[row.text_entry].id, session.entries[row.last].id) == ("x1", "x2")


def test_settings_and_injected_messages_do_not_end_a_turn() -> None:
    between = [
        mark(Kind.MODEL_CHANGE, "m", None, None),
        user("i", None, flags=Flag.INJECTED),
        Entry(id="h", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, flags=Flag.HIDDEN),
        Entry(id="s", role=Role.SYSTEM),
    ]
    session = Session(*chain(user("u", None), assistant("x", None), *between, assistant("y", None)))
    assert session.rows() == ["u", "x–y"]


def test_a_compaction_ends_a_turn_and_has_a_row() -> None:
    entries = chain(user("u", None), assistant("x", None), compaction("c", None, "u"), assistant("y", None))
    session = Session(*entries, branch_summary("b", "y"), Entry(id="sh", parent="b", role=Role.BASH_EXECUTION))
    assert session.rows() == ["u", "x", "c", "y", "b", "sh"]
    shapes = [session.outline().row(place).shape for place in range(6)]
    assert shapes == [
        Shape.USER,
        Shape.ASSISTANT,
        Shape.COMPACTION,
        Shape.ASSISTANT,
        Shape.BRANCH_SUMMARY,
        Shape.TOOL,
    ]


def test_a_fork_inside_a_turn_begins_a_row_on_each_branch() -> None:
    session = Session(
        user("u", None),
        assistant("x", "u", calls=("c",)),
        result("r", "x"),
        assistant("y1", "r", calls=("c",)),
        result("y1r", "y1"),
        assistant("y2", "r"),
    )
    assert session.rows(leaf="y2") == ["u", "x–r (1)", "y1–y1r (1)", "y2"]
    assert list(session.outline(leaf="y2").lanes.lane) == [0, 0, 1, 0]


def test_a_prompt_in_place_of_a_tool_result_leaves_the_turn_there() -> None:
    session = Session(
        user("u", None), assistant("x", "u", calls=("c",)), result("r", "x"), assistant("y", "r"), user("v", "x")
    )
    assert session.rows(leaf="v") == ["u", "x–r (1)", "y", "v"]


def test_results_side_by_side_are_no_fork() -> None:
    session = Session(
        user("u", None), assistant("x", "u", calls=("c", "d")), result("r1", "x"), result("r2", "x"),
        assistant("y", "r2"),
    )  # fmt: skip
    assert session.rows() == ["u", "x–y (2)"]


def test_a_result_without_a_call_has_no_row() -> None:
    session = Session(*chain(result("r", None), user("u", None), result("s", None)))
    assert session.rows() == ["u"]
    assert session.outline().place_of(0) is None
    assert session.outline().place_of(2) == 0


# -- densities -------------------------------------------------------------------------------------------------------

BRANCHED = (
    *turn("a", None),
    *turn("b", "a.end"),
    *turn("c", "a.end"),
    mark(Kind.LABEL, "l", "a.end", "a.end", "known-good"),
    mark(Kind.PIN, "p", "a", "a"),
)


@pytest.mark.parametrize(
    ("density", "expected"),
    [
        (Density.TURNS, ["a", "a.1–a.end (1)", "b", "b.1–b.end (1)", "c", "c.1–c.end (1)"]),
        (Density.PROMPTS, ["a", "b", "c"]),
        (Density.NO_TOOLS, ["a", "a.end", "b", "b.end", "c", "c.end"]),
        (Density.LABELLED, ["a.end"]),
    ],
)
def test_densities(density: Density, expected: list[str]) -> None:
    assert Session(*BRANCHED).rows(density, "c.end") == expected


def test_everything_shows_all_entries() -> None:
    assert sorted(Session(*BRANCHED).rows(Density.EVERYTHING)) == sorted(entry.id for entry in BRANCHED)


def test_colours_are_the_same_at_every_density() -> None:
    session = Session(*turn("a", None), *turn("b", "a.end"), *turn("c", "a.1"), *turn("d", "a.end"))
    for density in (Density.TURNS, Density.PROMPTS, Density.NO_TOOLS, Density.EVERYTHING):
        outline = session.outline(density, "d.end")
        colours = {outline.lanes.colour[outline.place_of(session.where[id]) or 0] for id in ("b", "b.end")}
        assert colours == {1}  # the branch of a.end's first child is the first one


def test_siblings_are_numbered_where_there_are_any() -> None:
    outline = Session(*BRANCHED).outline(leaf="c.end")
    assert [outline.row(place).siblings for place in range(6)] == [None, None, (1, 2), None, (2, 2), None]


def test_annotations_are_no_siblings_and_do_not_lead_the_line() -> None:
    session = Session(*(replace(entry, time=at + 1) for at, entry in enumerate(BRANCHED)))
    outline = session.outline(Density.EVERYTHING)
    places = {entry.id: outline.place_of(session.where[entry.id]) or 0 for entry in BRANCHED}
    assert outline.row(places["b"]).siblings == (1, 2)
    assert outline.row(places["c"]).siblings == (2, 2)
    assert outline.row(places["l"]).siblings is None
    assert outline.row(places["a.1"]).siblings is None  # beside a pin
    assert outline.lanes.lane[places["c"]] == 0
    assert outline.lanes.lane[places["l"]] == 1


def test_peers_are_the_rows_of_one_fork() -> None:
    outline = Session(*BRANCHED).outline(leaf="b.end")
    places = [outline.place_of(at) or 0 for at in (4, 8)]
    assert outline.peers(places[0]) == outline.peers(places[1]) == places
    assert outline.peers(0) == [0]


def test_several_roots_are_peers() -> None:
    outline = Session(*turn("a", None), *turn("b", None)).outline()
    assert outline.peers(0) == [0, 2]
    assert outline.row(2).siblings == (2, 2)


def test_the_lines_to_a_row_are_its_own_and_those_above_its_forks() -> None:
    session = Session(*BRANCHED)
    outline = session.outline(leaf="b.end")
    for entry in range(len(session.tree)):
        place = outline.place_of(entry)
        above = {outline.place_of(at) for at in session.tree.path(entry)} - {None}
        lines = outline.lines_to(place)
        lanes = outline.lanes.lane
        on = {
            at
            for at in range(len(outline))
            if any(part.lane == lanes[at] and part.first <= at <= part.last for part in lines)
        }
        assert on == above
    assert outline.lines_to(None) == ()


# -- marks and places ------------------------------------------------------------------------------------------------


def test_labels_and_pins_show_on_the_row_that_stands_for_their_entry() -> None:
    session = Session(*BRANCHED, mark(Kind.LABEL, "l2", "b.1r", "b.1r", "odd"))
    outline = session.outline(leaf="c.end")
    assert outline.labels == {1: "known-good", 3: "odd"}
    assert outline.pins == {0}
    assert (outline.row(1).label, outline.row(0).pinned, outline.row(1).pinned) == ("known-good", True, False)
    assert session.outline(Density.PROMPTS, "c.end").labels == {0: "known-good", 1: "odd"}


def test_a_prepared_outline_has_all_values_computed() -> None:
    outline = Session(*BRANCHED).outline(leaf="c.end")
    assert outline.prepared() is outline
    found = dict(vars(outline))
    read = (outline.labels, outline.pins, outline.side_heads, outline.deepest)
    assert read == (found["labels"], found["pins"], found["side_heads"], found["deepest"])
    assert len({outline.branch_start(place) for place in range(len(outline))}) == 3
    assert vars(outline) == found


def test_a_mark_above_all_rows_is_not_shown() -> None:
    session = Session(mark(Kind.MODEL_CHANGE, "m", None, None), mark(Kind.LABEL, "l", "m", "m", "start"))
    assert session.outline().labels == {}


def test_the_leaf_is_shown_by_the_nearest_row_above_it() -> None:
    session = Session(*BRANCHED)
    assert session.outline(leaf="b.1r").leaf_place == 5  # b's turn, now the line that goes on
    assert session.outline(Density.PROMPTS, "b.1r").leaf_place == 2
    assert session.outline().leaf_place is None


def test_shapes_of_entries_that_are_no_messages() -> None:
    session = Session(
        mark(Kind.MODEL_CHANGE, "m", None, None),
        mark(Kind.TOOL_PRUNE, "t", "m", None),
        mark(Kind.UNKNOWN, "o", "t", None),
        user("i", "o", flags=Flag.INJECTED),
        Entry(id="s", parent="i", role=Role.SYSTEM),
    )
    outline = session.outline(Density.EVERYTHING)
    shapes = [outline.row(place).shape for place in range(5)]
    assert shapes == [Shape.SETTING, Shape.SETTING, Shape.NOTE, Shape.NOTE, Shape.NOTE]


def test_words_of_saved_states() -> None:
    assert [density.text for density in Density] == ["turns", "prompts", "no_tools", "labelled", "everything"]


def test_an_empty_session() -> None:
    for density in Density:
        assert len(Session().outline(density)) == 0


# -- sizes of compactions --------------------------------------------------------------------------------------------


# -- all trees -------------------------------------------------------------------------------------------------------


@given(entry_lists(damaged=True), st.sampled_from(Density), st.integers(0, 23))
def test_invariants_of_the_rows_of_any_tree(entries: list[Entry], density: Density, leaf: int) -> None:
    tree = Tree.from_entries(entries)
    outline = outline_of(tree, density, leaf % len(tree) if len(tree) else None)
    assert len(outline) == len(outline.entry)
    for place in range(len(outline)):
        row = outline.row(place)
        assert outline.place_of(row.entry) == place
        assert outline.place_of(row.last) == outline.place_of(row.text_entry) == place
        assert tree.is_ancestor(row.entry, row.last)
        above = [outline.place_of(entry) for entry in tree.path(row.entry)[:-1]]
        assert outline.lanes.parent[place] == (-1 if not above or above[-1] is None else above[-1])


@given(entry_lists(damaged=True, min_size=1), st.integers(0, 23))
def test_the_active_path_is_straight_at_every_density(entries: list[Entry], at: int) -> None:
    tree = Tree.from_entries(entries)
    leaf = at % len(tree)
    for density in Density:
        outline = outline_of(tree, density, leaf)
        places = [place for entry in tree.path(leaf) if (place := outline.place_of(entry)) is not None]
        assert {outline.lanes.lane[place] for place in places} <= {0}


@given(st.one_of(chains(min_size=1, max_size=30), entry_lists(min_size=1)), st.sampled_from(Density), st.data())
def test_an_outline_that_is_continued_is_the_whole_one(
    entries: list[Entry], density: Density, data: st.DataObject
) -> None:
    whole = Tree.from_entries(entries)
    count = data.draw(st.integers(1, len(whole)))
    tree = grown(whole, count)
    if list(tree.parents) != list(whole.parents[:count]):
        return
    known = outline_of(tree, density, data.draw(st.sampled_from((count - 1, 0, None))))
    longer = tree.extended(rest(whole, count))
    if longer is None:
        return
    leaf = data.draw(st.sampled_from((len(longer) - 1, 0, None)))
    assert outline_of(longer, density, leaf, known=known) == outline_of(longer, density, leaf)


@pytest.mark.parametrize("turns", [20, 2_000])
def test_what_is_said_next_costs_the_same_however_long_the_session_is(
    monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    entries = chain(*(said(f"{said.__name__} {at}", None) for at in range(turns) for said in (user, assistant)))
    whole = Tree.from_entries(entries)
    tree = grown(whole, len(whole) - 20)
    known = outline_of(tree, Density.TURNS, len(tree) - 1)
    monkeypatch.setattr(outlines, "lay_out", None)  # the layout of all rows
    rows: list[int] = []
    shapes = outlines._shapes

    def counted(of: Tree, new: array[int]) -> bytes:
        rows.append(len(new))
        return shapes(of, new)

    monkeypatch.setattr(outlines, "_shapes", counted)
    while len(tree) < len(whole):
        longer = tree.extended(rest(grown(whole, len(tree) + 1), len(tree)))
        assert longer is not None
        tree, known = longer, outline_of(longer, Density.TURNS, len(longer) - 1, known=known)
    assert max(rows) <= 2
    monkeypatch.undo()
    assert known == outline_of(tree, Density.TURNS, len(tree) - 1)


def test_an_outline_of_another_tree_is_not_continued() -> None:
    entries = chain(user("1", None), assistant("2", None), user("3", None))
    short, tree = Tree.from_entries(entries[:2]), Tree.from_entries(entries)
    assert not tree.extends(short)
    assert tree.extends(tree)
    known = outline_of(short, Density.TURNS, 1)
    assert outline_of(tree, Density.TURNS, 2, known=known) == outline_of(tree, Density.TURNS, 2)


def continued(entries: list[Entry], count: int, leaf: int) -> tuple[Outline, Outline]:
    """The outline of a tree that grew from `count` entries, made from the earlier outline and made anew."""
    whole = Tree.from_entries(entries)
    tree = grown(whole, count)
    longer = tree.extended(rest(whole, count))
    assert longer is not None
    known = outline_of(tree, Density.TURNS, count - 1)
    return outline_of(longer, Density.TURNS, leaf, known=known), outline_of(longer, Density.TURNS, leaf)


def test_an_outline_is_made_anew_for_another_leaf_with_trash_and_after_a_fork() -> None:
    entries = chain(*(said(f"{said.__name__} {at}", None) for at in range(4) for said in (user, assistant)))
    known, whole = continued(entries, 6, 0)
    assert known == whole
    trashed = [*entries[:2], user("x", entries[1].id), mark(Kind.TRASH, "t", entries[1].id, "x"), *entries[2:]]
    known, whole = continued(trashed, len(trashed) - 2, len(trashed) - 1)
    assert known == whole
    forked = [user("1", None), assistant("2", "1"), user("3", "2"), user("4", "2")]
    known, whole = continued(forked, 2, 3)
    assert known == whole


def test_a_real_session(samples: Path) -> None:
    from stemmata.formats.pi.reader import Pi

    events = Pi().read(samples / "pi" / "before-compaction.jsonl", None)
    tree = Tree.from_entries(event for event in events if isinstance(event, Entry))
    lengths = [len(outline_of(tree, density, len(tree) - 1)) for density in Density]
    assert lengths == [114, 55, 329, 0, 1002]


# -- branches --------------------------------------------------------------------------------------------------------


@given(entry_lists(), st.sampled_from(Density), st.integers(0, 40))
def test_branch_starts_and_ends_equal_those_of_a_row_by_row_walk(
    entries: list[Entry], density: Density, leaf: int
) -> None:
    tree = Tree.from_entries(entries)
    outline = outline_of(tree, density, leaf if leaf < len(tree) else None)
    lanes = outline.lanes
    for place in range(len(outline)):
        start = place
        while start not in lanes.siblings and lanes.parent[start] >= 0:
            start = lanes.parent[start]
        end = lanes.below[place]
        while end >= 0 and end not in lanes.siblings and lanes.below[end] >= 0:
            end = lanes.below[end]
        assert outline.branch_start(place) == start
        assert outline.branch_end(place) == (end if end >= 0 else place)
    assert list(outline.side_heads) == lanes.side_heads()
    assert outline.deepest == max(lanes.lane, default=0)


def test_moving_along_a_million_rows_visits_only_forks() -> None:
    count = 1_000_000
    tree = Tree.from_entries([user("a", None)])
    lanes = lay_out(range(-1, count - 1), range(count), count - 1)
    outline = replace(outline_of(tree, Density.TURNS, 0), lanes=lanes)
    assert (outline.branch_end(0), outline.branch_start(count - 1)) == (count - 1, 0)
    began = thread_time()
    for place in range(0, count, 1000):
        outline.branch_end(place), outline.branch_start(place)
    assert thread_time() - began < 5  # a thousand moves; walking would take minutes

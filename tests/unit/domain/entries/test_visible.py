"""The entries that a filter shows: pi's rules, except that "all" shows all entries."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.entries.visible import Filter, parent_rows, rows_above, visible_entries
from tests.strategies import entry_lists
from tests.unit.domain.trees import assistant, branch_summary, chain, compaction, mark, result, user


def shown(entries: list[Entry], filter: Filter, leaf: str = "") -> str:
    tree = Tree.from_entries(entries)
    where = {entry.id: at for at, entry in enumerate(entries)}
    return " ".join(entries[at].id for at in visible_entries(tree, filter, where.get(leaf)))


ALL_KINDS = [
    mark(Kind.MODEL_CHANGE, "model", None, None),
    user("ask", "model"),
    assistant("call", "ask", "", calls=("c",)),
    result("result", "call"),
    assistant("answer", "result"),
    Entry(id="bash", parent="answer", role=Role.BASH_EXECUTION, name="ls"),
    mark(Kind.THINKING_LEVEL_CHANGE, "level", "bash", None, "high"),
    mark(Kind.CUSTOM, "data", "level", None, "state"),
    Entry(id="note", parent="data", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM),
    compaction("compaction", "note", "ask"),
    branch_summary("left", "compaction"),
    mark(Kind.TOOL_PRUNE, "prune", "left", "result"),
    mark(Kind.UNKNOWN, "odd", "prune", None),
    mark(Kind.SESSION_INFO, "name", "odd", None, "My session"),
    mark(Kind.LABEL, "label", "odd", "answer", "good"),
    mark(Kind.PIN, "pin", "odd", "ask"),
]


def test_default_hides_settings_annotations_and_empty_replies() -> None:
    assert shown(ALL_KINDS, Filter.DEFAULT) == "ask result answer bash note compaction left prune"


def test_no_tools_is_default_without_tool_results() -> None:
    assert shown(ALL_KINDS, Filter.NO_TOOLS) == "ask answer bash note compaction left prune"


def test_user_and_labelled() -> None:
    assert shown(ALL_KINDS, Filter.USER) == "ask"
    assert shown(ALL_KINDS, Filter.LABELLED) == "answer"


def test_all_shows_all_entries() -> None:
    assert shown(ALL_KINDS, Filter.ALL) == " ".join(entry.id for entry in ALL_KINDS)


@pytest.mark.parametrize("filter", [Filter.DEFAULT, Filter.NO_TOOLS])
def test_an_assistant_entry_without_text_shows_as_leaf_or_when_it_broke_off(filter: Filter) -> None:
    entries = chain(
        assistant("silent", None, ""),
        assistant("stopped", None, "", flags=Flag.ABORTED),
        assistant("failed", None, "", flags=Flag.FAILED),
        assistant("last", None, ""),
    )
    assert shown(entries, filter) == "stopped failed"
    assert shown(entries, filter, "last") == "stopped failed last"


def test_prompts_are_the_messages_that_the_user_typed() -> None:
    assert shown(chain(user("typed", None), user("injected", None, flags=Flag.INJECTED)), Filter.USER) == "typed"


def test_words_of_the_command_line() -> None:
    assert [filter.text for filter in Filter] == ["default", "no-tools", "user", "labelled", "all"]


def test_rows_hang_from_the_nearest_visible_ancestor() -> None:
    tree = Tree.from_entries(ALL_KINDS)
    entries = visible_entries(tree, Filter.NO_TOOLS)
    above = rows_above(tree, entries)
    assert list(parent_rows(tree, entries, above)) == [-1, 0, 1, 2, 3, 4, 5]
    assert [above[at] for at in range(5)] == [-1, 0, 0, 0, 1]  # model, ask, call, result, answer


@given(entry_lists(damaged=True), st.sampled_from(Filter))
def test_the_row_above_is_the_nearest_visible_ancestor(entries: list[Entry], filter: Filter) -> None:
    tree = Tree.from_entries(entries)
    seen = visible_entries(tree, filter)
    above = rows_above(tree, seen)
    for entry in range(len(tree)):
        visible = [at for at in tree.path(entry) if at in seen]
        assert above[entry] == (seen.index(visible[-1]) if visible else -1)


def test_golden_numbers_of_a_real_session(samples: Path) -> None:
    from stemmata.formats.pi.reader import Pi

    events = Pi().read(samples / "pi" / "before-compaction.jsonl", None)
    tree = Tree.from_entries(event for event in events if isinstance(event, Entry))
    counts = [len(visible_entries(tree, filter, len(tree) - 1)) for filter in Filter]
    assert counts == [777, 329, 55, 0, 1002]

"""The context. The cases CX1–CX20 are pi's behaviour."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from stemmata.domain.context.projection import (
    CUT,
    OUT,
    SUPERSEDED,
    WHOLE,
    EntryFate,
    Fate,
    Form,
    Projection,
    Reason,
    context_at,
    exchange,
)
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from tests.strategies import entry_lists
from tests.unit.domain.trees import assistant, branch_summary, chain, compaction, mark, result, user


def at(entries: list[Entry], id: str | None) -> Projection:
    tree = Tree.from_entries(entries)
    where = {entry.id: index for index, entry in enumerate(entries)}
    return context_at(tree, None if id is None else where[id])


def sent(entries: list[Entry], id: str | None) -> str:
    """Return the ids of the messages; that of a summary is in parentheses."""
    return " ".join(
        f"({entries[m.entry].id})" if m.form is Form.SUMMARY else entries[m.entry].id
        for m in at(entries, id).messages
    )


COMPACTED = chain(
    user("1", None), assistant("2", None), user("3", None), assistant("4", None), compaction("5", None, "3"),
    user("6", None), assistant("7", None),
)  # fmt: skip


def test_cx1_cx15_empty_contexts() -> None:
    projection = at([], None)
    assert (projection.messages, projection.level, projection.model, projection.entry) == ((), "off", "", None)


def test_cx2_cx3_messages_in_order() -> None:
    entries = chain(user("a", None), assistant("b", None), user("c", None), assistant("d", None))
    assert sent(entries, "a") == "a"
    assert sent(entries, "d") == "a b c d"


def test_cx4_thinking_level() -> None:
    level = Entry(id="t", kind=Kind.THINKING_LEVEL_CHANGE, name="high")
    projection = at(chain(user("a", None), level, assistant("b", None)), "b")
    assert projection.level == "high"
    assert len(projection.messages) == 2


def test_cx5_cx6_the_assistants_own_model_overrides_a_change() -> None:
    change = Entry(id="m", kind=Kind.MODEL_CHANGE, provider="openai", model="gpt-4")
    entries = chain(user("a", None), change, assistant("b", None))
    assert at(entries, "b").model == "anthropic/claude-opus-4-5"
    assert at(entries, "m").model == "openai/gpt-4"


def test_cx7_a_compaction_keeps_from_its_first_kept_entry() -> None:
    assert sent(COMPACTED, "7") == "(5) 3 4 6 7"


def test_cx8_a_compaction_that_keeps_everything() -> None:
    entries = chain(user("1", None), assistant("2", None), compaction("3", None, "1"), user("4", None))
    assert sent(entries, "4") == "(3) 1 2 4"


def test_cx9_cx19_the_last_compaction_counts_and_inner_ones_are_not_emitted() -> None:
    entries = chain(
        user("1", None), assistant("2", None), compaction("3", None, "1"), user("4", None), assistant("5", None),
        compaction("6", None, "4"), user("7", None),
    )  # fmt: skip
    assert sent(entries, "7") == "(6) 4 5 7"
    wide = chain(
        user("1", None), compaction("2", None, "1"), user("3", None), compaction("4", None, "1"), user("5", None)
    )
    assert sent(wide, "5") == "(4) 1 3 5"
    assert at(wide, "5").fate(1).fate is Fate.SUMMARISED


def test_cx10_cx11_branches() -> None:
    entries = [
        user("1", None), assistant("2", "1"), user("3", "2"), branch_summary("4", "2"), user("5", "4"),
    ]  # fmt: skip
    assert sent(entries, "3") == "1 2 3"
    assert sent(entries, "5") == "1 2 4 5"


def test_cx16_cx17_an_unknown_or_later_first_kept_entry_keeps_the_summary_alone() -> None:
    entries = chain(user("1", None), compaction("2", None, "nowhere"), user("3", None))
    assert sent(entries, "3") == "(2) 3"
    later = chain(user("1", None), compaction("2", None, "3"), user("3", None))
    assert sent(later, "3") == "(2) 3"


def test_cx18_custom_messages_count_and_bookkeeping_does_not() -> None:
    custom = Entry(id="2", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, blocks=(Text("x"),), flags=Flag.HIDDEN)
    entries = chain(
        user("1", None), custom, Entry(id="3", kind=Kind.CUSTOM), branch_summary("4", None, ""),
        Entry(id="5", kind=Kind.SESSION_INFO, name="n"), compaction("6", None, "2"), user("7", None),
    )  # fmt: skip
    assert sent(entries, "7") == "(6) 2 7"
    projection = at(entries, "7")
    assert projection.fate(3).reason is Reason.EMPTY
    assert projection.fate(2).reason is Reason.BOOKKEEPING


def test_cx20_above_the_compaction_the_whole_history_is_back() -> None:
    assert sent(COMPACTED, "4") == "1 2 3 4"


def test_fates_of_a_compacted_path() -> None:
    projection = at(COMPACTED, "7")
    fates = [projection.fate(entry) for entry in projection.path]
    assert [fate.fate for fate in fates] == [Fate.SUMMARISED] * 2 + [Fate.SENT] * 5
    assert fates[0].by == 4
    assert projection.compaction_entry == 4
    with pytest.raises(KeyError):
        at(COMPACTED, "4").fate(6)


def test_withheld_messages_are_listed_and_never_sent() -> None:
    entries = chain(
        user("1", None),
        assistant("2", None, flags=Flag.ABORTED),
        user("3", None, ""),
        replace(user("4", None), role=Role.BASH_EXECUTION, flags=Flag.EXCLUDED),
        replace(user("5", None), role=Role.SYSTEM),
    )
    projection = at(entries, "5")
    assert sent(entries, "5") == "1 2 3 4"
    reasons = [projection.fate(entry).reason for entry in projection.path]
    assert reasons == [None, Reason.ABORTED_OR_ERROR, Reason.EMPTY, Reason.EXCLUDED, Reason.HIDDEN_FROM_MODEL]
    assert projection.fate(1).fate.text == "never"


TOOLS = chain(
    user("1", None), assistant("2", None, calls=("c",)), result("3", None), assistant("4", None), user("5", None),
    assistant("6", None, calls=("d",)), result("7", None, call="d"),
    mark(Kind.TOOL_PRUNE, "8", None, "3"), user("9", None),
)  # fmt: skip


def test_pruned_results_keep_their_place() -> None:
    projection = at(TOOLS, "9")
    forms = {TOOLS[m.entry].id: m.form for m in projection.messages}
    assert forms["3"] is Form.PRUNED
    assert forms["7"] is Form.WHOLE
    assert projection.fate(2).fate is Fate.PRUNED
    assert at(TOOLS, "7").fate(2).fate is Fate.SENT


def test_results_after_the_boundary_are_whole_and_the_last_pruning_counts() -> None:
    entries = chain(
        user("1", None), assistant("2", None, calls=("a", "b", "c")), result("3", None, call="a"),
        result("4", None, call="b"), result("5", None, call="c"), mark(Kind.TOOL_PRUNE, "6", None, "3"),
        user("7", None), mark(Kind.TOOL_PRUNE, "8", None, "4"), user("9", None),
    )  # fmt: skip

    def pruned(id: str) -> str:
        projection = at(entries, id)
        found = [entries[m.entry].id for m in projection.messages if m.form is Form.PRUNED]
        assert [entry.id for index, entry in enumerate(entries[: projection.end])
                if projection.fate(index).fate is Fate.PRUNED] == found  # fmt: skip
        return " ".join(found)

    assert [pruned(id) for id in "5679"] == ["", "3", "3", "3 4"]


def test_answers_of_commands_are_in_no_context() -> None:
    note = Flag.OWN | Flag.EXCLUDED
    entries = chain(user("1", None), Entry(id="2", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, flags=note,
                                           blocks=(Text("Idle."),)), user("3", None))  # fmt: skip
    assert sent(entries, "3") == "1 3"
    assert at(entries, "3").fate(1) == EntryFate(Fate.NEVER, Reason.EXCLUDED)


def test_a_prune_boundary_that_is_not_on_the_path_prunes_nothing() -> None:
    entries = [*TOOLS[:7], mark(Kind.TOOL_PRUNE, "8", "7", "nowhere")]
    assert at(entries, "8").prune_end == 0


def test_a_pinned_entry_is_kept_with_its_exchange() -> None:
    entries = [
        *chain(
            user("1", None), assistant("2", None, calls=("c",)), result("3", None), assistant("4", None),
            user("5", None), compaction("6", None, "5"), user("7", None),
        ),
        mark(Kind.PIN, "p", "3", "3"),
    ]  # fmt: skip
    assert sent(entries, "7") == "(6) 2 3 5 7"
    projection = at(entries, "7")
    assert projection.fate(2).fate is Fate.PINNED
    assert projection.fate(2).fate.text == "kept-as-pinned"
    assert projection.fate(0).fate is Fate.SUMMARISED


def test_pins_on_another_branch_and_in_the_kept_part_add_nothing() -> None:
    entries = [
        *chain(user("1", None), assistant("2", None), user("3", None), compaction("4", None, "3"), user("5", None)),
        user("aside", "1"),
        mark(Kind.PIN, "p", "aside", "aside"),
        mark(Kind.PIN, "q", "3", "3"),
    ]
    assert at(entries, "5").tree.pins == {2, 5}
    assert at(entries, "5").pinned == ()
    assert sent(entries, "5") == "(4) 3 5"


def test_a_pinned_result_that_was_pruned_stays_pruned() -> None:
    entries = [
        *chain(
            user("1", None), assistant("2", None, calls=("c",)), result("3", None), user("4", None),
            mark(Kind.TOOL_PRUNE, "5", None, "3"), compaction("6", None, "4"), user("7", None),
        ),
        mark(Kind.PIN, "p", "2", "2"),
        mark(Kind.PIN, "q", "7", "elsewhere"),
    ]  # fmt: skip
    projection = at(entries, "7")
    assert [m.form for m in projection.messages][:3] == [Form.SUMMARY, Form.PINNED, Form.PRUNED]
    assert projection.fate(2).fate is Fate.PRUNED


def omission(id: str, target: str, how: str) -> Entry:
    return mark(Kind.OMISSION, id, None, target, how)


def test_entries_that_the_user_leaves_out_or_shortens() -> None:
    entries = chain(
        user("1", None), assistant("2", None), user("3", None), omission("o", "1", OUT), omission("c", "3", CUT),
        user("4", None), omission("w", "1", WHOLE),
    )  # fmt: skip
    projection = at(entries, "4")
    assert [(message.entry, message.form) for message in projection.messages] == [
        (1, Form.WHOLE),
        (2, Form.CUT),
        (5, Form.WHOLE),
    ]
    assert [projection.fate(entry) for entry in (0, 2, 5)] == [
        EntryFate(Fate.NEVER, Reason.EXCLUDED),
        EntryFate(Fate.CUT),
        EntryFate(Fate.SENT),
    ]
    assert Reason.EXCLUDED.text == "excluded"
    assert sent(entries, "3") == "1 2 3", "above, nobody has said so yet"
    assert sent(entries, "w") == "1 2 3 4", "sent whole again"
    assert at(entries, "w").omissions == {2: CUT}


def test_an_omission_applies_only_to_earlier_messages() -> None:
    entries = chain(
        omission("early", "1", OUT), user("1", None), assistant("2", None, flags=Flag.FAILED),
        omission("failed", "2", OUT), omission("gone", "elsewhere", OUT), omission("odd", "1", "?"),
    )  # fmt: skip
    projection = at(entries, "odd")
    assert projection.omissions == {}
    assert projection.fate(1) == EntryFate(Fate.SENT)
    assert projection.fate(2) == EntryFate(Fate.NEVER, Reason.ABORTED_OR_ERROR)


def test_a_pruned_result_that_is_cut_stays_pruned_and_a_pinned_one_is_cut() -> None:
    entries = chain(
        user("1", None), assistant("2", None, calls=("c",)), result("3", None), user("4", None),
        mark(Kind.TOOL_PRUNE, "p", None, "4"), omission("o", "3", CUT), mark(Kind.PIN, "pin", None, "1"),
        compaction("s", None, "4"), omission("o1", "1", CUT),
    )  # fmt: skip
    assert at(entries, "o").fate(2) == EntryFate(Fate.PRUNED)
    assert at(entries, "o").messages[2].form is Form.PRUNED
    assert at(entries, "o1").fate(0) == EntryFate(Fate.CUT)
    assert at(entries, "o1").messages[1].form is Form.CUT


def test_an_exchange_is_a_call_with_the_results_that_follow() -> None:
    tree = Tree.from_entries(TOOLS)
    line = PathTotals(tree, tree.path(8))
    assert exchange(line, 2) == (1, 2)
    assert exchange(line, 1) == (1, 2)
    assert exchange(line, 0) == (0,)
    orphan = Tree.from_entries([result("r", None)])
    assert exchange(PathTotals(orphan, orphan.path(0)), 0) == (0,)
    parted = Tree.from_entries(chain(assistant("a", None, calls=("c",)), user("u", None), result("r", None)))
    assert exchange(PathTotals(parted, parted.path(2)), 2) == (0, 2)


def test_settings_between_the_results_of_a_call_do_not_separate_them() -> None:
    entries = chain(
        assistant("a", None, calls=("c", "d")), result("r", None, call="c"),
        mark(Kind.MODEL_CHANGE, "m", None, None), result("s", None, call="d"), user("u", None),
    )  # fmt: skip
    line = PathTotals.through(Tree.from_entries(entries), 4)
    assert exchange(line, 0) == exchange(line, 3) == (0, 1, 2, 3)


def test_a_given_line_is_used_when_it_holds_the_entry() -> None:
    tree = Tree.from_entries(COMPACTED)
    line = PathTotals.through(tree, 3)
    assert context_at(tree, 3, line).path_totals is line
    other = Tree.from_entries(COMPACTED)
    assert context_at(other, 3, line).path_totals is not line


def test_an_entry_below_the_context_has_no_fate() -> None:
    tree = Tree.from_entries(COMPACTED)
    projection = context_at(tree, 1, PathTotals.through(tree, 3))
    assert projection.fate(1).fate is Fate.SENT
    with pytest.raises(KeyError):
        projection.fate(2)


def test_a_line_whose_entries_were_written_out_of_order() -> None:
    entries = [user("b", "a"), user("a", None), user("x", None)]
    tree = Tree.from_entries(entries)
    line = PathTotals.through(tree, 1)
    assert list(line.path) == [1, 0]
    assert line.position(0) == 1
    assert 2 not in line
    with pytest.raises(KeyError):
        PathTotals.through(tree, 2).position(0)
    assert len(PathTotals.through(tree, None)) == 0


@given(entry_lists(damaged=True))
def test_every_entry_of_every_path_has_one_fate_that_agrees_with_the_messages(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for entry in range(len(tree)):
        projection = context_at(tree, entry)
        listed = [message.entry for message in projection.messages]
        assert len(set(listed)) == len(listed)
        for other in projection.path:
            fate = projection.fate(other)
            if fate.fate in (Fate.SENT, Fate.PRUNED, Fate.PINNED):
                assert other in listed or projection.path_totals.position(other) in projection.skills
            if fate.fate is Fate.SUMMARISED:
                assert other not in listed
                assert fate.by == projection.compaction_entry
            assert fate.fate is not Fate.NEVER or fate.reason is not None
            assert fate.reason is None or fate.fate is Fate.NEVER or fate.reason in SUPERSEDED.values()
            assert fate.reason not in SUPERSEDED.values() or fate.fate is Fate.PRUNED


@given(entry_lists(damaged=True))
def test_a_shared_path_gives_the_same_projection_as_a_new_one(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for leaf in range(len(tree)):
        line = PathTotals.through(tree, leaf)
        for entry in line.path:
            moved, fresh = context_at(tree, entry, line), context_at(tree, entry)
            assert moved.messages == fresh.messages
            assert (moved.model, moved.level, moved.path) == (fresh.model, fresh.level, fresh.path)


# -- tools that a pruning keeps, and results that later ones replace


def looked(*tools: str) -> list[Entry]:
    return [
        entry
        for at, tool in enumerate(tools)
        for entry in (
            assistant(f"a{at}", None, calls=(f"c{at}",)),
            result(f"r{at}", None, "x" * 400, call=f"c{at}", tool=tool),
        )
    ]


def forms(entries: list[Entry]) -> str:
    """Return the results of the context: in parentheses when they are pruned."""
    projection = at(entries, entries[-1].id)
    shown = [
        (entries[message.entry].id, message.form is Form.PRUNED)
        for message in projection.messages
        if entries[message.entry].role is Role.TOOL_RESULT
    ]
    for id, is_pruned in shown:
        fate = projection.fate([entry.id for entry in entries].index(id)).fate
        assert (fate is Fate.PRUNED) is is_pruned
    return " ".join(f"({id})" if is_pruned else id for id, is_pruned in shown)


def test_a_pruning_names_the_tools_that_it_keeps() -> None:
    steps = looked("read", "book", "Grep", "read")
    pruning = mark(Kind.TOOL_PRUNE, "p", None, "r2", "book\nGrep")
    assert forms(chain(user("u", None), *steps, pruning)) == "(r0) r1 r2 r3"
    nobody = mark(Kind.TOOL_PRUNE, "p", None, "r2", "other")
    assert forms(chain(user("u", None), *steps, nobody)) == "(r0) (r1) (r2) r3"


def test_the_results_that_a_pruning_keeps_are_found_once_for_all_contexts_below() -> None:
    pruning = mark(Kind.TOOL_PRUNE, "p", None, "r1", "book")
    entries = chain(user("u", None), *looked("book", "read"), pruning, user("v", None))
    tree = Tree.from_entries(entries)
    here, below = context_at(tree, len(tree) - 2), context_at(tree, len(tree) - 1)
    assert len(here.kept_results) == 1
    assert below.kept_results is here.kept_results


def test_what_an_earlier_pruning_left_out_stays_left_out() -> None:
    """The text before it does not change again, so the provider's cache stays valid."""
    steps = looked("book", "read", "book", "book", "read")
    first, second = mark(Kind.TOOL_PRUNE, "p", None, "r0"), mark(Kind.TOOL_PRUNE, "q", None, "r4", "book")
    entries = chain(user("u", None), *steps[:4], first, *steps[4:], second, user("v", None))
    assert forms(entries) == "(r0) (r1) r2 r3 (r4)"
    third = mark(Kind.TOOL_PRUNE, "q", None, "r4")
    assert forms(chain(*entries, third)) == "(r0) (r1) (r2) (r3) (r4)"


def test_a_pinned_result_of_a_kept_tool_stays_whole() -> None:
    steps = looked("book", "read")
    entries = [
        *chain(user("u", None), *steps, mark(Kind.TOOL_PRUNE, "p", None, "r1", "book"), compaction("s", None, "v"),
               user("v", None)),
        mark(Kind.PIN, "pin", "v", "r0"), mark(Kind.PIN, "pin2", "v", "r1"),
    ]  # fmt: skip
    assert forms(entries) == "r0 (r1)"


@pytest.mark.parametrize("name", ["read-again", "changed-since", "run-again"])
def test_a_replaced_result_becomes_the_name_of_its_tool(name: str) -> None:
    entries = chain(user("u", None), *looked("read", "read"), mark(Kind.OMISSION, "o", None, "r0", name))
    assert forms(entries) == "(r0) r1"
    fate = at(entries, "o").fate(2)
    assert (fate.fate, fate.reason is not None and fate.reason.text) == (Fate.PRUNED, name)
    whole = chain(*entries, mark(Kind.OMISSION, "w", None, "r0", WHOLE))
    assert forms(whole) == "r0 r1"
    message = chain(user("u", None), mark(Kind.OMISSION, "o", None, "u", name))
    assert at(message, "o").fate(0).fate is Fate.SENT

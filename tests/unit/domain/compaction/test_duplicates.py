"""Tool results that later ones replace: what counts as a duplicate, and what does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.compaction import duplicates as module
from stemmata.domain.compaction.duplicates import duplicates_of
from stemmata.domain.compaction.pruning import PruneOccasion, plan_prune
from stemmata.domain.context.breakdown import breakdown_of, message_parts
from stemmata.domain.context.projection import CUT, OUT, Fate, Form, Reason, context_at
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.requests.message_normalizer import CallResult, normalize
from stemmata.domain.text.json_text import compact_json
from tests.unit.domain.trees import chain, compaction, mark, user

LONG = "line of a file\n" * 20  # 75 tokens


class Listed:
    """The content of entries in a list."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.asked: list[int] = []

    def calls(self, replies: Sequence[int]) -> Mapping[int, Sequence[ToolCall]]:
        self.asked += replies
        return {at: [block for block in self.entries[at].blocks if isinstance(block, ToolCall)] for at in replies}

    def answered(self, results: Sequence[int]) -> Mapping[int, str]:
        return {at: self.entries[at].call for at in results}

    def whole(self, entry: int) -> Entry:
        return self.entries[entry]


def asked(
    id: str, name: str, text: str = LONG, *, failed: bool = False, details: str = "", **arguments: Any
) -> list[Entry]:
    """A call and its result. The reply has the id in capitals."""
    call = ToolCall(id, name, compact_json(arguments))
    flags = Flag.FAILED if failed else Flag.NONE
    answer = Entry(
        id=id, role=Role.TOOL_RESULT, blocks=(Text(text),), tool=name, call=id, flags=flags, details=details
    )
    reply = Entry(id=id.upper(), role=Role.ASSISTANT, blocks=(call,), provider="p", model="m")
    return [reply, answer]


def path(*steps: list[Entry] | Entry) -> list[Entry]:
    listed = [entry for step in steps for entry in (step if isinstance(step, list) else [step])]
    return chain(user("u", None), *listed)


def found(entries: list[Entry], leaf: int | None = None) -> list[tuple[str, str, str]]:
    """Return the duplicates as (replaced, by, reason)."""
    tree = Tree.from_entries(entries)
    leaf = len(entries) - 1 if leaf is None else leaf
    made = duplicates_of(context_at(tree, leaf), Listed(entries))
    assert all(tree.tokens(each.entry) - each.tokens <= 3 for each in made)
    return [(entries[each.entry].id, entries[each.by].id, each.reason.text) for each in made]


# -- files that are read


@pytest.mark.parametrize(
    ("name", "argument"), [("Read", "file_path"), ("read", "path"), ("read_file", "filePath"), ("view", "path")]
)
def test_a_file_that_is_read_again(name: str, argument: str) -> None:
    one, other = (dict[str, Any]({argument: text}) for text in ("./src/x.py", "src/x.py"))
    entries = path(asked("a", name, failed=False, **one), asked("b", name, failed=False, **other))
    assert found(entries) == [("a", "b", "read-again")]


def test_another_file_is_no_duplicate() -> None:
    assert found(path(asked("a", "read", path="x.py"), asked("b", "read", path="y.py"))) == []


def test_the_same_part_is_read_again() -> None:
    first: dict[str, Any] = {"path": "x.py", "offset": 1, "limit": 50}
    other = first | {"offset": 51}
    entries = path(asked("a", "read", **first), asked("b", "read", **other), asked("c", "read", **first))
    assert found(entries) == [("a", "c", "read-again")]


def test_a_part_is_replaced_by_the_whole_file_unless_that_may_be_cut() -> None:
    part = asked("a", "read", path="x.py", offset=9)
    assert found(path(part, asked("b", "read", path="x.py"))) == [("a", "b", "read-again")]
    assert found(path(part, asked("b", "read", "x\n" * 2_000, path="x.py"))) == []
    assert found(path(part, asked("b", "read", "x" * 50_000, path="x.py"))) == []
    assert found(path(asked("a", "read", path="x.py"), asked("b", "read", path="x.py", offset=9))) == []


def test_a_file_that_was_changed_and_is_read_again() -> None:
    edit = asked("e", "edit", "ok", path="x.py", oldText="a", newText="b")
    entries = path(asked("a", "read", path="x.py"), edit, asked("b", "read", path="x.py"))
    assert found(entries) == [("a", "b", "changed-since")]
    later = path(asked("a", "read", path="x.py"), asked("b", "read", path="x.py"), edit)
    assert found(later) == [("a", "b", "read-again")]


def test_after_an_edit_alone_the_model_still_needs_the_rest_of_the_file() -> None:
    edit = asked("e", "edit", "ok", path="x.py", oldText="a", newText="b")
    assert found(path(asked("a", "read", path="x.py"), edit)) == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Write", {"file_path": "x.py", "content": "new"}),
        ("write", {"path": "x.py", "content": "new"}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "x.py", "file_text": "new"}),
    ],
)
def test_a_file_that_is_written_as_a_whole(name: str, arguments: dict[str, Any]) -> None:
    entries = path(asked("a", "read", path="x.py", offset=2), asked("w", name, "ok", **arguments))
    assert found(entries) == [("a", "W", "changed-since")]
    failed = path(asked("a", "read", path="x.py"), asked("w", name, "no", failed=True, **arguments))
    assert found(failed) == []


def test_what_writes_only_a_part_replaces_nothing() -> None:
    changes: dict[str, dict[str, Any]] = {
        "append_file": {"content": "x"},
        "NotebookEdit": {"new_source": "x"},
        "write": {},
    }
    for name, more in changes.items():
        assert found(path(asked("a", "read", path="x.py"), asked("w", name, "ok", path="x.py", **more))) == []


def test_a_read_of_several_files_needs_all_of_them() -> None:
    both, one = asked("a", "read_files", paths=["x.py", "y.py"]), asked("b", "read", path="x.py")
    assert found(path(both, one)) == []
    assert found(path(both, one, asked("c", "read", path="y.py"))) == [("a", "c", "read-again")]


def test_a_failed_read_is_no_read() -> None:
    assert found(path(asked("a", "read", path="x.py"), asked("b", "read", "gone", path="x.py", failed=True))) == []


def test_of_several_reads_the_last_stays() -> None:
    reads = [asked(id, "read", path="x.py") for id in ("a", "b", "c")]
    assert found(path(*reads)) == [("a", "c", "read-again"), ("b", "c", "read-again")]


# -- failed calls


def test_a_failed_command_that_is_run_again() -> None:
    """The later run counts whatever its outcome, because it shows the present state."""
    first = asked("a", "bash", command="make test", failed=True)
    assert found(path(first, asked("b", "bash", command="make test"))) == [("a", "b", "run-again")]
    again = asked("b", "bash", "other " * 30, command="make test", failed=True)
    assert found(path(first, again)) == [("a", "b", "run-again")]
    assert found(path(first, asked("b", "bash", command="make lint"))) == []


def test_the_exit_code_says_that_a_command_failed() -> None:
    first = asked("a", "shell", details='{"exit_code": 2}', command=["bash", "-lc", "make test"])
    entries = path(first, asked("b", "shell", "fine " * 30, details='{"exit_code": 0}', command="make test"))
    assert found(entries) == [("a", "b", "run-again")]


def test_a_run_that_was_cancelled_replaces_nothing() -> None:
    first = asked("a", "bash", command="make test", failed=True)
    assert found(path(first, asked("b", "bash", "Command aborted", command="make test", failed=True))) == []


def test_a_failed_call_about_the_same_file_that_succeeds_later() -> None:
    first = asked("a", "edit", failed=True, path="x.py", oldText="a", newText="b")
    entries = path(first, asked("b", "edit", "ok", path="x.py", oldText="aa", newText="b"))
    assert found(entries) == [("a", "b", "run-again")]
    assert found(path(first, asked("b", "edit", path="x.py", oldText="c", newText="d", failed=True))) == []
    nameless = path(asked("a", "check", failed=True, deep=True), asked("b", "check", deep=False))
    assert found(nameless) == []


# -- the same output


def test_the_same_call_with_the_same_output() -> None:
    entries = path(asked("a", "bash", command="cat x.py"), asked("b", "bash", command="cat x.py"))
    assert found(entries) == [("a", "b", "run-again")]
    other = LONG[:-5] + "other"
    assert len(other) == len(LONG)
    for text in (other, LONG + "more"):
        assert found(path(asked("a", "grep", pattern="x"), asked("b", "grep", text, pattern="x"))) == []
    same = path(asked("a", "write", path="x", content="y"), asked("b", "write", path="x", content="y"))
    assert found(same) == []


# -- what stays out of it


def test_small_results_are_not_worth_it() -> None:
    assert found(path(asked("a", "read", "short", path="x.py"), asked("b", "read", path="x.py"))) == []


def test_pinned_results_stay() -> None:
    entries = path(asked("a", "read", path="x.py"), asked("b", "read", path="x.py"))
    assert found([*entries, mark(Kind.PIN, "p", "b", "a")], 4) == []
    assert found([*entries, mark(Kind.PIN, "p", "b", "b")], 4) == [("a", "b", "read-again")]


@pytest.mark.parametrize("name", [CUT, OUT, "read-again"])
def test_only_what_is_sent_as_a_whole_replaces_a_result(name: str) -> None:
    entries = path(
        asked("a", "read", path="x.py"), asked("b", "read", path="x.py"), mark(Kind.OMISSION, "o", None, "b", name)
    )
    assert found(entries) == []
    written = path(
        asked("a", "read", path="x.py"),
        asked("w", "write", "ok", path="x.py", content="y"),
        mark(Kind.OMISSION, "o", None, "W", CUT),
    )
    assert found(written) == []


def test_only_the_context_is_looked_at() -> None:
    reads = path(
        asked("a", "read", path="x.py"),
        asked("b", "read", path="x.py"),
        user("v", None),
        asked("c", "read", path="x.py"),
    )
    compacted = chain(*reads, compaction("s", None, "v"), user("w", None))
    assert found(compacted) == []
    pruned = chain(*reads, mark(Kind.TOOL_PRUNE, "p", None, "a"), user("w", None))
    assert found(pruned) == [("b", "c", "read-again")]


def test_results_without_a_call_are_left_alone() -> None:
    lost = [asked(id, "read", path="x.py")[1] for id in ("a", "b")]
    assert found(path(*lost)) == []
    assert found([user("u", None)]) == []


def test_calls_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = path(asked("a", "read", path="x.py"), asked("b", "read", path="x.py"), asked("c", "read", path="x.py"))
    tree, contents = Tree.from_entries(entries), Listed(entries)
    for _ in range(2):
        assert len(duplicates_of(context_at(tree, 6), contents)) == 2
    assert contents.asked == [1, 3, 5]
    monkeypatch.setattr(module, "MOST_RESULTS", 2)
    assert len(duplicates_of(context_at(tree, 6), contents)) == 1


@pytest.mark.parametrize("turns", [10, 100])
def test_only_the_calls_of_the_last_context_are_kept(turns: int) -> None:
    """A long session calls tools tens of thousands of times, and the facts of its tree stay in memory."""
    entries = [user("0", None)]
    for turn in range(turns):
        reads = [*asked(f"a{turn}", "read", path="x.py"), *asked(f"b{turn}", "read", path="x.py")]
        entries += [*reads, user(f"u{turn}", None), compaction(f"c{turn}", None, f"u{turn}")]
    tree, contents = Tree.from_entries(chain(*entries)), Listed(chain(*entries))
    for at in range(len(tree)):
        duplicates_of(context_at(tree, at), contents)
    kept = [value for facts in tree.memo["facts"].values() for values in facts.values() for value in values]
    assert len(contents.asked) == 2 * turns
    assert len(kept) <= 8


def test_results_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = path(
        asked("a", "bash", command="make"), asked("b", "bash", command="make"),
        asked("c", "grep", pattern="x"), asked("d", "grep", pattern="x"),
    )  # fmt: skip
    tree, contents = Tree.from_entries(entries), Listed(entries)
    first = duplicates_of(context_at(tree, 8), contents)
    assert [(each.entry, each.by) for each in first] == [(2, 4), (6, 8)]

    def whole(_entry: int) -> Entry:
        raise AssertionError("a result is read again")

    monkeypatch.setattr(contents, "whole", whole)
    assert duplicates_of(context_at(tree, 8), contents) == first


# -- pruned


def pruned(entries: list[Entry]) -> list[Entry]:
    """Return the entries with the marks of a pruning of the duplicates below them."""
    plan = plan_prune(
        Tree.from_entries(entries), len(entries) - 1, occasion=PruneOccasion.DUPLICATES,
        find=lambda projection: duplicates_of(projection, Listed(entries)),
    )  # fmt: skip
    marks = [
        mark(Kind.OMISSION, f"m{number}", None, entries[each.entry].id, each.reason.text)
        for number, each in enumerate(plan.duplicates)
    ]
    return chain(*entries, *marks)


def test_a_pruned_duplicate_has_its_reason() -> None:
    entries = pruned(path(asked("a", "read", path="x.py"), asked("b", "read", path="x.py")))
    projection = context_at(Tree.from_entries(entries), len(entries) - 1)
    assert projection.fate(2).fate is Fate.PRUNED
    assert projection.fate(2).reason is Reason.READ_AGAIN
    assert [message.form for message in projection.messages if message.entry == 2] == [Form.PRUNED]
    assert breakdown_of(projection).largest[0].entry == 4
    with pytest.raises(NothingToDoError, match="replaced by a later one"):
        pruned(entries)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["read", "edit", "write", "bash", "grep"]),
        st.sampled_from(["x", "y"]),
        st.booleans(),
        st.sampled_from([LONG, LONG + "more", "short"]),
    ),
    max_size=12,
)


@given(STEPS)
def test_pruning_duplicates_keeps_calls_and_results_together_and_frees_what_it_says(
    steps: list[tuple[str, str, bool, str]],
) -> None:
    made = [
        asked(f"r{at}", name, text, failed=failed, path=subject, command=subject, content="c")
        for at, (name, subject, failed, text) in enumerate(steps)
    ]
    entries = path(*made, user("end", None))
    tree = Tree.from_entries(entries)
    before = context_at(tree, len(entries) - 1)
    found = duplicates_of(before, Listed(entries))
    assert not {each.entry for each in found} & {each.by for each in found if tree.role(each.by) is Role.TOOL_RESULT}
    if not found:
        return
    marked = pruned(entries)
    after = context_at(Tree.from_entries(marked), len(marked) - 1)
    freed = sum(message_parts(before).values()) - sum(message_parts(after).values())
    assert freed == sum(each.tokens for each in found)
    assert [message.entry for message in after.messages] == [message.entry for message in before.messages]
    calls = [block.id for entry in entries for block in entry.blocks if isinstance(block, ToolCall)]
    request = normalize((marked[message.entry], message.form) for message in after.messages)
    assert [message.call for message in request if isinstance(message, CallResult)] == calls
    undone = context_at(Tree.from_entries(marked), len(entries) - 1)
    assert undone.messages == before.messages
    assert message_parts(undone) == message_parts(before)


def test_a_reply_that_names_a_call_twice_is_no_trouble() -> None:
    [reply, answer] = asked("a", "read", path="x.py")
    twice = replace(reply, blocks=reply.blocks * 2)
    assert found(path([twice, answer], asked("b", "read", path="x.py"))) == [("a", "b", "read-again")]

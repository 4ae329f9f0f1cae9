"""Prompts are the messages that a person wrote."""

from __future__ import annotations

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.prompts import is_prompt, prompts_of
from stemmata.domain.entries.tree import Tree
from tests.unit.domain.trees import assistant, chain, compaction, ids, user


def test_a_prompt_is_a_message_of_the_user_that_no_tool_wrote_and_that_is_shown() -> None:
    assert is_prompt(Kind.MESSAGE, Role.USER, Flag.NONE)
    assert is_prompt(Kind.MESSAGE, Role.USER, Flag.REPAIRED | Flag.OWN)
    assert not is_prompt(Kind.MESSAGE, Role.USER, Flag.INJECTED)
    assert not is_prompt(Kind.MESSAGE, Role.USER, Flag.HIDDEN)
    assert not is_prompt(Kind.MESSAGE, Role.ASSISTANT, Flag.NONE)
    assert not is_prompt(Kind.CUSTOM_MESSAGE, Role.CUSTOM, Flag.NONE)


def test_the_prompts_among_entries_come_in_the_order_of_the_entries() -> None:
    entries = chain(
        user("1", None),
        assistant("2", None),
        user("3", None, name="attachment:queued_command"),
        user("4", None, flags=Flag.INJECTED),
        compaction("5", None, None),
        Entry(id="6", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, blocks=(Text("a note"),)),
        user("7", None),
    )
    tree = Tree.from_entries(entries)
    assert ids(tree, entries, prompts_of(tree, range(len(tree)))) == ["1", "3", "7"]
    assert ids(tree, entries, prompts_of(tree, (5, 3, 2, 1))) == ["3"]

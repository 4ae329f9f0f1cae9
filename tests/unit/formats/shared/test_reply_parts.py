"""A message is split at its tool results."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.formats.shared.reply_parts import Result, split_at_results

WHOLE = Entry(id="m", role=Role.ASSISTANT, flags=Flag.ENDS_TURN, details="{}")
DONE = Result("c", "read", (Text("done"),))


@pytest.mark.parametrize(
    ("parts", "ids", "last"),
    [
        ([Text("a")], ["m"], 0),
        ([], ["m"], 0),
        ([Text("a"), DONE], ["m", "m#2"], 0),
        ([Text("a"), DONE, Text("b")], ["m", "m#2", "m#3"], 2),
    ],
)
def test_flags_belong_to_the_last_entry_that_is_no_result(
    parts: list[Text | Result], ids: list[str], last: int
) -> None:
    found = list(split_at_results(WHOLE, parts))
    assert [entry.id for entry in found] == ids
    assert [at for at, entry in enumerate(found) if entry.flags] == [last]
    assert found[last].details == "{}"


def test_a_message_of_results_only() -> None:
    first, second = split_at_results(WHOLE, [DONE, DONE])
    assert [(first.id, first.role), (second.id, second.role)] == [("m", Role.TOOL_RESULT), ("m#2", Role.TOOL_RESULT)]
    assert not first.flags | second.flags

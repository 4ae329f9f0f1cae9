"""Task lists are read from the arguments and the texts of any agent's tools."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.domain.tool_calls.tasks import ToolTask, listed_tasks, tasks_of, written_tasks


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"todos": [{"content": "a", "status": "completed"}, "b", 7, {"status": "pending"}]}, ["☑ a", "☐ b"]),
        ({"plan": [{"step": "a", "status": "in_progress"}, {"step": "b", "status": "cancelled"}]}, ["◐ a", "☒ b"]),
        ({"todos": "[x] a\n[-] b\n[ ] c\nwords"}, ["☑ a", "◐ b", "☐ c"]),
        ({"taskId": "3", "subject": "a", "status": "completed"}, ["☑ #3 a"]),
        ({"subject": "a"}, ["☐ a"]),
        ({"taskId": 3}, []),
        ({}, []),
    ],
)
def test_tasks_of_a_call(arguments: dict[str, Any], found: list[str]) -> None:
    assert [f"{task.mark} {task.text}" for task in tasks_of(arguments)] == found


def test_tasks_in_a_text() -> None:
    assert written_tasks("#1 [completed] Look\n- [ ] Mend\n2. [~] Test") == [
        ToolTask("#1 Look", "☑"), ToolTask("Mend", "☐"), ToolTask("Test", "◐"),
    ]  # fmt: skip
    assert listed_tasks({"subject": "a"}) == []

from __future__ import annotations

import pytest
from hypothesis import given

from stemmata.domain.compaction.summary.sections import (
    Section,
    list_items,
    section_groups,
    sections_of,
    split_file_lists,
    structure_problems,
)
from tests.strategies import texts

GOOD = "\n\n".join(f"## {section.value}\n\n- something" for section in Section)

PI = """\
## Goal
Refactor the agent.

## Constraints & Preferences
- no unit tests

## Progress
### Done
- [x] plan

### In Progress
- [ ] code

## Key Decisions
- **One class**: simpler

## Next Steps
1. go on

## Critical Context
- (none)

<read-files>
a.py
</read-files>

<modified-files>
b.py
</modified-files>"""


def test_all_sections_are_found() -> None:
    found, rest = sections_of(GOOD)
    assert list(found) == list(Section)
    assert rest == ""


def test_sections_of_pi_are_found() -> None:
    found, rest = sections_of(PI)
    assert rest == ""
    assert found[Section.CONSTRAINTS] == "- no unit tests"
    assert found[Section.CRITICAL] == "- (none)"
    assert section_groups(found[Section.PROGRESS]) == {"Done": "- [x] plan", "In Progress": "- [ ] code"}


def test_other_text_is_returned_unchanged() -> None:
    found, rest = sections_of("# Title\n\n## Goal\n\ng\n\n## Branch\n\n`x`\n\n## Goal\n\ntwice")
    assert found == {Section.GOAL: "g"}
    assert rest == "# Title\n\n## Branch\n\n`x`\n\n## Goal\n\ntwice"


@pytest.mark.parametrize("text", ["", "just prose", "## Progress\n\nno goal"])
def test_a_summary_without_a_goal_has_no_known_sections(text: str) -> None:
    assert sections_of(text) == ({}, text)


def test_headings_inside_code_do_not_count() -> None:
    found, _ = sections_of("## Goal\n\n```\n## Progress\n```\n\n## Errors\n\n- x")
    assert list(found) == [Section.GOAL, Section.ERRORS]


def test_groups_of_one_name_are_joined() -> None:
    assert section_groups("lead\n### A\n1\n### B\n### A\n2") == {"": "lead", "A": "1\n\n2"}


def test_items() -> None:
    body = "- one\n  more\n* two\n1. three\n\ntext\n- None\n-"
    assert list_items(body) == ["- one\n  more", "* two", "1. three\n\ntext"]
    assert list_items("prose\non lines") == ["prose\non lines"]
    assert list_items("") == []


def test_a_good_summary_has_no_problems() -> None:
    assert structure_problems(GOOD) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (" \n", "The summary is empty."),
        ("Sure! Here it is.\n\n" + GOOD, "There is text before the first section."),
        (GOOD.replace("## Key decisions\n\n- something\n\n", ""), "The section “Key decisions” is missing."),
        (GOOD + "\n\n## Goal\n\n- again", "A section comes twice."),
        (
            GOOD.replace("## Goal", "## X").replace("## Progress", "## Goal").replace("## X", "## Progress"),
            "The sections are not in order.",
        ),
        (GOOD.replace("## Errors\n\n- something", "## Errors"), "The section “Errors” is empty."),
        (GOOD + "\n\n```python\ncut", "A code block is not closed: the text was cut off."),
    ],
)
def test_problems(text: str, problem: str) -> None:
    assert structure_problems(text) == [problem]


def test_an_additional_section_is_no_problem() -> None:
    assert structure_problems(GOOD + "\n\n## Extra\n\n") == []


@given(texts())
def test_any_text_is_read(text: str) -> None:
    sections_of(text)
    assert structure_problems(text)


def test_the_file_lists_are_found_and_removed() -> None:
    read, modified = "<read-files>\na.py\nb c.py\n</read-files>", "<modified-files>\nb.py\n</modified-files>"
    text, files = split_file_lists(f"All is well.\n\n{read}\n\n{modified}")
    assert text == "All is well."
    assert files == (("a.py", "b c.py"), ("b.py",))
    assert split_file_lists("See <read-files>.") == ("See <read-files>.", ((), ()))

"""The text of a hit: Markdown marks are removed from what people and models write, not from what programs print."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit

SNIPPET = "# the **\ue000total\ue001** of `a`"


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_prose_has_no_marks(role: Role) -> None:
    assert hit(role).plain_snippet == "the \ue000total\ue001 of a"


@pytest.mark.parametrize("role", [Role.TOOL_RESULT, Role.BASH_EXECUTION])
def test_output_is_unchanged(role: Role) -> None:
    assert hit(role).plain_snippet == SNIPPET


def hit(role: Role) -> Hit:
    return Hit(session=1, entry=1, id="a", role=role, kind=Kind.MESSAGE, time=0, snippet=SNIPPET)

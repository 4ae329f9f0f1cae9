"""What stands beside the title of a session in the results."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stemmata.domain.sessions.session import Session
from stemmata.gui.search.words import project_of


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("/code/irrlicht/.claude/worktrees/113", "irrlicht"),
        ("C:\\code\\app", "app"),
        ("/code/app/", "app"),
        ("", ""),
    ],
)
def test_a_worktree_is_named_by_its_repository(
    make_session: Callable[..., Session], folder: str, project: str
) -> None:
    assert project_of(make_session(1, cwd=folder)) == project

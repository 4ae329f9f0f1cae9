"""Which session file a subagent's file belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.formats.claude_code.reader import main_file_of


@pytest.mark.parametrize(
    ("path", "main"),
    [
        ("/p/session/subagents/agent-1.jsonl", "/p/session.jsonl"),
        ("/p/session/subagents/deep/agent-1.jsonl", "/p/session.jsonl"),
        ("/p/session.jsonl", None),
        ("/subagents/agent-1.jsonl", None),  # no session has this folder
        ("/p/subagents", None),
    ],
)
def test_the_main_file_is_beside_the_folder_of_the_session(path: str, main: str | None) -> None:
    assert main_file_of(Path(path)) == (None if main is None else Path(main))

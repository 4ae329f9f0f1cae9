"""Copying one entry: a short one at once, a long one without reading it on the GUI thread."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from PySide6.QtGui import QGuiApplication

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.tool_calls.kinds import MOST_READ
from stemmata.gui.transcript.controller import CopiedEntries, TranscriptController
from stemmata.gui.widgets.clipboard import put_on_clipboard
from tests.fakes.conversation import user
from tests.fakes.pages import FakePages


def copied_by_the_other_thread(text: str) -> list[int]:
    """Copy an entry with this text; return the keys that were left to the database thread."""
    left: list[int] = []
    services = SimpleNamespace(pages=FakePages([user(text)]), entries=None)
    told = SimpleNamespace(_services=services, copy_text=left.append, _on_text_read=put_on_clipboard)
    TranscriptController.copy_entries(cast("Any", told), [0])
    return left


def test_a_short_entry_is_copied_at_once(qapp: QGuiApplication) -> None:
    assert copied_by_the_other_thread("some words") == []
    assert QGuiApplication.clipboard().text() == "some words"


def test_a_long_entry_is_read_on_another_thread(qapp: QGuiApplication) -> None:
    QGuiApplication.clipboard().setText("before")
    assert copied_by_the_other_thread("some words " * 10_000) == [0]
    assert QGuiApplication.clipboard().text() == "before"


def test_long_arguments_of_a_call_are_not_parsed() -> None:
    """Parsing 2 MB keeps Python's lock for two frames. The line of the call on its card shows none of them either."""
    arguments = '{"path": "/a/b", "content": "' + "x" * MOST_READ + '"}'
    call, short = ToolCall("t1", "write", arguments), ToolCall("t2", "write", '{"path": "/a/b"}')
    pages = FakePages([Entry(id="a", role=Role.ASSISTANT, blocks=(call, short))])
    text = CopiedEntries([(0, None)], markdown=True)
    text.add([0], pages.rows([0]), pages.bodies([0], limit=1 << 30))
    whole = "".join(text.pieces)
    assert whole.endswith("\n\n- write\n- write `/a/b`")


def test_the_name_of_a_speaker_stands_once_also_where_entries_are_read_in_parts() -> None:
    pages = FakePages([user("one"), user("two"), user("three")])
    text = CopiedEntries([(0, None), (1, " half "), (2, None), (3, None)], markdown=True)
    for part in ([0, 1], [2, 3]):  # the archive has no entry 3
        text.add(part, pages.rows(part), pages.bodies(part, limit=1 << 30))
    assert "".join(text.pieces) == "## You\n\none\n\nhalf\n\nthree"

"""An archive that cannot be written to: its window shows what stood open in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journeys.person import Person


def test_the_last_session_is_opened_again(
    person: Person, session_file: Path, restart: Callable[[], Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    person.gui.opened.view_entry(person.key("ans000b0"))
    title = person.window.transcript.header.title
    person.application.close()
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # to root everything may be written
    later = restart()
    assert later.application.core.store.is_read_only
    later.window.show()
    later.gui.restore()
    later.until(lambda: later.gui.opened.session_tree is not None)
    assert later.window.transcript.header.title == title
    later.until(lambda: later.gui.opened.selection == later.key("ans000b0"))

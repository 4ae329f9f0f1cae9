"""Searching while one types: what was asked before gives way at once, and the window never waits for an answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import CancelledError
from stemmata.gui.palette.rows import HitRow
from stemmata.store.search.search import SearchRepository
from stemmata.system.models import static_embedding
from tests.fakes.embedding_model import install
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

LONG = PATIENCE  # seconds that a search takes which nobody ends


class Slow:
    """Replaces the store's search: a query `slow…` continues until it is stopped."""

    def __init__(self, real: Callable[..., Any]) -> None:
        self.begun: list[str] = []
        self.stopped: list[str] = []
        self.threads: set[int] = set()
        self._real = real

    def __call__(self, repository: SearchRepository, query: str, **asked: Any) -> Any:
        self.begun.append(query)
        self.threads.add(threading.get_ident())
        end = time.monotonic() + LONG
        while query.startswith("slow") and time.monotonic() < end:
            if asked["stopped"]():
                self.stopped.append(query)
                raise CancelledError
            time.sleep(0.001)
        return self._real(repository, query, **asked)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    slow = Slow(SearchRepository.unread_hits)
    monkeypatch.setattr(SearchRepository, "unread_hits", lambda *args, **more: slow(*args, **more))
    return slow


@pytest.fixture
def talker(person: Person, session_file: Path) -> Person:
    person.drop(session_file)
    person.until(lambda: person.window.sessions_model.total == 1)
    person.until(person.is_planned)  # the tree is there
    return person


def typed(person: Person, field: QLineEdit, text: str) -> None:
    """Type a text letter by letter, with a pause after each until it is searched for."""
    before = time.monotonic()
    QTest.keyClicks(field, text)
    assert time.monotonic() - before < LONG / 2


def test_in_the_palette_each_letter_ends_what_was_asked_before(talker: Person, slow: Slow) -> None:
    talker.window.actions_table["palette"].trigger()
    palette = talker.window.palette_box
    typed(talker, palette.field, "slow")
    talker.until(lambda: slow.begun == ["slow"])
    typed(talker, palette.field, "er")
    talker.until(lambda: "slower" in slow.begun)
    assert slow.stopped == ["slow"]
    palette.field.clear()
    talker.until(lambda: slow.stopped == ["slow", "slower"])
    typed(talker, palette.field, "the")
    talker.until(lambda: any(isinstance(row, HitRow) for row in palette.rows))
    assert set(slow.begun) == {"slow", "slower", "the"}
    assert threading.get_ident() not in slow.threads


def test_closing_the_palette_ends_what_was_asked(talker: Person, slow: Slow) -> None:
    talker.window.actions_table["palette"].trigger()
    palette = talker.window.palette_box
    typed(talker, palette.field, "slow")
    talker.until(lambda: slow.begun == ["slow"])
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    talker.until(lambda: slow.stopped == ["slow"])


def test_in_the_navigator_each_letter_ends_what_was_asked_before(talker: Person, slow: Slow) -> None:
    branches = talker.window.branches
    branches.search.open()
    typed(talker, branches.search.field, "slow")
    talker.until(lambda: bool(slow.begun))
    branches.search.field.clear()
    talker.until(lambda: slow.begun == slow.stopped)
    typed(talker, branches.search.field, "the")
    talker.until(lambda: (branches.list.model.match_count or 0) > 0)
    assert threading.get_ident() not in slow.threads


def test_the_palette_ranks_by_meaning_too(talker: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "model", monkeypatch)
    services = talker.application.services
    session = talker.gui.opened.key
    assert session is not None
    entry = Entry(id="of-a-cat", role=Role.USER, blocks=(Text("my cat sleeps"),))
    (key,) = talker.application.store.write(lambda writer: writer.append(session, [entry])).result(PATIENCE)
    talker.gui.controllers.preferences.change("search.meaning", "local")
    talker.until(lambda: services.searches_meaning)
    talker.until(lambda: bool(services.meaning.search("feline").result(PATIENCE).hits))
    asked: list[Sequence[str]] = []
    embed = static_embedding.StaticModel.embed

    async def counted(self: static_embedding.StaticModel, texts: Sequence[str]) -> Sequence[bytes]:
        asked.append(texts)
        return await embed(self, texts)

    monkeypatch.setattr(static_embedding.StaticModel, "embed", counted)
    talker.window.actions_table["palette"].trigger()
    palette = talker.window.palette_box
    typed(talker, palette.field, "feline")
    talker.until(lambda: any(isinstance(row, HitRow) and row.hit.entry == key for row in palette.rows))
    assert asked.count(["feline"]) == 1  # once for the hits here and those everywhere


def test_the_hits_of_the_words_stay_when_the_model_fails(talker: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_embedding, "find_spec", lambda _name: None)  # nothing is installed
    talker.gui.controllers.preferences.change("search.meaning", "local")
    talker.until(lambda: talker.application.services.searches_meaning)
    talker.window.actions_table["palette"].trigger()
    palette = talker.window.palette_box
    typed(talker, palette.field, "the")
    talker.until(lambda: any(isinstance(row, HitRow) for row in palette.rows))
    talker.until(lambda: "not installed" in talker.window.banner.text)
    assert any(isinstance(row, HitRow) for row in palette.rows)

"""The theme and sessions that tests of single widgets are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.sessions.session import Session
from stemmata.gui.theme.theme import Theme
from tests.fakes.transcripts import cards_at_once as cards_at_once

HOUR = 3600 * 10**9
NOW = 2_000_000 * HOUR // 4


@pytest.fixture(autouse=True)
def _english(qapp: QApplication) -> None:
    """Every test has the application, which holds the English plural forms, even a test that makes no widget."""


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme("dark")
    theme.apply(qapp)
    yield theme
    theme.deleteLater()


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    """A widget to put others into."""
    host = QWidget()
    qtbot.addWidget(host)
    return host


def _session(key: int, title: str = "", **facts: Any) -> Session:
    given: dict[str, Any] = {
        "id": f"s{key}", "source": "pi", "source_id": f"source-{key}", "named": False, "cwd": "/home/me/pi-mono",
        "parent": None, "leaf": None, "created_at": NOW, "updated_at": NOW - key * HOUR, "entries": 10, "branches": 1,
        "compactions": 0, "context_tokens": None, "context_kind": "unknown", "model": "anthropic/claude", "cost": 0,
    }  # fmt: skip
    return Session(key=key, title=title or f"Session {key}", **(given | facts))


@pytest.fixture
def make_session() -> Callable[..., Session]:
    """A session by key and title, an hour older for each key; any fact may be given."""
    return _session


@pytest.fixture
def now() -> int:
    return NOW

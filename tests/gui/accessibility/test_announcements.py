"""What begins and ends is said to those who do not see it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from stemmata.bootstrap.window import Application
from stemmata.domain.errors import KnownError
from stemmata.gui.widgets.announcer import announce
from tests.accessible.scenes import SCENES, until

POLITE = QAccessible.AnnouncementPoliteness.Polite


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Return the texts announced to a screen reader, and whether each is polite."""
    heard: list[tuple[str, bool]] = []

    def hear(event: object) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            heard.append((event.message(), event.politeness() is POLITE))

    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    return heard


def test_polite_unless_urgent_and_never_nothing(qtbot: object, said: list[tuple[str, bool]], widget: QWidget) -> None:
    announce(widget, "Done.")
    announce(widget, "It failed.", urgent=True)
    announce(widget, "")
    assert said == [("Done.", True), ("It failed.", False)]


def test_nobody_listens_nothing_is_said(
    said: list[tuple[str, bool]], monkeypatch: pytest.MonkeyPatch, widget: QWidget
) -> None:
    monkeypatch.setattr(QAccessible, "isActive", lambda: False)
    announce(widget, "Done.")
    assert said == []


@pytest.fixture
def widget(qapp: object) -> Iterator[QWidget]:
    widget = QWidget()
    yield widget
    widget.deleteLater()


def test_an_import_says_when_it_starts_and_what_came_of_it(
    application: Application, said: list[tuple[str, bool]]
) -> None:
    SCENES["main"](application)
    texts = [text for text, _polite in said]
    assert "Importing" in texts
    assert "1 session, 73 new entries." in texts
    assert all(polite for _text, polite in said)


def test_a_compaction_says_when_its_draft_is_there_and_when_it_is_done(
    reading: Application, said: list[tuple[str, bool]]
) -> None:
    SCENES["workbench"](reading)
    texts = [text for text, _polite in said]
    assert texts[0] == "writing the digest…"
    assert texts[-1].startswith("digest · ")
    reading.window.workbench.accept.click()
    until(lambda: any(text.startswith("Compacted ") for text, _polite in said))


def test_a_search_says_how_much_it_found(reading: Application, said: list[tuple[str, bool]]) -> None:
    SCENES["palette"](reading)
    until(lambda: any(text.endswith(" hits") for text, _polite in said))


def test_an_error_interrupts(application: Application, said: list[tuple[str, bool]]) -> None:
    application.window.banner.tell_error(KnownError("The archive is read-only."))
    assert said == [("The archive is read-only.", False)]

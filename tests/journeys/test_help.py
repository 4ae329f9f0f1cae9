"""Help: the guide, what is new, and the menu of the desktop."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from tests.journeys.person import Person


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[QUrl]:
    """The pages that a browser was asked to show."""
    urls: list[QUrl] = []

    def open_url(url: QUrl) -> bool:
        urls.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    return urls


@pytest.mark.parametrize(("action", "words"), [("guide", "First five minutes"), ("whats-new", "0.1.0")])
def test_help_shows_a_page_in_the_browser(action: str, words: str, person: Person, shown: list[QUrl]) -> None:
    person.window.actions_table[action].trigger()
    person.until(lambda: bool(shown))
    assert words in Path(shown[0].toLocalFile()).read_text(encoding="utf-8")


def test_without_a_browser_the_page_is_named(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    person.window.actions_table["guide"].trigger()
    person.until(lambda: "guide.html" in person.window.toast.text)


def test_the_program_is_added_to_the_menu_and_removed(
    person: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    did: list[str] = []

    class Files:
        def install(self) -> Path:
            did.append("install")
            return tmp_path

        def remove(self) -> int:
            did.append("remove")
            return 1

    services = person.application.services
    services.adopt_desktop(Files(), services.guide)
    person.window.actions_table["install-for-user"].trigger()
    person.until(lambda: "in the menu" in person.window.toast.text)
    person.window.toast.click()
    person.until(lambda: did == ["install", "remove"])

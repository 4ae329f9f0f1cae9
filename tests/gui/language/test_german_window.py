"""The window in German: asked for in the settings, and whole in the smallest size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import Application, build
from tests.accessible.scenes import SCENES, shown

SMALL = (1024, 700)


@pytest.fixture
def application(qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    config = tmp_path / "profile" / "config"
    config.mkdir(parents=True)
    (config / "settings.toml").write_text('[window]\nlanguage = "de"\n', encoding="utf-8")
    application = build(["--profile", str(tmp_path / "profile")])
    shown(application)
    yield application
    application.close()
    qtbot.wait(1)


def test_it_speaks_german(application: Application) -> None:
    SCENES["main"](application)
    window = application.window
    menus = [action.text() for action in window.top_bar.menus.actions()]
    assert menus == ["Datei", "Bearbeiten", "Ansicht", "Sitzung", "Zweig", "Kontext", "Hilfe"]
    assert window.status.texts[1] == "Diese Sitzung: 73 Einträge · 4 Zweige · 1 Verdichtung · 0,64 $".replace(
        " $", "\xa0$"
    )
    assert window.transcript.branch_text == "Zweig 4 von 4"


def test_nothing_is_cut_off_in_the_smallest_size(application: Application) -> None:
    SCENES["main"](application)
    window = application.window
    window.resize(*SMALL)
    window.columns.set_shown("context", on=True)
    area = window.context.findChild(QScrollArea)
    assert area is not None
    content = area.widget()
    assert content is not None
    assert content.minimumSizeHint().width() <= area.viewport().width()

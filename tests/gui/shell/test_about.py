"""The dialog with the version and the licences."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.about_dialog import LICENCES, AboutDialog

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


@pytest.fixture
def dialog(theme: Theme, qtbot: QtBot) -> Iterator[AboutDialog]:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1024, 700)
    host.show()
    dialog = AboutDialog(theme, host, "0.1.0 (1a2b3c4d5e6f)")
    dialog.show()
    yield dialog
    host.close()


def test_every_library_is_named_with_its_licence(dialog: AboutDialog) -> None:
    wanted = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[^\w-]", line)[0].lower().removesuffix("-essentials") for line in wanted}
    assert {name.lower() for name in LICENCES} == names
    shown = " ".join(label.text() for label in dialog.findChildren(QLabel)).replace("\N{NO-BREAK SPACE}", " ")
    assert all(f"{name} ({licence})" in shown for name, licence in LICENCES.items())


def test_the_dialog_has_the_ways_to_the_pages_and_to_a_report(dialog: AboutDialog, qtbot: QtBot) -> None:
    for button, page in ((dialog.guide, "guide"), (dialog.news, "changelog")):
        with qtbot.waitSignal(dialog.page_requested) as asked:
            button.click()
        assert asked.args == [page]
    with qtbot.waitSignal(dialog.copy_requested) as copied:
        dialog.copy.click()
    assert copied.args == ["Stemmata 0.1.0 (1a2b3c4d5e6f)"]
    dialog.close_button.click()
    qtbot.waitUntil(lambda: not isValid(dialog))

"""A button looks different while it is pressed and while it has the focus, in each of its looks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QHBoxLayout, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.theme import Scheme, Theme
from stemmata.gui.widgets.buttons import IconButton, Look, push_button

LOOKS: tuple[Look, ...] = ("", "primary", "danger", "link", "chip")
PROPERTIES = ("row", "search", "recommended")


def buttons(theme: Theme) -> dict[str, QAbstractButton]:
    out: dict[str, QAbstractButton] = {look or "plain": push_button("Press", look=look) for look in LOOKS}
    for name in PROPERTIES:
        out[name] = push_button("Press", look="chip" if name == "recommended" else "")
        out[name].setProperty(name, "true")
    out["chosen"] = push_button("Press", look="chip")
    out["chosen"].setProperty("chosen", "true")
    out["checked"] = push_button("Press", look="chip")
    out["checked"].setCheckable(True)
    out["checked"].setChecked(True)
    out["box"], out["ticked"] = QCheckBox("Press"), QCheckBox("Press")
    out["ticked"].setChecked(True)
    out["radio"], out["chosen radio"] = QRadioButton("Press"), QRadioButton("Press")
    out["chosen radio"].setChecked(True)
    out["icon"], out["floating"] = IconButton(theme, "plus", "Add"), IconButton(theme, "plus", "Add")
    out["floating"].setProperty("floating", True)
    return out


@pytest.fixture(params=["dark", "light", "high-contrast"])
def scheme(request: pytest.FixtureRequest) -> Scheme:
    found: Scheme = request.param
    return found


def test_pressed_and_focused_buttons_are_seen(qtbot: QtBot, theme: Theme, scheme: Scheme) -> None:
    theme.set_scheme(scheme)
    window, found = QWidget(), buttons(theme)
    row = QHBoxLayout(window)
    for button in found.values():
        row.addWidget(button)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    alike = []
    for name, button in found.items():
        for other in found.values():
            other.clearFocus()
        rest = button.grab().toImage()
        button.setDown(True)
        alike += [f"{name} pressed"] * (button.grab().toImage() == rest)
        button.setDown(False)
        button.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(button.hasFocus)
        alike += [f"{name} focused"] * (button.grab().toImage() == rest)
    assert alike == []

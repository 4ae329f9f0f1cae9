"""The theme object: what widgets ask it for, and what happens when it changes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from stemmata.assets import resource
from stemmata.gui.theme import fonts, metrics
from stemmata.gui.theme.icons import IconSet
from stemmata.gui.theme.theme import Stylesheet, Theme, load

ICONS = sorted(resource("icons").glob("*.svg"))


def test_colours_follow_the_scheme(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    before = theme.color("bg").name()
    with qtbot.waitSignal(theme.changed):
        theme.set_scheme("light")
    assert theme.color("bg").name() != before
    assert Theme("light").dark is False
    assert theme.color("tool_definitions").isValid()
    with pytest.raises(KeyError):
        theme.color("mauve")


def test_same_scheme_again_changes_nothing(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_scheme("dark")
        theme.set_scale(100)


def test_the_width_of_a_tab_is_bounded_and_tells_the_code(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    with qtbot.assertNotEmitted(theme.changed), qtbot.waitSignal(theme.code_changed):
        theme.set_code(tab_width=8)
    with qtbot.assertNotEmitted(theme.code_changed):
        theme.set_code(tab_width=8)
    theme.set_code(tab_width=99)
    assert theme.tab_width == 16


def test_system_scheme_is_dark_where_the_platform_does_not_say(qapp: QApplication) -> None:
    theme = Theme()
    assert theme.scheme == "system"
    assert theme.tokens.name == "dark"


class SystemHints(QObject):
    """The desktop's colour scheme, as Qt reports it."""

    colorSchemeChanged = Signal()
    contrastPreferenceChanged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.scheme, self.contrast = Qt.ColorScheme.Dark, Qt.ContrastPreference.NoPreference

    def styleHints(self) -> SystemHints:
        return self

    accessibility = styleHints

    def colorScheme(self) -> Qt.ColorScheme:
        return self.scheme

    def contrastPreference(self) -> Qt.ContrastPreference:
        return self.contrast


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> SystemHints:
    hints = SystemHints()
    monkeypatch.setattr("stemmata.gui.theme.theme.QGuiApplication", hints)
    return hints


def test_the_desktop_is_followed_live(qapp: QApplication, qtbot: QtBot, desktop: SystemHints) -> None:
    theme = Theme("system")
    theme.apply(qapp)
    assert theme.tokens.name == "dark"
    dark = qapp.palette().color(QPalette.ColorRole.Window)
    with qtbot.waitSignal(theme.changed):
        desktop.scheme = Qt.ColorScheme.Light
        desktop.colorSchemeChanged.emit()
    assert theme.tokens.name == "light"
    assert qapp.palette().color(QPalette.ColorRole.Window) != dark
    with qtbot.waitSignal(theme.changed):
        desktop.contrast = Qt.ContrastPreference.HighContrast
        desktop.contrastPreferenceChanged.emit()
    assert theme.tokens.name == "high-contrast"


def test_a_scheme_that_was_chosen_stays(qapp: QApplication, qtbot: QtBot, desktop: SystemHints) -> None:
    theme = Theme("dark")
    desktop.scheme = Qt.ColorScheme.Light
    with qtbot.assertNotEmitted(theme.changed):
        desktop.colorSchemeChanged.emit()
    assert theme.tokens.name == "dark"
    with qtbot.waitSignal(theme.changed):
        theme.set_scheme("system")
    assert theme.tokens.name == "light"


def test_high_contrast(qapp: QApplication) -> None:
    assert Theme("high-contrast").color("bg").name() == "#000000"


def test_scale_grows_text_and_sizes(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    sizes = {role: theme.font(role).pixelSize() for role in fonts.ROLES}
    with qtbot.waitSignal(theme.changed):
        theme.set_scale(200)
    assert {role: theme.font(role).pixelSize() for role in fonts.ROLES} == {r: 2 * s for r, s in sizes.items()}
    assert theme.px(metrics.HEADER) == 2 * metrics.HEADER
    theme.set_scale(900)
    assert theme.scale == 200


def test_a_font_is_the_callers_own(qapp: QApplication) -> None:
    theme = Theme("dark")
    theme.font("ui").setPixelSize(99)
    assert theme.font("ui").pixelSize() != 99
    assert theme.font("ui_bold").weight() > theme.font("ui").weight()


def test_fonts_without_the_preferred_families(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "UI_FAMILIES", ("No Such Face",))
    monkeypatch.setattr(fonts, "CODE_FAMILIES", ("No Such Face",))
    found = fonts.Fonts()
    assert found.font("ui").family()
    assert found.font("code").family()
    if found.ui_family in fonts.WIDE_FAMILIES:
        assert found.font("ui").pixelSize() == metrics.FONT_UI - 1


def test_apply_styles_the_application(application: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    theme.apply(application)
    assert theme.color("panel").name() in application.styleSheet()
    assert application.palette().color(QPalette.ColorRole.Window) == theme.color("panel")
    theme.set_scheme("light")
    assert application.palette().color(QPalette.ColorRole.Window).name() == load("light").colors["panel"]


def test_a_change_takes_turns_where_a_person_waits(application: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    theme.apply(application)
    theme.takes_turns = True
    window = QSplitter()
    qtbot.addWidget(window)
    columns = [QLabel("one"), QLabel("two")]
    for column in columns:
        window.addWidget(column)
    gone = QLabel("closed meanwhile")
    for widget in (window, gone):
        widget.show()
    with qtbot.waitSignal(theme.changed):
        theme.set_scheme("light")
        assert load("light").colors["panel"] not in application.styleSheet()  # nothing heavy in this turn
        assert not window.updatesEnabled()
        gone.deleteLater()
    assert load("light").colors["panel"] in application.styleSheet()
    qtbot.waitUntil(lambda: all(widget.updatesEnabled() for widget in (window, *columns)))
    assert application.palette().color(QPalette.ColorRole.Window).name() == load("light").colors["panel"]


def test_a_change_during_a_change_is_the_one_that_stays(application: QApplication, qtbot: QtBot) -> None:
    theme = Theme("dark")
    theme.apply(application)
    theme.takes_turns = True
    window = QSplitter()
    qtbot.addWidget(window)
    column = QLabel("one")
    window.addWidget(column)
    window.show()
    theme.set_scheme("light")
    QApplication.processEvents()
    with qtbot.waitSignal(theme.changed):
        theme.set_scheme("high-contrast")
    qtbot.waitUntil(lambda: window.updatesEnabled() and column.updatesEnabled())
    assert load("high-contrast").colors["panel"] in application.styleSheet()
    assert load("light").colors["panel"] not in application.styleSheet()


def test_a_change_styles_each_widget_once(application: QApplication, qtbot: QtBot) -> None:
    class Counted(QLabel):
        styled = 0

        def changeEvent(self, event: QEvent) -> None:
            super().changeEvent(event)
            self.styled += event.type() == QEvent.Type.StyleChange

    theme = Theme("dark")
    theme.apply(application)
    outer = QWidget()
    qtbot.addWidget(outer)
    inner = outer
    for _ in range(12):
        inner = QWidget(inner)
    deep = Counted("deep", inner)
    outer.show()
    deep.styled = 0
    theme.set_scheme("light")
    assert deep.styled <= 2  # Qt tells it once for each widget around it when a sheet is replaced


def test_stylesheet_leaves_nothing_open(qapp: QApplication) -> None:
    sheet = Stylesheet().render(load("dark"), fonts.Fonts(), IconSet(), 100)
    assert "$" not in sheet
    pictures = re.findall(r'url\("([^"]+)"\)', sheet)
    assert pictures


def test_stylesheet_pictures_exist_while_it_lives(qapp: QApplication) -> None:
    stylesheet = Stylesheet()
    sheet = stylesheet.render(load("light"), fonts.Fonts(), IconSet(), 100)
    pictures = [Path(path) for path in re.findall(r'url\("([^"]+)"\)', sheet)]
    assert all(load("light").colors["on_accent"] in p.read_text() for p in pictures if "check" in p.name[:11])
    assert all(path.exists() for path in pictures)


def test_template_writes_no_colour_of_its_own() -> None:
    template = resource("themes", "stemmata.qss").read_text(encoding="utf-8")
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", template) == []


@pytest.mark.parametrize("path", ICONS, ids=lambda path: path.stem)
def test_icons_are_of_one_family(path: Path) -> None:
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    assert root.get("viewBox") == "0 0 16 16"
    assert root.get("stroke-width") == "1.5"
    assert root.get("stroke") == "currentColor"
    colors = {node.get(name) for node in root.iter() for name in ("fill", "stroke")}
    assert colors <= {None, "none", "currentColor"}


def test_icons_are_tinted_and_kept(qapp: QApplication) -> None:
    theme = Theme("dark")
    icon = theme.icon("search")
    assert icon is theme.icon("search")
    assert icon.actualSize(icon.availableSizes()[0]).width() == metrics.ICON
    pixmap = theme.pixmap("diamond", "summary", ratio=2.0)
    assert pixmap.width() == 2 * metrics.ICON
    assert pixmap.toImage().pixelColor(16, 16) == theme.color("summary")
    assert pixmap is theme.pixmap("diamond", "summary", ratio=2.0)


def test_icon_is_brighter_under_the_mouse(qapp: QApplication) -> None:
    theme = Theme("dark")
    sharp = theme.icon("diamond").pixmap(32, QIcon.Mode.Active).toImage()
    assert sharp.pixelColor(sharp.width() // 2, sharp.height() // 2) == theme.color("text")


def test_unknown_icon_is_a_bug(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        Theme("dark").icon("unicorn")


def test_chosen_families_are_used_where_they_are_installed(theme: Theme, qtbot: QtBot) -> None:
    usual = theme.font("ui").family(), theme.font("code").family()
    other = next(family for family in fonts.families(fixed=False) if family not in usual)
    with qtbot.waitSignal(theme.changed):
        theme.set_families(other, "No such font")
    assert (theme.font("ui").family(), theme.font("code").family()) == (other, usual[1])
    theme.set_scale(150)
    assert theme.font("small").family() == other
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_families(other, "No such font")
    theme.set_families("", "")
    assert (theme.font("ui").family(), theme.font("code").family()) == usual

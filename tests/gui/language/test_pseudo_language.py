"""The window in a language that nobody speaks: what was not translated is seen, and longer words have room."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from stemmata.assets import resource
from stemmata.bootstrap.window import Application
from stemmata.gui.core.language import Language
from stemmata.gui.settings.keys_dialog import KeysDialog
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel
from tests.accessible import dialogs
from tests.accessible.dialogs import DIALOGS
from tests.accessible.scenes import SCENES, built
from tests.accessible.tree import interfaces
from tests.translations.pseudo import PseudoLanguage, outside

MARKUP = re.compile(r"<[^>]*>|&\w+;")
CUT = re.compile(r"\w+…")
WORD = re.compile(r"[^\W\d_]{2,}")
LETTERS = re.compile(r"[^\W\d_]+")
# Names, units, months, keys, and what the sessions and dialogs are about: the same in every language.
NAMES = set(
    re.findall(
        WORD,
        "Stemmata pi Claude Code Anthropic OpenAI Ollama JSON Ctrl Shift Alt Esc Enter Home End kB MB bytes Oct "
        "claude-opus claude-sonnet claude-haiku medium bash known-good dead end Make the CSV import fast "
        "README CHANGELOG.md bench/timings.png src/ledgerly/importer.py tests/test_rejects.py billing later "
        "/home/me/.claude/projects /home/me/.pi/agent/sessions/a.jsonl llama",
    )
)
GIVEN = {
    "/code",
    "Page",
    "mine",
    "mcp-files",
    "files",
    "search",
    "read_file, write_file",
    "Label",
    "Label (empty removes it)",
    "Filter models",
    "You leave 40 messages of the active branch. They stay in the tree as a branch of their own.",
    "api.anthropic.com",
}  # texts that the dialogs are given to show
LISTS = {QAccessible.Role.ListItem, QAccessible.Role.EditableText}  # what they show was written by somebody


@pytest.fixture
def longer() -> float:
    return 0.0


@pytest.fixture
def pseudo(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, longer: float) -> Iterator[None]:
    monkeypatch.setattr(Language, "_install", lambda *_: None)
    translator = PseudoLanguage(longer)
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.fixture
def application(pseudo: None, qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    with built(tmp_path) as application:
        yield application


@pytest.fixture
def host(pseudo: None, qtbot: QtBot) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1024, 700)
    host.show()
    return host


@pytest.fixture
def opened(theme: Theme, host: QWidget, qtbot: QtBot) -> Callable[[str], QWidget]:
    def open_(name: str) -> QWidget:
        dialog = DIALOGS[name][1](theme, host)
        if dialog.parent() is None:
            qtbot.addWidget(dialog)
        qtbot.waitUntil(lambda: getattr(dialog, "is_complete", True))  # some are filled in several turns
        return dialog

    return open_


def texts(item: QAccessibleInterface) -> Iterator[str]:
    thing = item.object()
    yield item.text(QAccessible.Text.Name)
    yield item.text(QAccessible.Text.Description)
    if isinstance(thing, QWidget):
        yield thing.toolTip()
    if isinstance(thing, QLineEdit):
        yield thing.placeholderText()


def foreign(widget: QWidget, written: set[str]) -> list[str]:
    """Return texts with words outside brackets; in lists, except those of `written`."""
    out: set[str] = set()
    for item, _depth in interfaces(QAccessible.queryAccessibleInterface(widget)):
        is_written = item.role() in LISTS or _is_data(item)
        known = NAMES | (written if is_written else set())
        for text in () if _is_key(item) else texts(item):
            words = WORD.findall(outside(MARKUP.sub(" ", CUT.sub(" ", text) if is_written else text)))
            if text not in GIVEN and not known.issuperset(words):
                out.add(text)
    return sorted(out)


def _is_key(item: QAccessibleInterface) -> bool:
    """Return whether a label shows the name of a key, which Qt translates."""
    thing = item.object()
    return isinstance(thing, QLabel) and thing.property("role") == "chip" and isinstance(thing.window(), KeysDialog)


def _is_data(item: QAccessibleInterface) -> bool:
    """Return whether a label shows data instead of a translated text."""
    thing = item.object()
    if not isinstance(thing, QWidget):
        return False
    rows = [
        widget for widget in (thing, thing.parentWidget()) if widget is not None and widget.property("row") is True
    ]
    return isinstance(thing, ElidedLabel) or bool(rows)


def demo_words() -> set[str]:
    """All that is written in the demo session."""
    lines = next(iter(sorted(resource("demo").glob("*.jsonl")))).read_text(encoding="utf-8").splitlines()
    return {word for line in lines for word in LETTERS.findall(line.replace("\\n", " "))}


@pytest.mark.parametrize("name", SCENES)
def test_every_text_of_the_window_is_translated(application: Application, name: str) -> None:
    found = foreign(SCENES[name](application), demo_words())
    assert found == []


@pytest.mark.parametrize("name", DIALOGS)
def test_every_text_of_a_dialog_is_translated(opened: Callable[[str], QWidget], name: str) -> None:
    given = set(
        LETTERS.findall(f"{dialogs.RECORD} {dialogs.QUESTION.arguments} Port Goal it the file is empty Ports")
    )
    assert foreign(opened(name), given) == []


# -- longer words ------------------------------------------------------------------------------------------------

LONGER = pytest.mark.parametrize("longer", [0.4])
SIZES = [pytest.param((1024, 700), 100, id="small"), pytest.param((1440, 900), 200, id="200 %")]


def cut_off(widget: QWidget) -> list[str]:
    """Return the texts of labels and buttons that are too narrow, except those that may be shortened."""
    return [found for child in widget.findChildren(QWidget) if child.isVisible() and (found := _cut(child))]


def _cut(widget: QWidget) -> str:
    if isinstance(widget, ElidedLabel) or not isinstance(widget, QLabel | QAbstractButton) or not widget.text():
        return ""
    if isinstance(widget, QLabel) and widget.wordWrap():
        fits = widget.height() >= widget.heightForWidth(widget.width())
    else:
        fits = widget.width() >= _needed(widget) and widget.height() >= widget.fontMetrics().height()
    return "" if fits else f"{type(widget).__name__} {widget.text()}: {widget.width()} of {widget.sizeHint().width()}"


def _needed(widget: QLabel | QAbstractButton) -> int:
    """A tool button shows its text or not."""
    is_icon = isinstance(widget, QToolButton) and not widget.icon().isNull()
    return 0 if is_icon else widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))


@LONGER
@pytest.mark.parametrize(("size", "scale"), SIZES)
@pytest.mark.parametrize("name", [name for name in SCENES if name != "palette"])
def test_longer_words_have_room_in_the_window(
    application: Application, qtbot: QtBot, name: str, size: tuple[int, int], scale: int
) -> None:
    def has_room() -> None:
        assert application.window.minimumSizeHint().width() <= size[0]
        assert cut_off(shows) == []

    application.gui.theme.set_scale(scale)
    shows = SCENES[name](application)
    application.window.resize(*size)
    for _ in range(2):  # what gives way to what is known once each has its size
        QApplication.processEvents()
    application.window.ensurePolished()
    qtbot.waitUntil(has_room)  # the figures below the message arrive later and may need a second row


@LONGER
@pytest.mark.parametrize("scale", [100, 200])
@pytest.mark.parametrize("name", DIALOGS)
def test_longer_words_have_room_in_a_dialog(
    theme: Theme, opened: Callable[[str], QWidget], qtbot: QtBot, name: str, scale: int
) -> None:
    def has_room() -> None:
        assert cut_off(dialog) == []

    theme.set_scale(scale)
    dialog = opened(name)
    qtbot.waitUntil(has_room)  # it grows when its last field is there

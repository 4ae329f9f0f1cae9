"""An entry as it is kept: what is shown of it, what is copied, and the dialog it stands in."""

from __future__ import annotations

import json

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry, Role
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.raw_dialog import LINE, PART, RawDialog, RawText, raw_text
from tests.fakes.pages import FakePages


def raw(record: bytes | None, *blocks: ToolCall) -> RawText:
    pages = FakePages([Entry(id="e", role=Role.ASSISTANT, blocks=blocks)])
    return raw_text(record, pages.rows([0])[0], pages.bodies([0])[0])


def test_the_record_is_shown_as_it_is() -> None:
    found = raw(b'{"a":  1}\n')
    assert (found.text, found.first, found.size, found.is_cut) == ('{"a":  1}\n', '{"a":  1}\n', 10, False)
    assert found.from_source


def test_bytes_that_are_no_text_are_named() -> None:
    assert raw(b"a\xffb").text == "a\\xffb"


def test_an_entry_made_here_is_shown_as_the_archive_holds_it() -> None:
    found = raw(None, ToolCall("c", "read", '{"path":"a"}'))
    value = json.loads(found.text)
    assert (value["id"], value["kind"], value["role"]) == ("e", "MESSAGE", "ASSISTANT")
    assert value["blocks"][0] == {
        "type": "ToolCall", "id": "c", "name": "read", "arguments": '{"path":"a"}', "signature": "",
    }  # fmt: skip
    assert not found.from_source


def test_long_lines_are_broken_to_be_shown_and_not_to_be_copied() -> None:
    found = raw(b"x" * (3 * LINE + 1))
    assert [len(line) for line in found.shown.split("\n")] == [LINE, LINE, LINE, 1]
    assert "\n" not in found.text


def test_a_long_record_shows_its_beginning_first(theme: Theme, qtbot: QtBot) -> None:
    found = raw(b'{"text":"' + b"word " * 100_000 + b'"}')
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = RawDialog(theme, parent, found)
    dialog.show()
    assert len(dialog.text.toPlainText()) <= PART
    qtbot.waitUntil(lambda: dialog.text.toPlainText() == found.first)
    assert PART < len(found.first) <= 64_000
    assert dialog.all.text() == "Show all (500 kB)"
    counts: list[int] = []
    dialog.text.document().contentsChanged.connect(lambda: counts.append(dialog.text.document().characterCount()))
    dialog.all.click()
    qtbot.waitUntil(lambda: dialog.text.toPlainText() == found.shown)
    assert len(counts) > 5, "in parts, so that the window goes on meanwhile"
    assert not dialog.all.isVisible()
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == found.text
    dialog.close()


def test_a_record_of_many_lines_shows_few_of_them_first() -> None:
    found = raw(b"\n" * 100_000)
    assert found.first.count("\n") < 5_000
    assert found.is_cut


def test_json_is_a_tree_and_other_records_are_text(theme: Theme, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = RawDialog(theme, parent, raw(b'{"role": "user", "text": "' + b"word " * 50_000 + b'"}'))
    dialog.show()
    assert dialog.tree is not None
    assert dialog.tree.isVisible()
    assert not dialog.all.isVisible()
    dialog.switch.setCurrentIndex(1)
    assert dialog.text.isVisible()
    assert dialog.all.isVisible()
    dialog.close()
    for record in (b"[" * 100_000, b"{broken", b"text", b'{"a": "' + b"x" * 1_000_000 + b'"}'):
        plain = RawDialog(theme, parent, raw(record))
        plain.show()
        assert plain.tree is None
        assert plain.text.isVisible()
        assert not plain.switch.isVisible()
        plain.close()

"""What can be done with a single entry of the transcript: seen raw, its image looked at, its agent followed."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QImageWriter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Request
from stemmata.gui.transcript import controller
from stemmata.gui.transcript.image_dialog import ImageDialog
from stemmata.gui.transcript.raw_dialog import RawDialog
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

MAIN, AGENT = "11111111-0000-4000-8000-000000000001", "a1"


def png() -> str:
    image = QImage(64, 32, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, b"PNG").write(image)
    return base64.b64encode(buffer.data().data()).decode()


def line(id: str, parent: str | None, role: str, content: Any, **facts: Any) -> str:
    message = {
        "role": role,
        "content": content,
        **({"model": "claude", "id": f"m{id}"} if role == "assistant" else {}),
    }
    record = {
        "uuid": id, "parentUuid": parent, "sessionId": MAIN, "type": role, "message": message, "cwd": "/w",
        "timestamp": "2025-01-02T03:04:05.000Z", "isSidechain": False, "version": "2.1.0", **facts,
    }  # fmt: skip
    return json.dumps(record) + "\n"


def with_an_agent(folder: Path) -> Path:
    """A session of Claude Code that had an agent work, with a picture in it."""
    path = folder / f"{MAIN}.jsonl"
    task = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "Task",
        "input": {"description": "Look", "prompt": "Do look."},
    }
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png()}}
    answer = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "Looked."}]}]
    path.write_text(
        line("u1", None, "user", [{"type": "text", "text": "Have it looked at"}, picture])
        + line("a1", "u1", "assistant", [task])
        + line("r1", "a1", "user", answer, toolUseResult={"agentId": AGENT, "status": "completed"})
        + line("a2", "r1", "assistant", [{"type": "text", "text": "It was looked at."}]),
        encoding="utf-8",
    )
    agents = folder / MAIN / "subagents"
    agents.mkdir(parents=True)
    facts = {"agentId": AGENT, "isSidechain": True}
    (agents / f"agent-{AGENT}.jsonl").write_text(
        line("s1", None, "user", "Do look.", **facts)
        + line("s2", "s1", "assistant", [{"type": "text", "text": "Looked."}], **facts),
        encoding="utf-8",
    )
    return path


def read(person: Person, folder: Path) -> Path:
    """Import it, and open the session that had the agent work."""
    path = with_an_agent(folder)
    person.drop(path)
    main = person.application.services.sessions.find(MAIN).result(PATIENCE)
    person.gui.open_session(main.key)
    person.until(lambda: person.gui.opened.session is not None and person.gui.opened.session.key == main.key)
    person.until(lambda: bool(person.window.transcript.view.visible_keys))
    return path


def spot(person: Person, request: Request) -> tuple[Card, QPoint]:
    """Return a point of the transcript at which a click requests this action."""
    view = person.window.transcript.view
    for card in view.viewport().findChildren(Card):
        for y in range(0, card.height() if card.isVisible() else 0, 4):
            for x in range(0, card.width(), 6):
                action = card.action_at(QPoint(x, y))
                if action is not None and action.request is request:
                    return card, QPoint(x, y)
    raise AssertionError(request)


def click(person: Person, request: Request) -> None:
    card, point = spot(person, request)
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=point)


def test_an_agents_own_transcript_is_a_click_away(person: Person, tmp_path: Path) -> None:
    read(person, tmp_path)
    main = person.gui.opened.key
    click(person, Request.FOLD)
    click(person, Request.SUBAGENT)
    person.until(lambda: person.gui.opened.key not in (None, main) and person.gui.opened.session_tree is not None)
    session = person.gui.opened.session
    assert session is not None
    assert (session.source_id, session.parent) == (f"{MAIN}/agent-{AGENT}", main)


def test_a_call_whose_agent_is_not_in_the_archive_says_so(person: Person, tmp_path: Path) -> None:
    read(person, tmp_path)
    person.gui.controllers.entries.open_subagent("toolu_none")
    person.until(lambda: "not in the archive" in person.window.toast.text)


def test_an_image_is_looked_at(person: Person, tmp_path: Path) -> None:
    read(person, tmp_path)
    click(person, Request.IMAGE)
    person.until(lambda: bool(person.window.findChildren(ImageDialog)))
    (dialog,) = person.window.findChildren(ImageDialog)
    assert dialog.picture.image_size.toTuple() == (64, 32)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_an_image_is_copied_and_saved(person: Person, tmp_path: Path) -> None:
    read(person, tmp_path)
    click(person, Request.COPY_IMAGE)
    person.until(lambda: QGuiApplication.clipboard().image().size().toTuple() == (64, 32))
    click(person, Request.SAVE_IMAGE)
    person.until(lambda: bool(person.window.findChildren(QFileDialog)))
    (dialog,) = person.window.findChildren(QFileDialog)
    saved = tmp_path / "chart.png"
    dialog.fileSelected.emit(str(saved))
    person.until(saved.exists)
    person.until(lambda: "chart.png" in person.window.toast.text)
    assert QImage(str(saved)).size().toTuple() == (64, 32)
    dialog.close()
    entries = person.gui.controllers.entries
    entries.save_image_to("0" * 64, tmp_path / "none.png")
    person.until(lambda: "not in the archive" in person.window.toast.text + person.window.banner.text)
    entries.copy_image("0" * 64)
    person.until(lambda: "cannot be shown" in person.window.toast.text)
    assert not (tmp_path / "none.png").exists()


def test_an_entry_is_seen_raw_byte_for_byte(person: Person, tmp_path: Path) -> None:
    path = read(person, tmp_path)
    person.window.branches.view_requested.emit(person.key("a2"))
    person.until(lambda: person.gui.opened.selection == person.key("a2"))
    QTest.keyClick(person.window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: bool(person.window.findChildren(RawDialog)))
    (dialog,) = person.window.findChildren(RawDialog)
    assert dialog.text.toPlainText().strip() == path.read_text("utf-8").splitlines()[-1]
    dialog.close()


def test_the_menu_of_a_card_offers_what_the_card_does(person: Person, tmp_path: Path) -> None:
    read(person, tmp_path)
    view = person.window.transcript.view
    card = min((card for card in view.viewport().findChildren(Card) if card.isVisible()), key=Card.y)
    person.gui.controllers.entries.show_menu(view, card.key)
    (menu,) = [menu for menu in view.findChildren(QMenu) if menu.isVisible()]
    names = [action.text() for action in menu.actions() if action.text()]
    assert "Edit and send as a new branch\tE" in names
    assert "Copy as Markdown\tC" in names
    assert "Show raw entry" in names
    assert [action.text() for action in menu.actions() if action.text() and action.icon().isNull()] == []
    menu.close()


def test_the_whole_transcript_is_copied_as_text_and_as_markdown(person: Person, tmp_path: Path) -> None:
    read(person, tmp_path)
    person.until(lambda: person.gui.opened.session_tree is not None)
    view, actions = person.window.transcript.view, person.window.actions_table
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: person.window.toast.text == "Copied 3 entries.")
    clipboard = QGuiApplication.clipboard()
    assert clipboard.text() == "Have it looked at\n\nTask Look\n\nIt was looked at."
    actions["copy-markdown"].trigger()
    person.until(lambda: clipboard.text().startswith("## You"))
    assert clipboard.text() == "## You\n\nHave it looked at\n\n## claude\n\n- Task `Look`\n\nIt was looked at."


def test_copying_many_entries_shows_how_far_it_is_and_can_be_stopped(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(person, tmp_path)
    person.until(lambda: person.gui.opened.session_tree is not None)
    monkeypatch.setattr(controller, "MANY", 2)
    entries, toast = person.application.services.entries, person.window.toast
    asked: list[tuple[Callable[[], bool], Callable[[int], object]]] = []

    def visit(_keys: object, _take: object, wanted: Any, tell: Any) -> Future[None]:
        asked.append((wanted, tell))
        return Future()

    QGuiApplication.clipboard().setText("before")
    with monkeypatch.context() as slow:
        slow.setattr(entries, "visit", visit)
        view, actions = person.window.transcript.view, person.window.actions_table
        view.selection.select_all()
        actions["copy-markdown"].trigger()
        assert toast.text == "Copying… 0%"
        is_wanted, tell = asked[0]
        tell(34)
        person.until(lambda: toast.text == "Copying… 34%")
        assert is_wanted()
        toast.click()
        assert toast.text == "Stopped. The clipboard is unchanged."
        assert not is_wanted()
        tell(90)
        person.qtbot.wait(1)
        assert "90" not in toast.text
    assert QGuiApplication.clipboard().text() == "before"
    actions["copy-markdown"].trigger()
    person.until(lambda: toast.text == "Copied 3 entries.")


def test_without_a_selection_the_clipboard_stays_as_it_is(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    QGuiApplication.clipboard().setText("before")
    person.window.actions_table["copy-markdown"].trigger()
    assert person.window.toast.text == "No text is selected. Nothing was copied."
    assert QGuiApplication.clipboard().text() == "before"

"""A session goes on in another tool, or in a new chat here."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event
from zipfile import ZipFile

import pytest
from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog
from shiboken6 import isValid

from stemmata.domain.errors import KnownError
from stemmata.domain.requests.hand_off import Extent
from stemmata.gui.hand_off import showing_files
from stemmata.gui.hand_off.controller import HERE
from stemmata.gui.hand_off.dialog import HandOffDialog
from stemmata.gui.hand_off.terminal import TERMINALS, in_terminal, run_in_terminal
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


def opened(person: Person, entry: int | None = None) -> HandOffDialog:
    person.gui.controllers.hand_off.open(person.leaf if entry is None else entry)
    found = person.window.findChild(QDialog, "handOffDialog")
    assert isinstance(found, HandOffDialog)
    person.until(found.write.isEnabled)
    return found


def choose(dialog: HandOffDialog, tool: str, extent: Extent) -> None:
    dialog.tool_box.setCurrentIndex(dialog.tool_box.findData(tool))
    dialog.extent_box.setCurrentIndex(dialog.extent_box.findData(extent.value))


def test_the_dialog_shows_and_writes_what_was_chosen(person: Person, session_file: Path, tmp_path: Path) -> None:
    person.drop(session_file)
    dialog = opened(person)
    choose(dialog, "pi", Extent.WHOLE)
    assert dialog.extent_box.findData(Extent.CONTEXT.value) < 0, "pi has compactions itself"
    choose(dialog, "codex", Extent.BRIEF)
    person.until(lambda: "1 message" in dialog.size_line.text())
    person.until(lambda: bool(dialog.brief.toPlainText()))
    assert "only the brief" in dialog.lost.text()
    dialog.brief.setPlainText("Go on with the lanes.")
    dialog.folder.setText(str(tmp_path))
    dialog.write.click()
    person.until(lambda: dialog.size_line.text().startswith("Written: "))
    written = Path(dialog.size_line.text().removeprefix("Written: "))
    assert "Go on with the lanes." in written.read_text()
    assert dialog.command.text().startswith(f"cd {tmp_path} && codex resume ")
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.command.text()
    dialog.terminal.click()
    assert "codex is not installed" in dialog.size_line.text()
    dialog.close()


def test_a_chat_that_is_made_after_the_dialog_was_closed_is_not_opened(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    dialog, sessions, before = opened(person), person.application.services.sessions, person.gui.opened.key
    choose(dialog, HERE, Extent.WHOLE)
    count = len(sessions.all().result(PATIENCE))
    held = Event()
    sessions.archive.read(lambda _reader: held.wait(PATIENCE))
    dialog.write.click()
    dialog.close()
    person.until(lambda: not isValid(dialog))
    held.set()
    person.until(lambda: person.window.sessions_model.total == count + 1)
    assert person.gui.opened.key == before


def test_an_answer_after_the_dialog_was_closed_is_dropped(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    dialog = opened(person)
    dialog.changed.emit()
    dialog.close()
    person.until(lambda: not isValid(dialog))
    person.application.services.sessions.totals().result()
    person.qtbot.wait(50)


def test_a_chat_here_begins_with_the_brief(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    before = person.gui.opened.key
    dialog = opened(person)
    choose(dialog, "stemmata", Extent.BRIEF)
    person.until(lambda: bool(dialog.brief.toPlainText()))
    dialog.write.click()
    person.until(lambda: person.gui.opened.key != before)
    person.until(lambda: person.window.transcript.composer.text.startswith("This is the summary of an earlier"))


def test_a_chat_here_may_have_the_whole_path(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    before = person.gui.opened.key
    dialog = opened(person)
    choose(dialog, "stemmata", Extent.WHOLE)
    person.until(dialog.write.isEnabled)
    dialog.write.click()
    person.until(lambda: person.gui.opened.key != before and person.gui.opened.session is not None)
    person.until(lambda: person.gui.opened.session is not None and person.gui.opened.session.parent == before)


def test_the_command_of_the_sessions_own_tool_is_copied(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.window.actions_table["copy-resume-command"].trigger()
    assert QGuiApplication.clipboard().text().endswith(f"pi --session {session_file}")
    person.window.actions_table["resume-in-terminal"].trigger()
    person.until(lambda: "pi is not installed" in person.window.banner.text)
    session_file.unlink()
    person.window.actions_table["reveal-source"].trigger()
    person.until(lambda: "safe here" in person.window.banner.text)


@pytest.mark.parametrize("is_packed", [False, True])
def test_the_folder_of_the_source_is_shown_also_that_of_a_zip_archive(
    person: Person, session_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_packed: bool
) -> None:
    """Without a file manager the person reads where the file is."""
    source = tmp_path / "packed.zip" if is_packed else session_file
    if is_packed:
        with ZipFile(source, "w") as packed:
            packed.write(session_file, "folder/session.jsonl")
    person.drop(source)
    answers, opened = [True, False], list[str]()
    monkeypatch.setattr(showing_files, "selecting", lambda _path: None)

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return answers.pop(0)

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    for _ in range(2):
        person.window.actions_table["reveal-source"].trigger()
    person.until(lambda: f"The source file is {source}" in person.window.banner.text)
    assert opened == [str(source.parent)] * 2


@pytest.mark.parametrize(
    ("script", "opens"), [("exit 0", False), ("exit 1", True), ("exec /bin/sleep 60", True), ("", True)]
)
def test_the_source_file_is_selected_where_the_file_manager_can(
    person: Person,
    session_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    opens: bool,
) -> None:
    """A file manager that refuses, is silent, or cannot be asked leaves the folder."""
    person.drop(session_file)
    program, told, opened = tmp_path / "dbus-send", tmp_path / "told", list[str]()
    if script:
        program.write_text(f'#!/bin/sh\necho "$@" > {told}\n{script}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(showing_files, "WAIT_MS", 300 if "sleep" in script else 60_000)

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    person.window.actions_table["reveal-source"].trigger()
    if opens:
        person.until(lambda: opened == [str(session_file.parent)])
    else:
        person.until(lambda: told.exists() and bool(told.read_text()))
        assert "org.freedesktop.FileManager1.ShowItems" in told.read_text()
        person.until(lambda: not person.gui.controllers.hand_off.findChildren(QProcess))
        assert opened == []


def test_a_comma_in_the_name_of_a_file_begins_no_other_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dbus-send"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = showing_files.selecting(Path("/a b/ü,c.jsonl"), "linux")
    assert found is not None
    assert "array:string:file:///a%20b/%C3%BC%2Cc.jsonl" in found[1]
    assert showing_files.selecting(Path("/a"), "darwin") == ("open", ["-R", "/a"])
    assert showing_files.selecting(Path("a"), "win32") == ("explorer.exe", ["/select,", "a"])


@pytest.mark.parametrize("terminal", ["x-terminal-emulator", "kitty", "mine"])
def test_a_terminal_runs_the_command(tmp_path: Path, terminal: str) -> None:
    for name in ("claude", terminal):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    environment = {"PATH": str(tmp_path)} | ({"TERMINAL": "mine"} if terminal == "mine" else {})
    before = dict(TERMINALS).get(terminal, ("-e",))
    command = ("claude", "--resume", "1; rm -rf ~")
    assert in_terminal(command, environment) == (str(tmp_path / terminal), [*before, *command])


def test_without_a_terminal_or_a_folder_nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(os, "environ", {"PATH": str(tmp_path)})
    with pytest.raises(KnownError, match="No terminal"):
        run_in_terminal(("claude",), str(tmp_path))
    (tmp_path / "xterm").symlink_to(program)
    with pytest.raises(KnownError, match="does not exist"):
        run_in_terminal(("claude",), str(tmp_path / "gone"))

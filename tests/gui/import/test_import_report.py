"""The import dialog and its integrity report, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.sources.reading import Repaired, Skipped, UnusedPart
from stemmata.domain.sources.report import GoneSession, ImportedSession, ImportReport, SkippedFile
from stemmata.domain.sources.session_files import Discovered
from stemmata.domain.text.phrases import Phrase
from stemmata.gui.importing.import_dialog import ImportDialog
from stemmata.gui.importing.report_text import MOST_LINES, MOST_OF_SESSIONS, headline, lines
from stemmata.gui.importing.welcome import WelcomeView
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.services.importing.importing import Progress

pytestmark = pytest.mark.usefixtures("qapp")  # plural forms are in the translations

FOUND = [
    Discovered("pi", "pi", "/home/me/.pi/agent/sessions", ("/a.jsonl", "/b.jsonl"), 84_000_000),
    Discovered("claude-code", "Claude Code", "/home/me/.claude/projects", ("/c.jsonl",), 318_000_000),
]


def imported(key: int = 1, **facts: Any) -> ImportedSession:
    given: dict[str, Any] = {
        "id": f"s{key}", "source": "pi", "source_id": "x", "title": "Port the selectors", "entries": 1002,
        "new_entries": 12, "branches": 5,
    }  # fmt: skip
    return ImportedSession(key=key, **(given | facts))


@pytest.fixture
def dialog(theme: Theme, qtbot: QtBot) -> Iterator[ImportDialog]:
    host = QWidget()
    qtbot.addWidget(host)
    dialog = ImportDialog(theme, host)
    dialog.show()
    yield dialog
    host.close()


def test_the_headline_counts_everything() -> None:
    report = ImportReport((imported(1), imported(2)), (SkippedFile("/x/a.bin", "no"),), unchanged=3)
    assert headline(report) == "2 sessions, 24 new entries · 3 unchanged files · 1 file not imported."
    assert headline(ImportReport(cancelled=True)).startswith("Cancelled. Completed imports are kept")
    assert headline(ImportReport(unchanged=3)) == "Nothing new · 3 unchanged files."


def test_a_file_of_many_sessions_is_named_once_and_its_sessions_are_counted() -> None:
    file = "/x/export.zip"
    repaired = (Repaired("Its parent is missing."),)
    several = [imported(key, source="chatgpt", path=file, title=f"Chat {key}") for key in (1, 2)]
    report = ImportReport(
        (*several, imported(3, source="chatgpt", path=file, title="Odd", repaired=repaired), imported(4)),
        unused=(
            UnusedPart("user.json", "the user's account", damaged=False, path=file),
            UnusedPart("conversations.json, conversation 4", "has no messages", path=file),
        ),
    )
    assert headline(report) == "4 sessions from 2 files, 48 new entries · 1 conversation not imported."
    assert list(lines(report)) == [
        ("heading", "export.zip"),
        ("dim", "ChatGPT · 3 sessions · 3,006 entries · 36 new entries · 15 branches"),
        ("warning", "conversations.json, conversation 4: not imported (has no messages)."),
        ("dim", "user.json: no session (the user's account)."),
        ("heading", "Odd"),
        ("dim", "ChatGPT · 1,002 entries · 12 new entries · 5 branches"),
        ("plain", "Repaired: Its parent is missing."),
        ("heading", "Port the selectors"),
        ("dim", "pi · 1,002 entries · 12 new entries · 5 branches"),
    ]


def test_the_progress_counts_the_sessions_of_a_file(dialog: ImportDialog) -> None:
    dialog.show_progress(Progress(0, 1, "/x/export.zip"))
    assert dialog.progress.text() == "File 1 of 1"
    dialog.show_progress(Progress(0, 1, "/x/export.zip", sessions=1200))
    assert dialog.progress.text() == "File 1 of 1 · 1,200 sessions"


def test_every_loss_is_named_with_its_reason() -> None:
    skipped = (Skipped(7, "not JSON"), Skipped(0, "message 2: cut off"))
    session = imported(skipped=skipped, repaired=(Repaired("An orphan attached as a root."),))
    report = ImportReport((session,), (SkippedFile("/x/notes.txt", "It is not a session file of a supported tool."),))
    text = list(lines(report))
    assert text[-2:] == [
        ("heading", "Not imported"),
        ("warning", "notes.txt: It is not a session file of a supported tool."),
    ]
    assert ("dim", "pi · 1,002 entries · 12 new entries · 5 branches") in text
    assert ("plain", "Repaired: An orphan attached as a root.") in text
    assert ("warning", "Line 7 could not be read (not JSON). Its bytes are kept.") in text
    assert ("warning", "A part could not be read (message 2: cut off). Its bytes are kept.") in text


def test_a_note_comes_last_and_counts_as_no_loss() -> None:
    note = Phrase("{0} contains many files.", "/home/me/folder")
    report = ImportReport((imported(),), notes=(note,))
    assert list(lines(report))[-1] == ("dim", "/home/me/folder contains many files.")
    assert "not imported" not in headline(report)
    assert report.complete


def test_what_worked_comes_first_and_a_file_is_named_once() -> None:
    path = "/home/me/a/notes.jsonl"
    report = ImportReport(
        (imported(),),
        (
            SkippedFile(path, Phrase("{0} contains no session.", path)),
            SkippedFile(path, f"Could not read {path}: it was moved."),
            SkippedFile("/home/me/b.bin", "It is too large."),
            SkippedFile("/home/me/c.jsonl", Phrase("File not found: {0}.", "/home/me/c.jsonl")),
        ),
    )
    text = list(lines(report))
    assert text[0] == ("heading", "Port the selectors")
    assert text[-4:] == [
        ("heading", "Not imported"),
        ("warning", "notes.jsonl contains no session. Could not read notes.jsonl: it was moved."),
        ("warning", "b.bin: It is too large."),
        ("warning", "File not found: c.jsonl."),
    ]


def test_many_sessions_are_cut_before_the_files_that_were_not_imported() -> None:
    sessions = tuple(imported(key, path=f"/x/{key}.jsonl") for key in range(MOST_OF_SESSIONS))
    text = list(lines(ImportReport(sessions, (SkippedFile("/home/me/b.bin", "It is too large."),))))
    assert text[MOST_OF_SESSIONS:] == [
        ("plain", "…"),
        ("heading", "Not imported"),
        ("warning", "b.bin: It is too large."),
    ]


def test_a_reason_that_several_files_share_is_given_once() -> None:
    reason = "{0} is not a session file of a supported tool. Supported: pi, Codex, Zed."
    paths = [f"/x/{name}.jsonl" for name in ("one", "two", "three")]
    skipped = [SkippedFile(path, Phrase(reason, path)) for path in paths]
    report = ImportReport((), (skipped[0], SkippedFile("/x/b.bin", "It is too large."), *skipped[1:]))
    assert list(lines(report)) == [
        ("heading", "Not imported"),
        ("warning", "one.jsonl is not a session file of a supported tool. Supported: pi, Codex, Zed."),
        ("warning", "For the same reason: two.jsonl, three.jsonl"),
        ("warning", "b.bin: It is too large."),
    ]


def test_each_page_gives_the_dialog_its_height(dialog: ImportDialog, qtbot: QtBot) -> None:
    dialog.show()
    dialog.show_discovered(())
    empty = dialog.height()
    assert dialog.import_button.isHidden()
    assert dialog.files_button.hasFocus()
    dialog.show_discovered(FOUND * 2)
    assert dialog.height() > empty
    assert dialog.import_button.hasFocus()
    dialog.show_discovered(FOUND * 20)
    qtbot.waitUntil(lambda: dialog.area.verticalScrollBar().maximum() > 0)
    highest = dialog.height()
    dialog.show_started()
    assert dialog.height() < highest
    dialog.show_report(ImportReport((imported(),)))
    assert dialog.height() == highest


def test_found_sessions_leave_the_focus_on_the_button_that_tab_went_to(dialog: ImportDialog) -> None:
    dialog.show_discovered(())
    dialog.show()
    assert dialog.files_button.hasFocus()
    QTest.keyClick(dialog.files_button, Qt.Key.Key_Tab)
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Backtab)
    assert dialog.files_button.hasFocus()
    dialog.show_discovered(FOUND)
    assert dialog.files_button.hasFocus()


def test_an_imported_folder_is_followed_when_that_is_asked_for(dialog: ImportDialog, qtbot: QtBot) -> None:
    dialog.show_report(ImportReport((imported(),)))
    dialog.offer_following("", 0)
    assert dialog.follow_button.isHidden()
    dialog.offer_following("~/a", 1)
    assert dialog.follow_button.text() == "Keep following 1 folder"
    with qtbot.waitSignal(dialog.follow_requested) as signal:
        dialog.follow_button.click()
    assert signal.args == ["~/a"]
    assert dialog.follow_button.isHidden()


def test_long_lists_are_cut_with_a_number() -> None:
    session = imported(skipped=tuple(Skipped(line, "bad") for line in range(MOST_LINES + 5)))
    assert ("dim", "… and 5 more") in list(lines(ImportReport((session,))))


def test_the_report_shows_markup_as_text(dialog: ImportDialog) -> None:
    dialog.show_report(ImportReport((imported(title="<img src=x><b>bold</b>"),)))
    assert "<img src=x><b>bold</b>" in dialog.report.toPlainText()


def test_enter_closes_the_report(dialog: ImportDialog) -> None:
    dialog.show_report(ImportReport((imported(),)))
    dialog.report.setFocus()
    QTest.keyClick(dialog.report, Qt.Key.Key_Return)
    assert not dialog.isVisible()


def test_only_ticked_tools_are_imported(dialog: ImportDialog, qtbot: QtBot) -> None:
    dialog.show_discovered(FOUND)
    assert dialog.import_button.text() == "Import 3 files"
    dialog.table.boxes[1].setChecked(False)
    with qtbot.waitSignal(dialog.import_requested) as asked:
        dialog.import_button.click()
    assert asked.args == [["/a.jsonl", "/b.jsonl"]]
    dialog.table.boxes[0].setChecked(False)
    assert not dialog.import_button.isEnabled()


def test_progress_names_the_file_and_can_be_cancelled(dialog: ImportDialog, qtbot: QtBot) -> None:
    dialog.show_started()
    dialog.show_progress(Progress(1, 4, "/deep/down/session.jsonl"))
    assert dialog.is_importing
    assert (dialog.bar.value(), dialog.bar.maximum()) == (1, 4)
    with qtbot.waitSignal(dialog.cancel_requested):
        dialog.cancel_button.click()
    dialog.show_cancelling()
    assert not dialog.cancel_button.isEnabled()
    dialog.choose()
    assert dialog.is_importing


def test_an_import_can_be_paused_and_continued(dialog: ImportDialog, qtbot: QtBot) -> None:
    dialog.show_started()
    for paused, text in ((True, "Continue"), (False, "Pause")):
        with qtbot.waitSignal(dialog.pause_requested) as asked:
            dialog.pause_button.click()
        assert asked.args == [paused]
        assert dialog.pause_button.text() == text
    dialog.pause_button.click()
    dialog.show_started()
    assert dialog.pause_button.text() == "Pause"
    dialog.show_cancelling()
    assert not dialog.pause_button.isEnabled()


def test_the_import_button_is_as_far_from_the_rule_as_from_the_edge(theme: Theme, qtbot: QtBot) -> None:
    welcome = WelcomeView(theme)
    qtbot.addWidget(welcome)
    welcome.resize(900, 700)
    welcome.show_discovered(FOUND)
    welcome.show()
    button = welcome.import_button.geometry()
    card = welcome.import_button.parentWidget()
    assert card is not None
    rules = [frame.geometry() for frame in card.findChildren(QFrame) if frame.height() == metrics.BORDER]
    above = button.top() - max(rule.bottom() for rule in rules if rule.bottom() < button.top()) - 1
    assert above == card.height() - metrics.BORDER - button.bottom() - 1 == metrics.SPACE[6]


def test_the_focus_is_on_what_comes_first(theme: Theme, qtbot: QtBot) -> None:
    welcome = WelcomeView(theme)
    qtbot.addWidget(welcome)
    welcome.show()
    welcome.take_focus()
    assert welcome.focusWidget() is welcome.choose_button
    welcome.show_discovered(FOUND)
    assert welcome.focusWidget() is welcome.import_button
    welcome.demo_button.setFocus()
    welcome.show_discovered(FOUND)
    assert welcome.focusWidget() is welcome.demo_button, "it is not taken from where somebody has put it"


def test_with_nothing_found_there_is_nothing_to_follow(theme: Theme, qtbot: QtBot) -> None:
    welcome = WelcomeView(theme)
    qtbot.addWidget(welcome)
    welcome.show()
    for found in ((), FOUND, ()):
        welcome.show_discovered(found)
        assert welcome.follow_box.isVisible() == welcome.import_button.isVisible() == bool(found)
        assert welcome.choose_button.property("primary") is not bool(found)


def test_buttons_of_cards_beside_each_other_stand_in_one_line(theme: Theme, qtbot: QtBot) -> None:
    welcome = WelcomeView(theme)
    qtbot.addWidget(welcome)
    welcome.resize(700, 700)
    welcome.show()
    lower = [one.mapTo(welcome, one.rect().bottomLeft()).y() for one in (welcome.demo_button, welcome.connect_button)]
    assert lower[0] == lower[1]


def test_the_welcome_page_offers_what_was_found(theme: Theme, qtbot: QtBot) -> None:
    welcome = WelcomeView(theme)
    qtbot.addWidget(welcome)
    assert not welcome.import_button.isEnabled()
    welcome.show_discovered(FOUND)
    with qtbot.waitSignal(welcome.import_requested) as asked:
        welcome.import_button.click()
    assert asked.args == [["/a.jsonl", "/b.jsonl", "/c.jsonl"]]
    assert welcome.connect_button.isEnabled()
    with qtbot.waitSignal(welcome.demo_requested):
        QTest.keyClick(welcome.demo_button, Qt.Key.Key_Return)
    with qtbot.waitSignal(welcome.import_requested):
        QTest.keyClick(welcome.import_button, Qt.Key.Key_Enter)


def test_what_tools_removed_is_told() -> None:
    gone = GoneSession(key=9, id="s9", source="zed", source_id="z", title="Tea", path="/threads.db")
    report = ImportReport(
        (imported(1, removed=2, path="/a"), imported(2, returned=1, reappeared=True, path="/a")), gone=(gone,)
    )
    assert headline(report) == (
        "2 sessions from 1 file, 24 new entries · 2 entries removed by their tool · 1 session deleted by its tool."
    )
    told = [text for _, text in lines(report)]
    assert "2 entries were removed by the tool. They are kept as a branch." in told
    assert "1 entry that the tool had removed is in its files again." in told
    assert "The tool had deleted this session, and has it again." in told
    assert told[-2:] == ["Deleted by their tool, safe here", "Tea · Zed"]

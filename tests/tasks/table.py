"""The table of tasks: from where each begins, our steps, what is true afterwards, and the steps in other tools.

The keys of Claude Code are those of its documentation of August 2026 (pages *Interactive mode*, *Fullscreen
rendering*, *Manage sessions*, *Agent view*, *Checkpointing*, *Commands* and *Keybindings*); those of Zed are of its
documentation (pages *Agent Panel* and *Parallel Agents*) and its key map for Linux of the same year, read again in
November 2026. In that map `Esc` is the cancel of the editor that the message is written in, which ends the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QPushButton, QWidget

from stemmata.domain.chat.run import Consent, Phase
from stemmata.domain.entries.entry import Kind
from stemmata.gui.cards.content import Request
from stemmata.gui.composer.view import Composer
from stemmata.gui.files.timeline import FileTimeline
from stemmata.gui.search.rows import ResultHitRow
from stemmata.gui.settings.keys_dialog import KeysDialog
from stemmata.gui.widgets.clipboard import LongCopy
from tests.fakes.transcripts import said
from tests.tasks import starts
from tests.tasks.player import Player
from tests.tasks.steps import (
    Step,
    bar,
    card_menu,
    click,
    click_in,
    click_row,
    click_session,
    named,
    on_card,
    palette,
    press,
    row_menu,
    session_menu,
    write,
)

Peer = tuple[str, ...]  # one text for each key, click or typed text
NOT = ()  # not possible, or not documented


@dataclass(frozen=True)
class Task:
    """Something that a person wants done. `zed` are its keys, `zed_mouse` its clicks; () where it is not possible."""

    text: str
    start: starts.Start
    mouse: tuple[Step, ...]
    keys: tuple[Step, ...]
    done: Callable[[Player], object]
    claude: Peer = NOT
    zed: Peer = NOT
    zed_mouse: Peer = NOT


def note(name: str) -> Callable[[Player], int]:
    """Return the key of an entry or session that the start noted."""
    return lambda player: int(player.notes[name])


FIRST, LAST, SIDE, THIRD, CALL, OTHER, WANTED = map(
    note, ("first", "last", "side", "third", "call", "other", "wanted")
)


def at_last(player: Player) -> bool:
    return player.window.transcript.view.card_cursor.visible_key == LAST(player)


def at_third(player: Player) -> bool:
    return player.window.transcript.view.card_cursor.visible_key == THIRD(player)


def clipboard() -> str:
    """The copied text; a long one without Qt's copy of it, which a person does not wait for."""
    clipboard = QGuiApplication.clipboard()
    content = clipboard.mimeData()
    return content.content if isinstance(content, LongCopy) else clipboard.text()


def selected(player: Player) -> int | None:
    return player.gui.opened.selection


def in_transcript(player: Player) -> str:
    return said(player.window.transcript.view)


def hits_are_there(player: Player) -> bool:
    view = player.window.results
    return view.header.chip_label.text().startswith(("1 hit", "2 hits")) and view.selected is not None


def answer(consent: Consent) -> Callable[[Player], QWidget]:
    return lambda player: player.gui.controllers.runs.consent_popup.buttons[consent]


def dot(at: int) -> Callable[[Player], tuple[QWidget, QPoint]]:
    def find(player: Player) -> tuple[QWidget, QPoint]:
        line: FileTimeline = player.gui.controllers.files.view.timeline
        return line, QPoint(round(line.x_of(at)), line.height() // 2)

    return find


def archive_icon(player: Player) -> tuple[QWidget, QPoint]:
    player.session_place(player.session)
    rows, model = player.window.sessions.list, player.window.sessions_model
    row = model.row_of(player.session)
    assert row is not None
    return rows.viewport(), rows.archive_place(model.index(row)).center()


def picked(text: str, popup: str) -> Callable[[Player], tuple[QWidget, QPoint]]:
    """Find a row of the popup of models or levels."""

    def find(player: Player) -> tuple[QWidget, QPoint]:
        shown = getattr(player.gui.controllers.pickers, popup)
        player.wait_for(lambda: shown.isVisible() and text in shown.shown)
        rows = [shown.list.item(at) for at in range(shown.list.count())]
        row = next(
            row for row in rows if str(row.data(Qt.ItemDataRole.AccessibleTextRole)).startswith(text)
        )  # what screen readers read
        return shown.list.viewport(), shown.list.visualItemRect(row).center()

    return find


def first_hit(player: Player) -> tuple[QWidget, QPoint]:
    rows, at = player.window.results.list, 0
    while not isinstance(player.window.results.model.row_at(at), ResultHitRow):
        at += 1
    return rows.viewport(), rows.visualRect(player.window.results.model.index(at)).center()


def palette_row(player: Player) -> tuple[QWidget, QPoint]:
    rows = player.palette.list
    player.wait_for(lambda: rows.currentIndex().isValid() and found_phrase(player))
    return rows.viewport(), rows.visualRect(rows.currentIndex()).center()


def went_to_match(player: Player) -> bool:
    """Whether the find bar has gone to one of the two matches; it may still count those far away."""
    return bool(re.match(r"\d of [12]", player.gui.controllers.finding.bar.count_text))


def found_phrase(player: Player) -> bool:
    at = player.palette.list.currentIndex().row()
    rows = player.palette.rows
    return 0 <= at < len(rows) and f"quagga{player.word}" in getattr(rows[at], "text", "")


def only_session(player: Player) -> bool:
    return player.window.sessions_model.matching == 1


def level(player: Player) -> str:
    return player.gui.controllers.pickers.choice.level


def file_name(player: Player) -> str:
    return str(player.folder / "out.html")


def save_button(player: Player) -> QWidget:
    dialog = player.window.findChild(QFileDialog)
    assert dialog is not None
    return next(button for button in dialog.findChildren(QPushButton) if "Save" in button.text())


def in_dialog(player: Player) -> bool:
    dialog = player.window.findChild(QFileDialog)
    return dialog is not None and isinstance(player.focus, QLineEdit)


def can_accept(player: Player) -> bool:
    panel = player.window.workbench
    return player.in_workbench() and panel.accept.isEnabled() and bool(panel.editor.text)


def has_label(player: Player, name: str, text: str | None) -> bool:
    return player.tree.labels.get(player.tree.index(player.notes[name])) == text


def is_pinned(player: Player, key: int) -> bool:
    return player.tree.index(key) in player.tree.pins


def exported(player: Player) -> bool:
    path = player.folder / "out.html"
    return path.exists() and "Another approach" in path.read_text(encoding="utf-8")


def shows_keys(player: Player) -> bool:
    return any(sheet.rows for sheet in player.window.findChildren(KeysDialog))


def phrase(player: Player) -> str:
    return f"quagga{player.word}"


def in_menu(words: str) -> Step:
    """Click an item of the menu that is open."""

    def play(player: Player) -> None:
        player.wait_for(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        player.menu_item(menu, words)

    return Step(f"*{words}*", play)


def find_button(player: Player) -> QWidget:
    header = player.window.transcript.header
    return next(button for button in header.findChildren(QWidget) if button.accessibleName() == "Find in session")


def bar_undo(number: int) -> Step:
    """Choose the undo of the menu, whose words name what it undoes, after `number - 1` others."""

    def play(player: Player) -> None:
        ready_to_undo(player, number)
        menu = player.bar_menu("Edit")
        player.menu_item(menu, player.window.actions_table["undo"].text().partition("\t")[0])

    return Step("*Edit → Undo*", play, 2)


def can_undo(player: Player) -> bool:
    return player.window.actions_table["undo"].isEnabled()


def undo_key(number: int) -> Step:
    """Press Ctrl+Z for the `number`-th time, after the menu names what it undoes; before, the key does nothing."""
    return press("Ctrl+Z", lambda player: ready_to_undo(player, number))


def ready_to_undo(player: Player, number: int) -> bool:
    words = ("Undo label “two”", "Undo pin", "Undo label “one”")
    player.wait_for(lambda: player.window.actions_table["undo"].isEnabled())
    player.wait_for(lambda: player.window.actions_table["undo"].text().startswith(words[number - 1]))
    return True


def composer(player: Player) -> Composer:
    return player.window.transcript.composer


MODEL = "claude-haiku-3-5"


SESSIONS: tuple[Task, ...] = (
    Task(
        "Open the session that has a phrase that you remember", starts.two_sessions,
        (click("the search field", lambda p: p.window.top_bar.search), write("the phrase", phrase),
         click_in("the hit", palette_row)),
        (press("Ctrl+K"), write("the phrase", phrase), press("Return", found_phrase)),
        lambda p: p.session == p.notes["wanted"],
    ),
    Task(
        "Open a session by a word of its title", starts.two_sessions,
        (click("the filter", lambda p: p.window.sessions.filter), write("the word", phrase),
         click_session("the session", WANTED)),
        (press("Ctrl+Alt+S"), write("the word", phrase), press("Return", only_session)),
        lambda p: p.session == p.notes["wanted"],
        ("`/resume`", "`Enter`", "the word", "`Enter`"), ("`Ctrl+Alt+;`", "`Ctrl+F`", "the word", "`Enter`"),
        ("the search", "the word", "the thread"),
    ),
    Task(
        "Go to the session above in the list", starts.two_sessions,
        (click_session("the session", WANTED),), (press("Ctrl+PgUp"),),
        lambda p: p.session != p.notes["own"],
        ("`/resume`", "`Enter`", "`↓`", "`Enter`"), ("`Ctrl+Tab`",), ("the thread",),
    ),
    Task(
        "Rename the session", starts.writing,
        (click("the title", lambda p: p.window.transcript.header.title_label), write("the name", "Okapi plan"),
         press("Return")),
        (press("F2"), write("the name", "Okapi plan"), press("Return")),
        lambda p: p.stored().title == "Okapi plan",
        ("`/rename`", "the name", "`Enter`"), ("`Ctrl+Alt+;`", "`Shift+R`", "the name", "`Enter`"),
        ("the title", "the name", "elsewhere"),
    ),
    Task(
        "Star the session", starts.writing, (session_menu("Star"),), (press("Ctrl+D"),),
        lambda p: p.stored().starred,
    ),
    Task(
        "Give the session two tags", starts.writing,
        (session_menu("Tags…"), write("the tags", "ui, later"), press("Return")),
        (press("Ctrl+T"), write("the tags", "ui, later"), press("Return")),
        lambda p: set(p.stored().tags) == {"ui", "later"},
    ),
    Task(
        "Archive the session", starts.in_list,
        (click_in("the icon of the row", archive_icon),), (press("Ctrl+Shift+A"),),
        lambda p: p.stored(p.notes["own"]).archived,
        ("`←`", "`Ctrl+X`", "`Ctrl+X`"), ("`Shift+Backspace`",), ("the icon of the row",),
    ),
    Task(
        "Delete the session", starts.in_list, (session_menu("Move to trash"),), (press("Ctrl+Backspace"),),
        lambda p: p.stored(p.notes["own"]).trashed,
        NOT, ("`Ctrl+Backspace`",), ("the history", "the icon of the row"),
    ),
    Task(
        "Bring back the session that you just deleted", starts.deleted,
        (click("*Undo*", named("Undo")),), (press("Ctrl+Z", can_undo),),
        lambda p: not p.stored(p.notes["gone"]).trashed and p.gui.opened.key == p.notes["gone"],
    ),
    Task(
        "Group the list by tool", starts.writing,
        (click("the grouping", named("Group by: Project")), in_menu("Group sessions by tool")),
        palette("by tool", "Group sessions by tool"),
        lambda p: p.window.actions_table["group-source"].isChecked(),
    ),
    Task(
        "Go to the session that this one was forked from", starts.forked,
        (click("the link", lambda p: p.window.transcript.lineage.before),), (press("Ctrl+Shift+PgUp"),),
        lambda p: p.session == p.notes["origin"], ("`/resume`", "its name", "`Enter`"),
    ),
    Task(
        "Read two sessions side by side", starts.two_sessions,
        (session_menu("Open beside"),), palette("open beside", "Open beside"),
        lambda p: p.window.actions_table["split-view"].isChecked(),
    ),
)  # fmt: skip
SEARCHES: tuple[Task, ...] = (
    Task(
        "List every place where any session says a word", starts.two_sessions,
        (bar("Edit", "Search all sessions"), write("the word", phrase)),
        (press("Ctrl+Shift+F"), write("the word", phrase)), hits_are_there,
    ),
    Task(
        "Of these hits, list only those in the output of tools", starts.searching,
        (click("*Tool results*", lambda p: p.window.results.chips.roles["tool"]),),
        (write("`role:tool`", " role:tool"),),
        lambda p: p.window.results.header.chip_label.text().startswith("1 hit "),
    ),
    Task(
        "List only the hits on branches that you left", starts.searching,
        (click("*Abandoned*", lambda p: p.window.results.chips.off_path),),
        (write("`in:abandoned`", " in:abandoned"),),
        lambda p: p.window.results.header.chip_label.text().startswith("1 hit "),
    ),
    Task(
        "Go to the next hit", starts.searching,
        (click_in("the hit", first_hit),), (press("F4"),), lambda p: f"okapi{p.word}" in in_transcript(p),
    ),
    Task(
        "Find a word in the open session", starts.reading,
        (click("the magnifier", lambda p: find_button(p)), write("the word", "Second numbat")),
        (press("Ctrl+F"), write("the word", "Second numbat")),
        went_to_match,
        ("`Ctrl+O`", "`/`", "the word", "`Enter`"), ("`Ctrl+F`", "the word"),
    ),
    Task(
        "Go to the next match in the session", starts.finding,
        (click("the arrow", lambda p: p.gui.controllers.finding.bar.next),), (press("F3"),),
        lambda p: p.gui.controllers.finding.bar.count_text != p.notes["count"], ("`n`",), ("`F3`",), ("the arrow",),
    ),
    Task(
        "Find by a regular expression", starts.reading,
        (click("the magnifier", lambda p: find_button(p)), click("`.*`", named("Regular expression")),
         write("the pattern", "(Second|Third) numbat pr.mpt")),
        (press("Ctrl+F"), press("Alt+R"), write("the pattern", "(Second|Third) numbat pr.mpt")),
        went_to_match, NOT, ("`Ctrl+F`", "`Alt+R`", "the pattern"),
    ),
)  # fmt: skip
READINGS: tuple[Task, ...] = (
    Task(
        "Go to the prompt above", starts.reading, (click_row("the row of the prompt", THIRD),), (press("["),),
        lambda p: selected(p) == p.notes["third"], ("`{`",), ("`Shift+PgUp`",), ("the arrow",),
    ),
    Task(
        "Go to the beginning while you write", starts.writing,
        (click_row("the first row", FIRST),), (press("Ctrl+Alt+Home"),),
        lambda p: selected(p) == p.notes["first"], ("`Ctrl+Home`",), ("`Ctrl+Home`",), ("the arrow",),
    ),
    Task(
        "Go to the newest entry", starts.at_call, (click_row("the last row", LAST),), (press("End"),),
        lambda p: selected(p) == p.notes["last"],
        ("`Ctrl+End`",), ("`End`",), ("right-click", "*Scroll to Bottom*"),
    ),
    Task(
        "Show the whole output of a tool call", starts.at_call,
        (on_card("the call", CALL, Request.FOLD),), (press("Space"),),
        lambda p: p.card(p.notes["call"]).unfolded, ("`Ctrl+O`",), NOT, ("the call",),
    ),
    Task(
        "Show the output of all tool calls", starts.at_call,
        (bar("View", "Unfold or fold all tool calls"),), (press("O"),),
        lambda p: p.card(p.notes["call"]).unfolded, ("`Ctrl+O`",),
    ),
    Task(
        "Show all thoughts", starts.at_thought,
        (bar("View", "Unfold or fold all thoughts"),), (press("Shift+O"),),
        lambda p: "Consider the stripes" in in_transcript(p), ("`Ctrl+O`",),
    ),
    Task(
        "Copy the last reply", starts.reading,
        (on_card("the icon of the card", LAST, Request.COPY),), (press("C"),),
        lambda p: clipboard().startswith("Three blocks:"),
        ("`/copy`", "`Enter`"), NOT, ("right-click", "*Copy This Agent Response*"),
    ),
    Task(
        "Copy the second code block of the last reply", starts.reading,
        (on_card("the icon of the block", LAST, Request.COPY_TEXT, 1),), (press("B"), press("B")),
        lambda p: clipboard().strip() == "two()", ("`/copy`", "`Enter`", "`↓`", "`Enter`"),
    ),
    Task(
        "Copy the whole conversation as Markdown", starts.reading,
        (card_menu("Select the whole transcript", LAST), card_menu("Copy selection as Markdown", LAST)),
        (press("Ctrl+A"), press("Shift+C")),
        lambda p: "## You" in clipboard() and "Second numbat reply." in clipboard(),
        ("`/export`", "`Enter`", "`Enter`"),
        ("`Ctrl+Shift+P`", "“thread as markdown”", "`Enter`", "`Ctrl+A`", "`Ctrl+C`"),
        ("right-click", "*Open Thread as Markdown*", "`Ctrl+A`", "`Ctrl+C`"),
    ),
    Task(
        "See the stored record of an entry", starts.reading,
        (card_menu("Show raw entry", LAST),), (press("Ctrl+U"),),
        lambda p: any(one.objectName() == "rawDialog" for one in p.window.findChildren(QWidget)),
    ),
    Task(
        "See where a file was changed last, and how", starts.reading,
        (click("the icon of the header", named("Files of this branch")),), (press("Ctrl+Alt+F"),),
        lambda p: p.gui.controllers.files.view.timeline.at == 2,
        ("`/diff`", "`Enter`", "`←`", "`↓`"), ("`Ctrl+Shift+R`",), ("*Review Changes*",),
    ),
    Task(
        "See the file before that change", starts.in_files,
        (click_in("the dot", dot(1)),), (press("Left"),),
        lambda p: p.gui.controllers.files.view.timeline.at == 1,
    ),
)  # fmt: skip
BRANCHES: tuple[Task, ...] = (
    Task(
        "Change the last prompt and ask again", starts.writing,
        (on_card("the icon of the card", THIRD, Request.EDIT),),
        (press("Alt+3"), press("[", at_last), press("E", at_third)),
        lambda p: p.window.transcript.composer.text == "Third numbat prompt.",
        ("`Esc`", "`Esc`", "`↑`", "`Enter`", "`Enter`"), NOT, ("the message",),
    ),
    Task(
        "Fork the session at an entry", starts.reading,
        (on_card("the icon of the card", LAST, Request.FORK),), (press("F"),),
        lambda p: p.session != p.notes["own"], ("`/branch`", "`Enter`"),
    ),
    Task(
        "Look at the other branch", starts.at_prompt,
        (click_row("its row", SIDE),), (press("]"),),
        lambda p: "Another approach" in in_transcript(p), ("`/resume`", "its name", "`Enter`"),
    ),
    Task(
        "Compare another branch with this one", starts.at_side,
        (row_menu("Compare with active branch", OTHER),), (press("Ctrl+Shift+M"),),
        lambda p: p.gui.controllers.compare.is_open,
    ),
    Task(
        "Label an entry", starts.at_row,
        (row_menu("Label…", LAST), write("the label", "good"), press("Return")),
        (press("L"), write("the label", "good"), press("Return")), lambda p: has_label(p, "last", "good"),
    ),
    Task(
        "Pin an entry, so that no compaction takes it away", starts.reading,
        (on_card("the icon of the card", LAST, Request.PIN),), (press("P"),),
        lambda p: is_pinned(p, p.notes["last"]),
    ),
    Task(
        "Undo the last thing", starts.three_done, (bar_undo(1),), (undo_key(1),),
        lambda p: has_label(p, "first", None) and is_pinned(p, p.notes["last"]),
        ("`Esc`", "`Esc`", "`↑`", "`Enter`", "`Enter`"),
    ),
    Task(
        "Undo the last three things", starts.three_done,
        (bar_undo(1), bar_undo(2), bar_undo(3)), (undo_key(1), undo_key(2), undo_key(3)),
        lambda p: has_label(p, "last", None) and not is_pinned(p, p.notes["last"]),
        ("`Esc`", "`Esc`", "`↑`", "`↑`", "`↑`", "`Enter`", "`Enter`"),
    ),
    Task(
        "Delete a branch", starts.at_side, (row_menu("Move subtree to trash", OTHER),), (press("Del"),),
        lambda p: p.tree.get(p.notes["other"]) in p.tree.trash,
    ),
    Task(
        "Find a word in the branches", starts.at_row,
        (click("the magnifier", lambda p: p.window.branches.search_button), write("the word", "approach, okapi"),
         press("Return")),
        (press("/"), write("the word", "approach, okapi"), press("Return")),
        lambda p: p.rows.selected_row == p.rows.model.row_of(p.notes["side"]),
    ),
)  # fmt: skip
CONTEXTS: tuple[Task, ...] = (
    Task(
        "See what fills the context at an earlier entry", starts.reading,
        (click_row("its row", FIRST),), (press("Home"),),
        lambda p: selected(p) == p.notes["first"] and not p.gui.controllers.context.is_behind,
    ),
    Task(
        "See a summary before anything is compacted", starts.compactable,
        (click("*Compact…*", lambda p: p.window.context.preview.compact),), (press("Ctrl+Shift+K"),),
        lambda p: p.in_workbench() and p.window.workbench.editor.text,
    ),
    Task(
        "Compact", starts.compactable,
        (click("*Compact…*", lambda p: p.window.context.preview.compact),
         click("*Accept*", lambda p: p.window.workbench.accept)),
        (press("Ctrl+Shift+K"), press("Ctrl+Return", can_accept)),
        lambda p: p.compaction is not None and not p.in_workbench(),
        ("`/compact`", "`Enter`"), ("`Ctrl+Alt+Shift+N`", "`↓`", "`Enter`"), ("the menu", "*New From Summary*"),
    ),
    Task(
        "Undo a compaction", starts.compacted,
        (click("*Undo*", named("Undo")),), (press("Ctrl+Z"),), lambda p: p.leaf == p.notes["leaf"],
    ),
    Task(
        "Leave the output of older tool calls out of the context", starts.compactable,
        (click("*Prune only*", lambda p: p.window.context.preview.prune),), (press("Ctrl+Shift+P"),),
        lambda p: any(p.tree.kind(at) is not Kind.MESSAGE for at in range(len(p.tree))),
    ),
    Task(
        "Exclude one entry from the context", starts.reading,
        (card_menu("Exclude from the context", LAST),), palette("exclude", "Exclude from the context"),
        lambda p: any(p.tree.kind(at) is not Kind.MESSAGE for at in range(len(p.tree))),
    ),
)  # fmt: skip
CHATS: tuple[Task, ...] = (
    Task(
        "Begin a new chat", starts.writing,
        (click("`+`", lambda p: p.window.sessions.new_button),), (press("Ctrl+N"),),
        lambda p: p.session != p.notes["own"], ("`/clear`", "`Enter`"), ("`Ctrl+N`",), ("`+`", "*Zed Agent*"),
    ),
    Task(
        "Send a message", starts.chatting,
        (write("the message", "Hello again"), click("*Send*", lambda p: composer(p).foot.send)),
        (write("the message", "Hello again"), press("Return")),
        lambda p: p.phase is Phase.IDLE and len(p.tree) >= p.notes["entries"] + 2,
        ("the message", "`Enter`"), ("the message", "`Enter`"), ("the message", "the arrow"),
    ),
    Task(
        "Stop the reply", starts.replying,
        (click("*Stop*", lambda p: composer(p).foot.stop),), (press("Esc"),),
        lambda p: p.phase in (Phase.IDLE, Phase.INTERRUPTED), ("`Esc`",), ("`Esc`",), ("the button",),
    ),
    Task(
        "Queue a message behind the reply that is coming", starts.replying,
        (write("the message", "later"), click("*Queue*", lambda p: composer(p).foot.send)),
        (write("the message", "later"), press("Return")), lambda p: composer(p).queue.rows,
        ("the message", "`Enter`"), ("the message", "`Enter`"), ("the message", "the arrow"),
    ),
    Task(
        "Change the queued message", starts.queued,
        (click("the icon of the message", lambda p: composer(p).queue.rows[0].buttons["edit"]),),
        (press("Up"),), lambda p: composer(p).queue.rows[0].editor is not None,
        ("`↑`",), ("`Ctrl+Alt+E`",), ("the icon of the message",),
    ),
    Task(
        "Interrupt the reply and send a message now", starts.replying_in_parts,
        (write("the message", "Wait"), press("Ctrl+Shift+Return")),
        (write("the message", "Wait"), press("Ctrl+Shift+Return")),
        lambda p: len(p.tree) >= p.notes["entries"] + 3,
        ("`Esc`", "the message", "`Enter`"), ("the message", "`Ctrl+Shift+Enter`"),
        ("the message", "the arrow", "*Send Now*"),
    ),
    Task(
        "Choose another model", starts.chatting,
        (click("the model", lambda p: composer(p).foot.model),
         click_in("the other one", picked(MODEL, "models"))),
        (press("Ctrl+M"), write("letters of its name", "haiku"),
         press("Return", lambda p: MODEL in p.gui.controllers.pickers.models.shown)),
        lambda p: p.gui.controllers.pickers.choice.model == MODEL,
        ("`Alt+P`", "`↓`", "`Enter`"), ("`Ctrl+Alt+/`", "letters", "`Enter`"), ("the model", "the other one"),
    ),
    Task(
        "Think more", starts.chatting,
        (click("the level", lambda p: composer(p).foot.level), click_in("the next one", picked("Low", "levels"))),
        (press("Alt+T"),), lambda p: level(p) == "low",
        ("`Alt+T`",), ("`Ctrl+'`",), ("the level", "the next one"),
    ),
    Task(
        "Allow a tool call once", starts.asked,
        (click("*Allow once*", answer(Consent.ONCE)),), (press("Ctrl+Alt+Y"),),
        lambda p: p.phase is Phase.IDLE, ("`Enter`",), ("`Ctrl+Y`",), ("*Allow*",),
    ),
)  # fmt: skip
OTHERS: tuple[Task, ...] = (
    Task(
        "Export all branches as a page for a browser", starts.writing,
        (bar("File", "Export session…"), write("the name", file_name, in_dialog), click("*Save*", save_button)),
        (press("Ctrl+E"), write("the name", file_name, in_dialog), press("Return")), exported,
        ("`/export`", "the name", "`Enter`"), NOT, NOT,
    ),
    Task(
        "Give the session to another tool", starts.at_row,
        (row_menu("Hand off…", LAST),), (press("Ctrl+Alt+H"),),
        lambda p: p.window.findChild(QWidget, "handOffDialog") is not None,
    ),
    Task(
        "See every key of the column in use", starts.reading,
        (bar("Help", "Keys of this column"),), (press("F1"),),
        shows_keys, ("`?`",), ("`Ctrl+K Ctrl+S`",),
    ),
    Task(
        "Change between dark and light", starts.writing,
        (click("the half circle", named("Switch light or dark theme")),), (press("Ctrl+Shift+L"),),
        lambda p: p.gui.theme.scheme != p.notes["scheme"],
        ("`/theme`", "`Enter`", "`↓`", "`Enter`"), ("`Ctrl+K Ctrl+Shift+T`",),
    ),
)  # fmt: skip
GROUPS: tuple[tuple[str, tuple[Task, ...]], ...] = (
    ("Sessions", SESSIONS),
    ("Searching", SEARCHES),
    ("Reading", READINGS),
    ("Branches and undo", BRANCHES),
    ("Context", CONTEXTS),
    ("Chatting", CHATS),
    ("Window and files", OTHERS),
)
TASKS: tuple[Task, ...] = tuple(task for _name, tasks in GROUPS for task in tasks)

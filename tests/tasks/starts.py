"""What the window shows when a task begins, and where the keyboard is."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.domain.chat.run import Phase
from tests.fakes.script import Call, Reply, Say, flood
from tests.fakes.waiting import PATIENCE
from tests.fakes.worked_files import WorkedSession
from tests.tasks.player import Player

Start = Callable[[Player], None]


def reading(player: Player) -> None:
    """A session is open, and the cursor of the transcript is on the last reply."""
    player.open_worked()
    player.gui.controllers.windows.go("transcript")
    player.wait_for(lambda: player.window.transcript.view.card_cursor.key == player.notes["last"])


def writing(player: Player) -> None:
    """A session is open, and the keyboard is in the message."""
    player.open_worked()
    player.window.transcript.composer.editor.setFocus()


def at_call(player: Player) -> None:
    """The cursor of the transcript is on a folded tool call."""
    reading(player)
    _look_at(player, player.notes["call"])


def _look_at(player: Player, key: int) -> None:
    """Select an entry and put the cursor of the transcript on it."""
    player.window.transcript.view.scroll_to(key)
    player.gui.opened.select(key)
    player.window.transcript.view.card_cursor.take(key)
    player.window.transcript.view.card_cursor.start()


def at_thought(player: Player) -> None:
    """The transcript shows a reply whose thought is folded."""
    reading(player)
    _look_at(player, player.notes["thought"])


def at_prompt(player: Player) -> None:
    """A prompt that has a sibling on another branch is selected in the branches."""
    player.open_worked()
    player.choose(player.notes["second"])


def at_row(player: Player) -> None:
    """The last reply is selected in the branches."""
    player.open_worked()


def at_side(player: Player) -> None:
    """The last entry of the other branch is selected in the branches."""
    player.open_worked()
    player.choose(player.notes["other"])


def in_list(player: Player) -> None:
    """A session is open, and the keyboard is in the list of sessions."""
    player.open_worked()
    player.window.sessions.list.setFocus()
    player.wait_for(lambda: [one.key for one in player.window.sessions.selected] == [player.session])


def deleted(player: Player) -> None:
    """A session was just deleted."""
    in_list(player)
    gone = player.notes["gone"] = player.session
    player.window.actions_table["trash"].trigger()
    player.wait_for(lambda: player.stored(gone).trashed and player.window.toast.isVisible())
    player.window.sessions.list.setFocus()


def forked(player: Player) -> None:
    """A fork is open."""
    player.open_worked()
    origin = player.notes["origin"] = player.session
    player.gui.controllers.branches.fork(player.notes["last"])
    player.wait_for(lambda: player.session != origin and player.gui.opened.session_tree is not None)
    player.wait_for(lambda: player.window.transcript.lineage.before.key == origin)


def two_sessions(player: Player) -> None:
    """Another session is open; one with the phrase is in the archive."""
    player.open_worked()
    player.notes["wanted"] = player.session
    other = WorkedSession(f"x{player.name}")
    other.say("assistant", [{"type": "text", "text": "Hi."}], other.say("user", "Something else.", None))
    player.open_made(other)
    player.window.transcript.composer.editor.setFocus()


def searching(player: Player) -> None:
    """The search of all sessions shows the hits of a word, on both branches and in a tool result."""
    player.open_worked()
    player.gui.controllers.search_sessions()
    view = player.window.results
    player.wait_for(view.field.hasFocus)
    view.field.setText(f"okapi{player.word}")
    player.wait_for(lambda: view.header.chip_label.text().startswith("2 hits"))
    player.wait_for(lambda: view.chips.off_path.text() == "Abandoned 1")


def finding(player: Player) -> None:
    """The find bar shows the first of several matches."""
    reading(player)
    player.gui.controllers.finding.open()
    bar = player.gui.controllers.finding.bar
    bar.field.setText("numbat prompt")
    player.wait_for(lambda: bar.count_text.endswith("of 2"))
    player.notes["count"] = bar.count_text


def in_files(player: Player) -> None:
    """The page of files shows a file after its last change, with the keyboard on the time line."""
    reading(player)
    player.gui.controllers.files.open()
    view = player.gui.controllers.files.view
    player.wait_for(lambda: view.timeline.at == 2)
    view.timeline.setFocus()


def three_done(player: Player) -> None:
    """An entry was labelled, then pinned, then another one was labelled."""
    at_row(player)
    branching, session = player.application.services.branching, player.session
    last, first = player.notes["last"], player.notes["first"]
    branching.label(session, last, "one").result(PATIENCE)
    branching.pin(session, last, on=True).result(PATIENCE)
    branching.label(session, first, "two").result(PATIENCE)
    player.wait_for(lambda: player.tree.labels.get(player.tree.index(first)) == "two")


def compacted(player: Player) -> None:
    """A compaction was just accepted."""
    compactable(player)
    leaf = player.notes["leaf"] = player.leaf
    player.gui.controllers.compaction.open()
    panel = player.window.workbench
    player.wait_for(lambda: panel.accept.isEnabled() and panel.editor.text)
    player.gui.controllers.compaction.accept()
    player.wait_for(lambda: player.leaf != leaf and not player.in_workbench())
    player.wait_for(player.window.actions_table["undo"].isEnabled)


def compactable(player: Player) -> None:
    """A session with much tool output is open."""
    player.open_compactable()
    player.wait_for(lambda: not player.window.context.preview.reason)


def chatting(player: Player) -> None:
    """A chat with a connected model is open, and the keyboard is in the message."""
    player.open_chat()
    player.notes["entries"] = len(player.tree)


def replying(player: Player) -> None:
    """A reply is coming."""
    chatting(player)
    player.server.streaming.clear()
    player.server.script(flood(60))
    player.say("Tell me more")
    player.wait_for(lambda: player.server.streaming.is_set() and player.phase is Phase.STREAMING)


def replying_in_parts(player: Player) -> None:
    """A reply of several short parts is coming."""
    chatting(player)
    player.server.streaming.clear()
    player.server.script(Reply(blocks=(Say("Word by word. " * 20),) * 60, piece=4, delay=0.005))
    player.say("Tell me more")
    player.wait_for(lambda: player.server.streaming.is_set() and player.phase is Phase.STREAMING)


def queued(player: Player) -> None:
    """A message is queued behind a reply that is coming."""
    replying(player)
    player.say("later")
    player.wait_for(lambda: player.window.transcript.composer.queue.rows)


def asked(player: Player) -> None:
    """The model wants to call a tool that asks first."""
    player.open_chat()
    call = Call("memory", {"command": "create", "file": f"{player.name}.md", "text": "Tea."})
    player.server.script(Reply(blocks=(call,)), Reply(blocks=(Say("Noted."),)))
    player.say("Remember")
    player.wait_for(lambda: player.phase is Phase.ASKING and player.gui.controllers.runs.consent_popup.isVisible())

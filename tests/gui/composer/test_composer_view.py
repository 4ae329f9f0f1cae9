"""The composer, driven by values: what it shows, when it sends, what its keys do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.chat.run import Phase, QueuedMessage, RunState
from stemmata.domain.entries.blocks import Text
from stemmata.gui.composer.attachments import AttachedRow
from stemmata.gui.composer.command_controller import CompletionList, OfferedCommand
from stemmata.gui.composer.pickers import ModelChoice
from stemmata.gui.composer.view import Composer
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.ring import NextRequest

Key, Held = Qt.Key, Qt.KeyboardModifier
CONNECTED = ModelChoice(connected=True, connection="Anthropic", model="claude-sonnet-4-6", level="medium")


@pytest.fixture
def composer(theme: Theme, qtbot: QtBot) -> Iterator[Composer]:
    host = QWidget()
    qtbot.addWidget(host)
    made = Composer(theme)
    QVBoxLayout(host).addWidget(made)
    made.open(1)
    made.show_choice(CONNECTED)
    host.resize(700, 400)
    host.show()
    made.editor.setFocus()
    yield made
    host.close()


@pytest.fixture
def sent(composer: Composer) -> list[bool]:
    out: list[bool] = []
    composer.submitted.connect(out.append)
    return out


def test_enter_sends_and_shift_enter_is_a_new_line(composer: Composer, sent: list[bool]) -> None:
    QTest.keyClick(composer.editor, Key.Key_Return)
    assert sent == []  # there is nothing to send
    QTest.keyClicks(composer.editor, "one")
    QTest.keyClick(composer.editor, Key.Key_Return, Held.ShiftModifier)
    QTest.keyClicks(composer.editor, "two")
    QTest.keyClick(composer.editor, Key.Key_Return)
    QTest.keyClick(composer.editor, Key.Key_Enter, Held.ControlModifier)
    QTest.keyClick(composer.editor, Key.Key_Return, Held.ControlModifier | Held.ShiftModifier)
    assert composer.text == "one\ntwo"
    assert sent == [False, False, True]


def test_where_enter_is_a_new_line_ctrl_enter_sends(composer: Composer, sent: list[bool]) -> None:
    composer.editor.enter_sends = False
    QTest.keyClicks(composer.editor, "one")
    QTest.keyClick(composer.editor, Key.Key_Return)
    assert (composer.text, sent) == ("one\n", [])
    QTest.keyClick(composer.editor, Key.Key_Return, Held.ControlModifier)
    assert sent == [False]


def test_without_a_connection_only_commands_are_sent(composer: Composer, sent: list[bool], qtbot: QtBot) -> None:
    composer.show_choice(ModelChoice())
    composer.editor.put("hello")
    assert not composer.send.isEnabled()
    assert "Connect a model" in composer.send.toolTip()
    with qtbot.waitSignal(composer.foot.connect_requested):
        QTest.keyClick(composer.editor, Key.Key_Return)
    assert sent == []
    assert composer.text == "hello"
    with qtbot.waitSignal(composer.foot.connect_requested):
        composer.foot.connect_link.click()
    composer.editor.put("/status")
    assert composer.send.isEnabled()


def test_the_chip_calls_the_level_as_all_other_texts_do(composer: Composer) -> None:
    composer.window().resize(900, 400)
    composer.show_choice(CONNECTED)
    assert composer.foot.level.text() == "Thinking: medium ▾"
    assert composer.foot.level.accessibleName() == "Thinking: Medium"


def test_while_a_reply_runs_send_queues_and_stop_is_there(composer: Composer, qtbot: QtBot) -> None:
    composer.show_run(RunState(session=1, phase=Phase.STREAMING, model="claude"))
    assert composer.send.text() == "Queue"
    assert composer.run_line.text == "claude is answering"
    with qtbot.waitSignal(composer.foot.stop_requested):
        composer.foot.stop.click()
    with qtbot.waitSignal(composer.editor.stop_requested):
        QTest.keyClick(composer.editor, Key.Key_Escape)
    composer.show_run(RunState(session=1))
    assert composer.send.text() == "Send"
    assert not composer.foot.stop.isVisible()
    assert not composer.run_line.isVisible()


@pytest.mark.parametrize(("width", "in_one_line"), [(560, True), (440, False)])
def test_its_foot_is_one_line_while_a_reply_runs(
    composer: Composer, width: int, in_one_line: bool, qtbot: QtBot
) -> None:
    composer.show_choice(ModelChoice(connected=True, connection="anthropic", model="claude-opus-4-5", level="medium"))
    composer.show_request(NextRequest("≈ 7.4k · 4%", 7400, 200_000, 160_000))
    composer.show_run(RunState(session=1, phase=Phase.STREAMING, model="claude-opus-4-5"))
    composer.window().resize(width, 400)
    QApplication.processEvents()
    foot = composer.foot
    buttons = (foot.model, foot.level, foot.stop, foot.send)
    tops = [one.mapTo(foot, QPoint()).y() for one in buttons]
    assert (max(tops) - min(tops) < foot.send.height() / 2) is in_one_line
    qtbot.waitUntil(lambda: all(one.width() >= one.sizeHint().width() for one in buttons))  # none is cut off
    assert foot.model.toolTip() == "anthropic/claude-opus-4-5"


@pytest.mark.parametrize(
    ("state", "text", "offers"),
    [
        (RunState(session=1, phase=Phase.WAITING, model="m"), "Waiting for m", []),
        (RunState(session=1, phase=Phase.INTERRUPTED), "broke off", ["continue", "retry"]),
        (RunState(session=1, phase=Phase.FAILED, problem="No key.", offers=("connect",)), "No key.", ["connect"]),
        (RunState(session=1, phase=Phase.ASKING, tool="fetch"), "fetch asks", ["answer"]),
        (RunState(session=1, phase=Phase.COMPACTING), "Compacting before", ["cancel"]),
    ],
)
def test_the_line_says_what_runs_and_what_can_be_done(
    composer: Composer, state: RunState, text: str, offers: list[str], qtbot: QtBot
) -> None:
    composer.show_run(state)
    assert text in composer.run_line.text
    assert list(composer.run_line.offers) == offers
    for offer, button in composer.run_line.offers.items():
        with qtbot.waitSignal(composer.run_line.offer_chosen) as signal:
            button.click()
        assert signal.args == [offer]


def test_a_retry_counts_down(composer: Composer, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    now = [10**18]
    monkeypatch.setattr("stemmata.gui.composer.view.time.time_ns", lambda: now[0])
    state = RunState(session=1, phase=Phase.RETRYING, retry_at=10**18 + 12 * 10**9, attempt=2, problem="Busy. Wait.")
    composer.show_run(state)
    assert composer.run_line.text == "Retrying in 12 s (attempt 2) · Busy"
    now[0] += 2 * 10**9
    qtbot.waitUntil(lambda: composer.run_line.text.startswith("Retrying in 10 s"))
    assert list(composer.run_line.offers) == ["cancel"]
    composer.show_run(RunState(session=1))


def test_former_prompts_are_recalled(composer: Composer) -> None:
    composer.editor.set_said(["first", "second"])
    QTest.keyClicks(composer.editor, "unsent")
    texts = []
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Up, Key.Key_Down, Key.Key_Down):
        QTest.keyClick(composer.editor, key)
        texts.append(composer.text)
    assert texts == ["second", "first", "first", "second", "unsent"]


def test_up_inside_a_text_moves_the_cursor(composer: Composer) -> None:
    composer.editor.set_said(["first"])
    composer.editor.put("one\ntwo")
    QTest.keyClick(composer.editor, Key.Key_Up)
    assert composer.text == "one\ntwo"


def test_what_is_typed_is_weighed(composer: Composer) -> None:
    composer.editor.put("x" * 4800)
    assert composer.foot.typed == "≈ 1.2k"
    composer.clear()
    assert composer.foot.typed == ""


def test_files_and_pictures_are_handed_out_and_text_is_pasted(composer: Composer, qtbot: QtBot) -> None:
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/tmp/a.png")])
    with qtbot.waitSignal(composer.editor.files_given) as given:
        composer.editor.insertFromMimeData(files)
    assert given.args == [["/tmp/a.png"]]
    picture = QMimeData()
    picture.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    with qtbot.waitSignal(composer.editor.image_given):
        composer.editor.insertFromMimeData(picture)
    picture.setText("cells of a table")
    composer.editor.insertFromMimeData(picture)
    assert composer.text == "cells of a table"


@pytest.mark.parametrize("text", ["x" * 200_000, "word\n" * 10_000, "y" * 20_000])
def test_a_very_long_text_is_handed_out_to_be_attached(composer: Composer, qtbot: QtBot, text: str) -> None:
    composer.editor.put("Look: ")
    pasted = QMimeData()
    pasted.setText(text)
    with qtbot.waitSignal(composer.editor.text_given) as given:
        composer.editor.insertFromMimeData(pasted)
    assert given.args == [text]
    assert composer.text == "Look: "
    with qtbot.waitSignal(composer.editor.text_given):
        composer.put(text)
    assert composer.text == ""


def test_a_pasted_text_is_converted_once(composer: Composer, qtbot: QtBot) -> None:
    class Counted(QMimeData):
        read = 0

        def retrieveData(self, kind: str, type_: object) -> object:
            self.read += kind.startswith("text/plain")
            return "x" * 200_000

        def formats(self) -> list[str]:
            return ["text/plain"]

        def hasFormat(self, kind: str) -> bool:
            return kind == "text/plain"

    pasted = Counted()
    given: list[str] = []
    composer.editor.text_given.connect(given.append)
    composer.editor.insertFromMimeData(pasted)
    assert pasted.read == 1
    assert given == ["x" * 200_000]


def test_texts_that_are_long_together_are_attached_too(composer: Composer, qtbot: QtBot) -> None:
    pasted = QMimeData()
    pasted.setText("word " * 20 + "\n")
    composer.editor.put(("word " * 20 + "\n") * 985)
    with qtbot.waitSignal(composer.editor.text_given):
        for _ in range(10):
            composer.editor.insertFromMimeData(pasted)


def test_an_attachment_alone_is_a_message_once_it_is_read(composer: Composer, qtbot: QtBot) -> None:
    composer.show_attachments([AttachedRow(key=7, name="a.png", is_ready=False)])
    assert not composer.send.isEnabled()
    composer.show_attachments(
        [AttachedRow(key=7, name="a.png", size=1000, picture=QImage(4, 4, QImage.Format.Format_RGB32))]
    )
    assert composer.send.isEnabled()
    row = composer.attachments.rows[0]
    assert row.accessibleName() == "Attached: a.png, 1 kB"
    with qtbot.waitSignal(composer.attachments.remove_requested) as removed:
        QTest.keyClick(row, Key.Key_Delete)
    assert removed.args == [7]


def test_the_ring_warns_near_the_trigger(composer: Composer) -> None:
    composer.show_request(NextRequest("124.6k · 62%", 124_600, 200_000, 160_000, "figures"))
    ring = composer.foot.ring
    assert ring.isVisible()
    assert ring.toolTip().startswith("figures\n")
    assert ring.request.share == pytest.approx(0.623)
    colors = [NextRequest("", tokens, 200, 160).color for tokens in (10, 130, 161)]
    assert colors == ["accent", "warning", "bad"]
    assert NextRequest("", 10).share is None


# -- the queue ---------------------------------------------------------------------------------------------------


def queued(*texts: str) -> list[QueuedMessage]:
    return [QueuedMessage(key=at + 1, blocks=(Text(text),), time=0) for at, text in enumerate(texts)]


def test_queued_messages_are_edited_moved_sent_and_dropped_by_keyboard(composer: Composer) -> None:
    composer.show_queue(queued("one", "two", "three"))
    queue, seen = composer.queue, list[tuple[object, ...]]()
    for signal in (queue.edited, queue.move_requested, queue.drop_requested, queue.send_requested):
        signal.connect(lambda *arguments: seen.append(arguments))
    row = queue.rows[1]
    row.setFocus()
    QTest.keyClick(row, Key.Key_Up, Held.AltModifier)
    QTest.keyClick(row, Key.Key_Delete)
    QTest.keyClick(row, Key.Key_Return, Held.ControlModifier)
    QTest.keyClick(row, Key.Key_Down, Held.AltModifier)
    assert seen == [(2, 0), (2,), (2,), (2, 2)]
    QTest.keyClick(row, Key.Key_F2)
    assert row.editor is not None
    QTest.keyClicks(row.editor, "changed")
    QTest.keyClick(row.editor, Key.Key_Return)
    assert seen[-1] == (2, "changed")
    QTest.keyClick(row, Key.Key_Down)
    assert queue.rows[2].hasFocus()


def test_a_queued_message_is_dragged(composer: Composer) -> None:
    composer.show_queue(queued("one", "two", "three"))
    moved = list[tuple[int, int]]()
    composer.queue.move_requested.connect(lambda key, to: moved.append((key, to)))
    row = composer.queue.rows[0]
    grip = row.grip
    QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=grip.rect().center())
    target = grip.mapFrom(row, row.rect().center()) + (composer.queue.rows[2].pos() - row.pos())
    QTest.mouseRelease(grip, Qt.MouseButton.LeftButton, pos=target)
    assert moved == [(1, 2)]


def test_an_edit_that_is_left_by_escape_changes_nothing(composer: Composer) -> None:
    composer.show_queue(queued("one"))
    edited = list[str]()
    composer.queue.edited.connect(lambda _key, text: edited.append(text))
    row = composer.queue.rows[0]
    row.buttons["edit"].click()
    editor = row.editor
    assert editor is not None
    QTest.keyClicks(editor, "x")
    QTest.keyClick(editor, Key.Key_Escape)
    assert row.hasFocus()
    assert edited == []


def test_the_queue_can_be_folded_and_rows_stay_what_they_are(composer: Composer) -> None:
    composer.show_queue(queued("one", "two"))
    first = composer.queue.rows[0]
    composer.show_queue(queued("changed", "two", "three"))
    assert composer.queue.rows[0] is first
    assert first.accessibleName() == "Queued: changed"
    composer.foot.queue.click()
    assert not composer.queue.isVisible()
    composer.show_queue([])
    assert not composer.foot.queue.isVisible()


# -- completion --------------------------------------------------------------------------------------------------


def test_completion_goes_by_keys_and_leaves_the_focus(composer: Composer, theme: Theme) -> None:
    completion = CompletionList(theme, composer.window())
    composer.editor.complete = completion.on_key
    taken = list[str]()
    completion.chosen.connect(taken.append)
    completion.show_offered(
        [OfferedCommand("/compact ", "/compact [focus]", "help"), OfferedCommand("/clear", "/clear")], composer.editor
    )
    assert [item.text for item in completion.offered] == ["/compact ", "/clear"]
    QTest.keyClick(composer.editor, Key.Key_Down)
    QTest.keyClick(composer.editor, Key.Key_Tab)
    assert taken == ["/clear"]
    assert completion.offered == ()
    assert composer.editor.hasFocus()
    completion.show_offered([OfferedCommand("/clear", "/clear")], composer.editor)
    QTest.keyClick(composer.editor, Key.Key_Escape)
    assert completion.offered == ()


def test_enter_sends_what_waits_when_nothing_runs(composer: Composer, sent: list[bool]) -> None:
    asked: list[int] = []
    composer.queue.send_requested.connect(asked.append)
    composer.show_queue(queued("one", "two"))
    composer.show_run(RunState(session=1, phase=Phase.STREAMING))
    QTest.keyClick(composer.editor, Key.Key_Return)
    assert asked == []
    composer.show_run(RunState(session=1))
    assert composer.send.isEnabled()
    QTest.keyClick(composer.editor, Key.Key_Return)
    assert asked == [composer.queue.queued[0].key]
    composer.show_queue(())
    assert not composer.send.isEnabled()
    assert sent == []


def test_a_queued_message_that_would_keep_the_window_waiting_is_not_edited(composer: Composer) -> None:
    texts = {1: "w" * 1_000_000, 2: "short"}
    composer.show_queue([QueuedMessage(key=key, blocks=(Text(text),), time=0) for key, text in texts.items()])
    long, short = composer.queue.rows
    for row in (long, short):
        row.edit()
    assert long.editor is None
    assert not long.buttons["edit"].isEnabled()
    assert short.editor is not None
    assert short.buttons["edit"].isEnabled()

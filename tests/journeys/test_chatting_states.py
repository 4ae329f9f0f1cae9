"""Chatting when something is different: no key, another branch, files, another model, a tool that asks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest

from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.run import Consent, Phase, Question
from stemmata.domain.errors import KnownError
from stemmata.gui.cards.content import Action, Request
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.fake_models import FakeModel
from tests.fakes.script import Break, Refuse, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat, connect, new_chat
from tests.journeys.person import Person

Key = Qt.Key
Offered = tuple[OfferedModel, ...]  # the models that a server lists


def test_a_refused_message_is_kept_and_the_line_says_what_to_do(chat: Chat, chat_server: AnthropicServer) -> None:
    chat_server.script(Refuse(401, "invalid x-api-key"))
    chat.hands.send("Hello")
    chat.until(lambda: chat.phase is Phase.FAILED)
    line = chat.composer.run_line
    chat.until(lambda: "connect" in line.offers and line.isVisible())
    chat.until(lambda: chat.said() == ["Hello"])
    chat_server.script(Reply(blocks=(Say("Now it works."),)))
    chat.person.window.actions_table["retry"].trigger()
    chat.until_said("Hello", "Now it works.")
    assert not line.isVisible()


def test_a_reply_that_broke_off_goes_on(chat: Chat, chat_server: AnthropicServer) -> None:
    chat_server.script(Reply(blocks=(Say("This breaks off in the middle of it."),), breaks=Break("rst", 3)))
    chat.hands.send("Hello")
    chat.until(lambda: chat.phase is Phase.INTERRUPTED)
    line = chat.composer.run_line
    chat.until(lambda: line.text.endswith("≈ 6 tokens of the reply are kept."))
    chat_server.script(Reply(blocks=(Say(" and it goes on."),)))
    line.offers["continue"].click()
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-1].endswith(" and it goes on."))
    assert not line.isVisible()


def test_a_reply_that_reaches_its_limit_goes_on_and_the_limit_is_raised(
    chat: Chat, chat_server: AnthropicServer
) -> None:
    chat_server.script(Reply(blocks=(Say("word " * 9000),), piece=400))
    chat.hands.send("Count")
    line, gui = chat.composer.run_line, chat.person.gui
    chat.until(lambda: list(line.offers) == ["continue", "limit"])
    assert line.text == "The reply reached the limit of 8,192 tokens."
    cut = chat.keys()[-1]
    chat_server.script(Reply(blocks=(Say(" and so on."),)))
    line.offers["continue"].click()
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-1].endswith(" and so on."))
    assert chat.said()[-1].startswith("word word")
    assert not line.isVisible()
    gui.opened.view_entry(cut)  # from its card it goes on as well, whatever is looked at
    chat_server.script(Reply(blocks=(Say(" once more."),)))
    chat.person.window.transcript.view.wanted.emit(cut, Action(Request.CONTINUE))
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-1].endswith(" once more."))
    assert len(chat.said()) == 2
    chat.person.window.transcript.view.wanted.emit(cut, Action(Request.SETTING, "chat.max_tokens"))
    dialog = gui.controllers.preferences.settings
    assert dialog is not None
    chat.until(lambda: dialog.focusWidget() is dialog.fields["chat.max_tokens"].control)
    assert dialog.fields["chat.max_tokens"].isVisible()
    dialog.close()
    chat.until(lambda: gui.controllers.preferences.settings is None)


def test_what_the_last_reply_came_to_is_told_after_a_restart(
    chat: Chat, chat_server: AnthropicServer, reopened: Callable[[], Person]
) -> None:
    chat_server.script(Reply(blocks=(Say("word " * 9000),), piece=400))
    chat.hands.send("Count")
    chat.until(lambda: list(chat.composer.run_line.offers) == ["continue", "limit"])
    later = reopened()
    line = later.window.transcript.composer.run_line
    later.until(lambda: list(line.offers) == ["continue", "limit"])
    assert line.text == "The last reply reached its limit of tokens."
    assert later.window.actions_table["go-on"].isEnabled()


def test_a_wait_to_try_again_is_called_off(chat: Chat, chat_server: AnthropicServer) -> None:
    chat_server.script(Refuse(529, "Overloaded", headers={"retry-after": "60"}))
    chat.hands.send("Hello")
    line = chat.composer.run_line
    chat.until(lambda: line.text.startswith("Retrying in"))
    assert chat.person.window.status.run_text.startswith("● Retrying")
    line.offers["cancel"].click()
    chat.until(lambda: chat.phase is Phase.IDLE)
    chat.until(lambda: chat.person.window.status.run_text == "● Fake")


def test_what_waits_is_sent_now(chat: Chat, chat_server: AnthropicServer) -> None:
    blocks = (Say("One. " * 200), Say("Two. " * 4000))  # it ends between the two
    chat_server.script(Reply(blocks=blocks, piece=8, delay=0.02))
    chat.hands.send("Go on")
    chat.until(lambda: chat.phase is Phase.STREAMING and chat_server.streaming.is_set())
    chat.hands.send("Enough")
    chat.until(lambda: len(chat.composer.queue.rows) == 1)
    chat.person.window.actions_table["send-now"].trigger()
    chat.until(lambda: not chat.composer.queue.rows)
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-2:] == ["Enough", "You said: Enough"])


def test_what_a_model_does_not_take_is_marked_and_never_left_out_unsaid(
    chat: Chat, chat_server: AnthropicServer, tmp_path: Path
) -> None:
    person, services, composer = chat.person, chat.person.application.services, chat.composer
    services.connecting.models("Fake").result(PATIENCE)
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.4 not much")
    picture = QImage(8, 8, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    assert picture.save(str(tmp_path / "red.png"))
    composer.editor.files_given.emit([str(tmp_path / "red.png"), str(tmp_path / "paper.pdf")])
    chat.until(lambda: len(composer.attachments.rows) == 2)
    chat.until(lambda: all(row.attached.is_ready for row in composer.attachments.rows))
    assert [row.attached.problem for row in composer.attachments.rows] == ["", ""]
    session = person.gui.opened.key
    assert session is not None
    services.runs.pick_model(session, "Fake", "qwen3:8b").result(PATIENCE)
    wanted = ["qwen3:8b does not accept images", "qwen3:8b does not accept PDFs"]
    chat.until(lambda: [row.attached.problem for row in composer.attachments.rows] == wanted)
    QTest.keyClicks(composer.editor, "Look at this")
    assert not composer.send.isEnabled()
    QTest.keyClick(composer.editor, Key.Key_Return)
    assert person.window.toast.text.startswith(
        "qwen3:8b does not accept images. Nothing was sent. Remove the marked attachments"
    )
    assert composer.text == "Look at this"
    assert all(request.method == "GET" for request in chat_server.requests)
    composer.attachments.rows[1].remove.click()
    services.runs.pick_model(session, "Fake", "claude-opus-4-5").result(PATIENCE)
    chat.until(lambda: [row.attached.problem for row in composer.attachments.rows] == [""])
    chat.until(composer.send.isEnabled)
    composer.send.click()
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 2)
    sent = chat_server.requests[-1].body["messages"][0]["content"]
    assert [block["type"] for block in sent] == ["image", "text"]


def test_what_is_written_on_another_branch_is_said_there(chat: Chat, chat_server: AnthropicServer) -> None:
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    first = chat.keys()[-1]
    chat_server.script(Reply(blocks=(Say("Another answer."),)))
    chat.hands.regenerate(first)
    chat.until_said("Hello", "Another answer.")
    chat.person.gui.opened.view_entry(first)
    header = chat.person.window.transcript.header
    chat.until(lambda: header.mark == "Viewing another branch · messages go here")
    chat.hands.send("Here")
    chat.until_said("Hello", "You said: Hello", "Here", "You said: Here")
    assert header.mark == ""
    assert header.title_label.text() in header.title_label.toolTip()
    chat.person.application.services.branching.move_leaf(chat.person.gui.opened.key or 0, first).result(PATIENCE)
    chat.until(lambda: header.mark == "The message starts a new branch here")


def test_files_and_pictures_go_with_the_message(chat: Chat, chat_server: AnthropicServer, tmp_path: Path) -> None:
    notes, film = tmp_path / "notes.md", tmp_path / "film.bin"
    notes.write_text("# Notes\n", encoding="utf-8")
    film.write_bytes(b"\x00\x01" * 100)
    composer = chat.composer
    files, picture = QMimeData(), QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(path)) for path in (notes, film)])
    image = QImage(3000, 30, QImage.Format.Format_RGB32)
    image.fill(QColor(200, 100, 0))
    picture.setImageData(image)
    composer.editor.insertFromMimeData(files)
    composer.editor.insertFromMimeData(picture)
    banner = chat.person.window.banner
    chat.until(lambda: banner.isVisible() and len(composer.attachments.rows) == 2)
    assert banner.text == "“film.bin” is not an image, a PDF or text. Models do not accept other files."
    chat.until(lambda: all(row.attached.is_ready for row in composer.attachments.rows))
    assert [row.attached.name for row in composer.attachments.rows] == ["notes.md", "Pasted picture.png"]
    assert composer.attachments.rows[1].attached.note == "scaled down from 3000 × 30"
    chat.hands.send("What is this?")
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 2)
    content = next(item for item in chat_server.requests if item.method == "POST").body["messages"][0]["content"]
    assert [part["type"] for part in content] == ["text", "image", "text"]
    assert content[0]["text"] == "notes.md:\n\n# Notes\n"
    assert not composer.attachments.rows
    chat.hands.edit(chat.keys()[0])
    chat.until(lambda: composer.text == "What is this?" and len(composer.attachments.rows) == 2)
    chat.until(lambda: all(row.attached.is_ready for row in composer.attachments.rows))
    assert [row.attached.name for row in composer.attachments.rows] == ["notes.md", "Pasted picture.png"]
    chat.hands.send(" Tell me.")
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 2 and "Tell me." in chat.said()[0])
    again = [item for item in chat_server.requests if item.method == "POST"][-1].body["messages"][0]["content"]
    assert again[:2] == content[:2]
    assert again[2]["text"] == "What is this? Tell me."


def test_a_message_that_cannot_be_stored_is_there_again(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n", encoding="utf-8")
    chat.person.gui.controllers.chat.drafts.add_files([str(notes)])
    chat.until(lambda: bool(chat.composer.attachments.rows) and chat.composer.attachments.rows[0].attached.is_ready)
    failed: Future[int | None] = Future()
    failed.set_exception(KnownError("The disk is full. Nothing was sent."))
    monkeypatch.setattr(chat.person.application.services.runs, "send", lambda *_arguments, **_named: failed)
    chat.hands.send("Keep this")
    chat.until(lambda: chat.person.window.banner.text == "The disk is full. Nothing was sent.")
    assert chat.composer.text == "Keep this"
    assert [row.attached.name for row in chat.composer.attachments.rows] == ["notes.md"]


def test_a_model_and_a_level_are_picked_by_keyboard(chat: Chat, chat_server: AnthropicServer) -> None:
    window, pickers = chat.person.window, chat.person.gui.controllers.pickers
    window.actions_table["pick-model"].trigger()
    chat.until(lambda: len(pickers.models.shown) > 2)
    QTest.keyClicks(pickers.models.field, "sonnet")
    QTest.keyClick(pickers.models.field, Key.Key_Return)
    chat.until(lambda: pickers.choice.model == "claude-sonnet-5-5")
    window.actions_table["pick-level"].trigger()
    chat.until(pickers.levels.isVisible)
    assert pickers.levels.shown == ["Off", "Low", "Medium", "High", "Very high", "Maximum"]
    QTest.keyClicks(pickers.levels.field, "low")
    QTest.keyClick(pickers.levels.field, Key.Key_Return)
    chat.until(lambda: chat.composer.foot.level.accessibleName() == "Thinking: Low")
    chat.hands.send("Hello")
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 2)
    sent = [item.body for item in chat_server.requests if item.method == "POST"][-1]
    assert sent["model"] == "claude-sonnet-5-5"
    assert "thinking" in sent
    window.actions_table["pick-model"].trigger()
    chat.until(lambda: pickers.models.shown[:1] == ["claude-sonnet-5-5"])  # the most recent first
    pickers.models.hide()


def test_a_server_is_asked_for_its_models_when_something_needs_the_list(
    chat: Chat, chat_server: AnthropicServer
) -> None:
    """The first model is in the catalogue; only its server knows the window of the other one."""
    own = FakeModel(id="house-model", window=31_000)
    services, pickers = chat.person.application.services, chat.person.gui.controllers.pickers
    chat.until(lambda: pickers.choice.model == "claude-opus-4-5")
    with AnthropicServer(models=[own]) as house:
        services.connecting.save(Connection(name="House", base_url=house.url, model=own.id)).result(PATIENCE)
        session = chat.person.gui.opened.key
        assert session is not None
        services.runs.pick_model(session, "House", own.id).result(PATIENCE)
        chat.until(lambda: chat.person.total() == "≈ 0 of 31k")
        assert len(house.listings) == 1
        assert not chat_server.listings
        services.runs.pick_model(session, "Fake", "claude-sonnet-5-5").result(PATIENCE)
        chat.until(lambda: pickers.choice.connection == "Fake")
        chat.person.window.actions_table["pick-level"].trigger()
        chat.until(lambda: "Maximum" in pickers.levels.shown)  # as the server reports
        pickers.levels.hide()


def test_the_first_step_to_the_next_level_waits_for_the_levels_of_the_server(person: Person) -> None:
    model = FakeModel(id="claude-opus-4-5", levels=("medium", "high"))  # its window is in the catalogue
    with AnthropicServer(models=[model]) as house:
        connect(person, house)
        chat, pickers = new_chat(person), person.gui.controllers.pickers
        chat.until(lambda: pickers.choice.model == model.id)
        assert not house.listings
        person.window.actions_table["next-level"].trigger()
        chat.until(lambda: pickers.choice.level not in ("", "off"))
        assert pickers.choice.level == "medium"  # the usual levels begin with “low”


@pytest.fixture
def listing(person: Person, chat_server: AnthropicServer, monkeypatch: pytest.MonkeyPatch) -> Future[Offered]:
    """The answer of a slow server: the models of a new chat, whose user has asked three times for the next level."""
    answer: Future[Offered] = Future()
    monkeypatch.setattr(person.application.services.connecting, "models", lambda _connection: answer)
    connect(person, chat_server)
    chat, pickers = new_chat(person), person.gui.controllers.pickers
    chat.until(lambda: pickers.choice.model == "claude-opus-4-5")
    for _ in range(3):
        person.window.actions_table["next-level"].trigger()
    return answer


@pytest.fixture
def levels(person: Person, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The thinking levels that are stored."""
    runs, out = person.application.services.runs, []
    store: Callable[[int, str], Future[int]] = runs.pick_level

    def stored(session: int, level: str) -> Future[int]:
        out.append(level)
        return store(session, level)

    monkeypatch.setattr(runs, "pick_level", stored)
    return out


def receive(person: Person, listing: Future[Offered]) -> None:
    """Let a slow server answer, and wait until the answer has arrived."""
    arrived: list[Offered] = []
    person.gui.bridge.when_done(listing, arrived.append)  # after those who have asked before
    listing.set_result((OfferedModel(id="claude-opus-4-5", levels=("medium", "high")),))
    person.until(lambda: bool(arrived))


def test_a_step_begins_with_the_level_that_the_step_before_has_just_taken(chat: Chat, levels: list[str]) -> None:
    pickers, shown = chat.person.gui.controllers.pickers, list[str]()
    chat.person.window.actions_table["next-level"].trigger()
    chat.until(lambda: pickers.choice.level == "low")  # the server has answered
    pickers.connection_changed.connect(lambda _name: shown.append(pickers.choice.level))
    session, trees = chat.person.gui.opened, list[str]()
    session.tree_read.connect(lambda: trees.append(session.context(session.end).projection.level))
    for _ in range(2):
        chat.person.window.actions_table["next-level"].trigger()
    assert pickers.choice.level == "high"
    chat.until(lambda: trees[-1:] == ["high"])
    assert levels == ["low", "medium", "high"]
    assert shown.index("high") > 0
    assert set(shown[shown.index("high") :]) == {"high"}, "a level that was passed is not shown again"
    services = chat.person.application.services
    assert session.key is not None
    services.runs.pick_level(session.key, "low").result(PATIENCE)  # as another window does
    chat.until(lambda: pickers.choice.level == "low")


def test_a_level_that_cannot_be_stored_is_not_shown(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    pickers, failed = chat.person.gui.controllers.pickers, Future[int]()
    before = pickers.choice.level
    monkeypatch.setattr(chat.person.application.services.runs, "pick_level", lambda *_: failed)
    pickers.levels.picked.emit("high")
    assert pickers.choice.level == "high"
    failed.set_exception(KnownError("The disk is full."))
    chat.until(chat.person.window.banner.isVisible)
    assert pickers.choice.level == before


def test_a_picked_level_belongs_to_the_path_at_whose_end_it_was_picked(
    person: Person, chat_server: AnthropicServer, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(person, chat_server)
    person.drop(session_file)
    pickers, failed = person.gui.controllers.pickers, Future[int]()
    other = next(end for end in person.tree.leaves if person.tree.key(end) != person.leaf)
    before = pickers.choice.level
    monkeypatch.setattr(person.application.services.runs, "pick_level", lambda *_: failed)
    pickers.levels.picked.emit("high")
    assert pickers.choice.level == "high"
    trees = list[str]()
    person.gui.opened.tree_read.connect(lambda: trees.append(pickers.choice.level))
    person.gui.controllers.branches.pin([person.key("ans00001")])
    person.until(lambda: bool(trees))
    assert pickers.choice.level == "high"  # the tree was read before the level was stored
    person.gui.opened.view_entry(person.tree.key(other))
    assert pickers.choice.level == before
    person.gui.opened.close()
    failed.set_exception(KnownError("The disk is full."))
    person.until(person.window.banner.isVisible)  # also for a session that was left


def test_a_slow_server_does_not_multiply_the_steps_to_the_next_level(
    person: Person, levels: list[str], listing: Future[Offered]
) -> None:
    receive(person, listing)
    assert levels == ["medium"]


def test_a_late_answer_leaves_the_level_that_was_chosen_meanwhile(
    person: Person, levels: list[str], listing: Future[Offered]
) -> None:
    pickers = person.gui.controllers.pickers
    person.window.actions_table["pick-level"].trigger()
    QTest.keyClicks(pickers.levels.field, "high")
    QTest.keyClick(pickers.levels.field, Key.Key_Return)
    receive(person, listing)
    assert levels == ["high"]


def test_a_late_answer_leaves_a_level_that_another_program_has_stored(
    person: Person, levels: list[str], listing: Future[Offered]
) -> None:
    session = person.gui.opened.key
    assert session is not None
    person.application.services.runs.pick_level(session, "high").result(PATIENCE)
    person.until(lambda: person.gui.controllers.pickers.choice.level == "high")
    receive(person, listing)
    assert levels == ["high"]


def test_a_late_answer_leaves_the_level_of_a_model_that_was_chosen_meanwhile(
    person: Person, levels: list[str], listing: Future[Offered]
) -> None:
    pickers = person.gui.controllers.pickers
    person.window.actions_table["pick-model"].trigger()
    pickers.models.picked.emit(("Fake", "claude-sonnet-5-5"))
    pickers.models.hide()
    receive(person, listing)
    assert levels == []


def test_a_late_answer_leaves_the_level_of_a_session_that_was_opened_meanwhile(
    person: Person, levels: list[str], listing: Future[Offered], session_file: Path
) -> None:
    chat = person.gui.opened.key
    person.drop(session_file)
    person.until(lambda: person.gui.opened.key not in (None, chat) and person.gui.opened.session_tree is not None)
    receive(person, listing)
    assert levels == []


def test_a_server_is_not_asked_while_a_session_with_another_model_is_read(
    person: Person, chat_server: AnthropicServer, session_file: Path
) -> None:
    own = FakeModel(id="house-model", window=31_000)
    services, pickers = person.application.services, person.gui.controllers.pickers
    connect(person, chat_server, own.id)
    person.until(lambda: person.gui.controllers.connections.is_connected)
    person.drop(session_file)
    person.until(lambda: pickers.choice.model == "claude-opus-4-5")
    with AnthropicServer(models=[own]) as house:
        services.connecting.save(Connection(name="House", base_url=house.url, model=own.id)).result(PATIENCE)
        session = person.gui.opened.key
        assert session is not None
        services.runs.pick_model(session, "House", own.id).result(PATIENCE)
        person.until(lambda: services.contexts.window("House/house-model") == 31_000)
    assert not chat_server.listings


def test_enter_can_be_a_new_line(chat: Chat) -> None:
    chat.person.gui.controllers.preferences.change("window.enter_sends", value=False)
    chat.until(lambda: not chat.composer.editor.enter_sends)
    chat.hands.send("one")
    assert chat.composer.text == "one\n"
    QTest.keyClick(chat.composer.editor, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    chat.until_said("one", "You said: one")


def test_commands_are_completed_done_and_never_sent(chat: Chat, chat_server: AnthropicServer) -> None:
    composer, window = chat.composer, chat.person.window
    commands = chat.person.gui.controllers.chat.commands
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    asked = len(chat_server.requests)
    QTest.keyClicks(composer.editor, "/st")
    assert [item.usage for item in commands.list.offered] == ["/status"]
    QTest.keyClick(composer.editor, Key.Key_Tab)
    assert composer.text == "/status"
    assert commands.list.offered == ()
    QTest.keyClick(composer.editor, Key.Key_Return)
    chat.until(lambda: len(chat.person.tree) == 3)
    body = chat.person.application.services.entries.bodies([chat.person.tree.key(2)]).result(PATIENCE)
    assert "Model: Fake/claude-opus-4-5" in str(body)
    chat.hands.send("/name A good talk")
    chat.until(lambda: window.transcript.header.title == "A good talk")
    chat.hands.send("/nonsense")
    assert window.toast.text == "Unknown command /nonsense. /help lists all commands. Nothing was sent."
    assert len(chat_server.requests) == asked
    chat.hands.send("/etc/hosts is what?")
    chat.until(lambda: len(chat_server.requests) == asked + 1)
    chat.until(lambda: chat.phase is Phase.IDLE)


def test_a_tool_is_answered_from_the_keyboard(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    controllers, key = chat.person.gui.controllers, chat.person.gui.opened.key
    assert key is not None
    answers: list[tuple[str, Consent]] = []
    runs = chat.person.application.services.runs
    monkeypatch.setattr(runs, "answer", lambda question, consent: answers.append((question.call, consent)))
    for call, session in (("c1", key), ("c2", key), ("c3", key + 1)):
        question = Question(session=session, run=1, call=call, tool="fetch", origin="web", arguments="{}")
        controllers.streams.asked.emit(question)
    popup = controllers.runs.consent_popup
    assert [question.call for question in popup.questions] == ["c1", "c2"]
    assert "in another session" in chat.person.window.toast.text
    controllers.runs.show_question()
    QTest.keyClick(popup.buttons[Consent.ONCE], Key.Key_Return)
    QTest.keyClick(popup, Key.Key_Escape)
    assert answers == [("c1", Consent.ONCE), ("c2", Consent.REFUSED)]


def test_a_key_is_written_nowhere(person: Person, tmp_path: Path, reopened: Callable[[], Person]) -> None:
    secret = "sk-ant-api03-nobody-may-see-this"
    with AnthropicServer(key=secret) as server:
        person.window.actions_table["connect"].trigger()
        dialog = person.gui.controllers.connections.dialog
        assert dialog is not None
        dialog.choose("Other server…")
        form = dialog.form
        form.controls.edit("name").setText("Keyed")
        form.controls.edit("base_url").setText(server.url)
        form.controls.choice("api").setCurrentIndex(0)
        QTest.keyClicks(form.key, secret)
        form.test.click()
        person.until(lambda: form.result.text() == "The connection works.")
        form.save.click()
        person.until(lambda: not dialog.isVisible())
        chat = new_chat(person)
        chat.hands.send("Hello")
        chat.until_said("Hello", "You said: Hello")
        reopened()
    written = [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert written == []

"""Chatting, as pictures: the demo goes on with a model on this machine that a test would script."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.bootstrap.window import Application
from stemmata.domain.chat.connections import Connection, KeyOrigin
from stemmata.domain.chat.conversations import ResetReason
from stemmata.domain.chat.run import AutoCompacting, CompactionStage, Phase, Question
from stemmata.gui.compaction.panel import PROVIDER
from stemmata.gui.core.open_session import OpenSession
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Break, Refuse, Reply, Say, Step
from tests.fakes.waiting import PATIENCE
from tests.shots.scenes import settled
from tests.shots.states import until

Scene = Callable[[Application], None]
ANSWER = """All 38 importer tests pass. On the other branch the pool was filled before the rows were checked, so

- the **order** of the rows was lost,
- a broken row took its whole batch with it.

```python
with connection.transaction():
    cursor.executemany(INSERT, batch)
```

Shall I write that into the changelog? I would put it under *Fixed*, """
SUMMARY = """The person wants the importer of *ledgerly* to write in batches.

**Constraints.** “Keep the order of the rows”; a broken row must not take its batch with it.

**Done.** `insert_many` over a pool of connections, 500 rows each; 38 tests of the importer pass. The pool was filled
before the rows were checked: that is mended.

**Next.** The changelog, under *Fixed*; then version 1.8.1.
"""
SLOW = 0.002


def connected(application: Application, *steps: Step) -> AnthropicServer:
    """A server that answers in the open session; it goes with the window."""
    server = AnthropicServer()
    server.script(*steps)
    application.window.closing.connect(server.close)
    connection = Connection(name="Anthropic", base_url=server.url, model="claude-opus-4-5")
    application.services.connecting.save(connection).result(PATIENCE)
    controllers = application.gui.controllers
    until(lambda: controllers.connections.is_connected and application.gui.opened.session_tree is not None)
    until(lambda: application.window.transcript.composer.foot.model.isVisible())
    return server


def _say(application: Application, text: str) -> None:
    composer = application.window.transcript.composer
    composer.editor.put(text)
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)


def _phase(application: Application) -> Phase:
    return application.gui.controllers.runs.state.phase


def _streaming(application: Application) -> None:
    paused = Reply(blocks=(Say(ANSWER),), piece=8, delay=SLOW, breaks=Break("stall", len(ANSWER) // 8))
    connected(application, paused)
    _say(application, "Run the tests, then compare with what we tried on the other branch.")
    until(lambda: _phase(application) is Phase.STREAMING)


def _queue(application: Application) -> None:
    _streaming(application)
    for text in ("Then the changelog, please", "And tag it as 1.8.1, but only once the hook has run over every file"):
        _say(application, text)
    until(lambda: len(application.window.transcript.composer.queue.rows) == 2)
    application.window.transcript.composer.editor.put("While you are at it: ")


def _interrupted(application: Application) -> None:
    connected(application, Reply(blocks=(Say(ANSWER),), piece=8, breaks=Break("rst", 30)))
    _say(application, "Run the tests, then compare with what we tried on the other branch.")
    until(lambda: _phase(application) is Phase.INTERRUPTED)


def _retrying(application: Application) -> None:
    connected(application, Refuse(529, "Overloaded", headers={"retry-after": "12"}))
    _say(application, "Run the tests, then compare with what we tried on the other branch.")
    until(lambda: _phase(application) is Phase.RETRYING)


def _connect(application: Application) -> None:
    controller = application.gui.controllers.connections
    controller.show()
    dialog = controller.dialog
    assert dialog is not None
    until(lambda: bool(dialog.form.storage.text()))
    dialog.show_found((Connection(name="Ollama", base_url="http://127.0.0.1:11434"),))
    dialog.choose("Anthropic")
    until(lambda: bool(dialog.form.storage.text()))
    dialog.form.show_origin(KeyOrigin.KEYRING, "")


def _consent(application: Application) -> None:
    connected(application)
    key = application.gui.opened.key
    assert key is not None
    question = Question(
        session=key, run=1, call="c1", tool="write_file", origin="filesystem", folder="/home/me/ledgerly",
        why="writes",
        arguments='{"path":"CHANGELOG.md","content":"## 1.8.1\\n\\n### Fixed\\n\\n- The order of the rows is kept."}',
    )  # fmt: skip
    application.gui.controllers.streams.asked.emit(question)


def _model_picker(application: Application) -> None:
    connected(application)
    pickers = application.gui.controllers.pickers
    pickers.pick_model()
    until(lambda: len(pickers.models.shown) > 2)


def _commands(application: Application) -> None:
    connected(application)
    editor = application.window.transcript.composer.editor
    editor.setFocus()
    QTest.keyClicks(editor, "/c")


def _signed(application: Application) -> None:
    server = connected(application)
    application.services.connecting.models("Anthropic").result(PATIENCE)
    panel = application.window.workbench
    application.window.actions_table["compact"].trigger()
    until(lambda: panel.isVisible() and panel.accept.isEnabled() and panel.writers.isTabEnabled(PROVIDER))
    panel.writers.setCurrentIndex(PROVIDER)
    server.script(Reply(blocks=(Say(SUMMARY),)))
    panel.writer.write.click()
    until(panel.accept.isEnabled)


def _countdown(application: Application) -> None:
    connected(application)
    key = application.gui.opened.key
    assert key is not None
    begins_at = time.time_ns() + 8_000_000_000
    application.services.runs.parts.states.tell(AutoCompacting(key, CompactionStage.AWAITED, begins_at))
    streams = application.gui.controllers.streams
    until(lambda: streams.compaction(key).stage is CompactionStage.AWAITED)


def _reset(application: Application) -> None:
    connected(application)
    settled(application)  # until the window has looked for a reset itself
    application.window.transcript.composer.reset_line.show_reason(ResetReason.DAILY)


def _is_past(opened: OpenSession, leaf: int | None) -> bool:
    """Whether the session is shown at its leaf, and that is another one."""
    return opened.is_at_leaf and opened.leaf != leaf


def _notes(application: Application) -> None:
    """The notes of a pruning and a compaction that were asked for in the message."""
    connected(application)
    composer, opened, panel = (
        application.window.transcript.composer,
        application.gui.opened,
        application.window.workbench,
    )
    for command in ("/prune", "/compact"):
        before = opened.leaf
        composer.put(command)
        composer.submit()
        if command == "/compact":
            until(lambda: panel.isVisible() and panel.accept.isEnabled())
            panel.accept.click()
        until(partial(_is_past, opened, before))
    until(lambda: not panel.isVisible())


CHATTING: dict[str, Scene] = {
    "chat-streaming": _streaming,
    "chat-queue": _queue,
    "chat-interrupted": _interrupted,
    "chat-retrying": _retrying,
    "chat-commands": _commands,
    "chat-countdown": _countdown,
    "chat-notes": _notes,
    "chat-reset": _reset,
    "compaction-signed": _signed,
    "connect": _connect,
    "consent": _consent,
    "model-picker": _model_picker,
}

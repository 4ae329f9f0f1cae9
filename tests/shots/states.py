"""The rarer states of the window: empty, busy, failed, huge, foreign."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from stemmata.bootstrap.window import Application
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.navigator.outline import Density
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.compaction.summary_editor import DIFFERENCE
from stemmata.gui.sessions.model import SessionRole
from stemmata.services.importing.importing import Progress

State = Callable[[Application], None]
PATIENCE = 30.0  # seconds
TURNS = 4000  # of the huge session

_FOREIGN = (
    (
        "こんにちは。データの読み込みを速くしてください。長い行がどこで折り返されるかも見たいです。",
        "分かりました。**バッチ**で書き込みます。🚀✨",
    ),
    ("اجعل استيراد الملفات أسرع من فضلك، دون تغيير ترتيب الصفوف.", "حسنًا. سأستخدم `executemany` في معاملة واحدة."),
    ("תוכל לבדוק גם את הבדיקות?", "כן, כל הבדיקות עוברות ✅"),
    ("👩‍🔬👨‍👩‍👧‍👦🏳️‍🌈 emoji and ﷽ in one line, Zͨa̡l͜g̀o̕ too", "| 列 | value |\n|---|---|\n| 一 | 1 |\n| 二 | 2 |"),
)


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("a state was not reached")
        QApplication.processEvents()
        time.sleep(0.002)


# -- archives ----------------------------------------------------------------------------------------------------


def huge(application: Application) -> None:
    """One session of thousands of turns, with forks and labels."""
    _import(application, _lines("huge", "A very long session", _long_talk()))


def foreign(application: Application) -> None:
    """Other scripts, emoji, right to left, and titles that are far too long."""
    title = "Ein Titel, der viel zu lang ist, " * 6 + "und データの読み込みを速くする"
    _import(application, _lines("foreign", title, [(title, "OK."), *_FOREIGN]))


def _long_talk() -> Iterator[tuple[str, str]]:
    for turn in range(TURNS):
        yield f"Step {turn}: what does module {turn % 97} do?", f"It reads **{turn}** rows and writes them again."


def _lines(id: str, title: str, talk: Any) -> Iterator[dict[str, Any]]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 3600))
    yield {"type": "session", "version": 3, "id": id, "timestamp": stamp, "cwd": "/code/ledgerly"}
    yield {"type": "session_info", "id": f"{id}-name", "parentId": None, "timestamp": stamp, "name": title}
    parent: str | None = None
    for turn, (said, answered) in enumerate(talk):
        used = 6000 + turn % 900 * 150
        answer = {
            "role": "assistant", "content": [{"type": "text", "text": answered}], "stopReason": "stop",
            "provider": "anthropic", "model": "claude-opus-4-5", "usage": {"input": used, "totalTokens": used},
        }  # fmt: skip
        side = parent if turn % 400 != 399 else f"{id}-{turn - 20}-1"
        for part, message in enumerate(({"role": "user", "content": said}, answer)):
            key = f"{id}-{turn}-{part}"
            yield {"type": "message", "id": key, "parentId": side, "timestamp": stamp, "message": message}
            side = parent = key


def _import(application: Application, lines: Iterator[dict[str, Any]]) -> None:
    path = Path.home() / "made.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    report = application.services.importing.import_paths([path]).result()
    application.gui.open_session(report.sessions[-1].key)
    until(lambda: application.gui.opened.session_tree is not None)


# -- states ------------------------------------------------------------------------------------------------------


def _ready(application: Application) -> None:
    window = application.window
    until(lambda: window.branches.outline is not None and not window.context.preview.reason)


def _trigger(id: str) -> State:
    return lambda application: application.window.actions_table[id].trigger()


def _all_archived(application: Application) -> None:
    sessions = application.services.sessions
    listed = sessions.all().result()
    sessions.set_archived([session.key for session in listed], on=True).result()
    application.gui.opened.close()


def _importing(application: Application) -> None:
    application.gui.importing.show_dialog()
    application.window.import_dialog.show_started()
    path = "/home/you/.claude/projects/-work-app/0b9a1c52-6d3e-4f41-9a57-2f1d8c3e7a10.jsonl"
    application.window.import_dialog.show_progress(Progress(done=411, total=1284, path=path))


def _loading(application: Application) -> None:
    """As from a disk that is slow: the answer does not come."""
    _ready(application)
    opened = application.gui.opened
    assert opened.key is not None
    opened.open(opened.key)
    opened._tail_run.cancel()
    until(lambda: application.window.transcript.is_loading)


def _error(application: Application) -> None:
    text = "The disk is full. Nothing was lost: what was imported before is there. Free some space and import again."
    application.window.banner.tell_error(KnownError(text))


def _huge(application: Application) -> None:
    _ready(application)
    application.window.branches.list.setFocus()


def _high_contrast(application: Application) -> None:
    application.gui.theme.set_scheme("high-contrast")
    application.window.branches.list.setFocus()


def _search(application: Application) -> None:
    _ready(application)
    search = application.window.branches.search
    search.open()
    search.field.setText("import")
    until(lambda: application.window.branches._finder is not None)


def _density(density: Density) -> State:
    return lambda application: application.window.branches.set_density(density)


def _beside(application: Application) -> int:
    """The end of a branch beside the active one."""
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    leaf = session_tree.tree.get(session_tree.session.leaf)
    return session_tree.tree.key(next(end for end in session_tree.tree.leaves if end != leaf))


def _leaving(application: Application) -> None:
    _ready(application)
    application.gui.controllers.branches.leave_for(_beside(application))
    until(application.gui.controllers.branches.leave_popup.isVisible)


def _summarising(application: Application) -> None:
    _ready(application)
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    path = session_tree.tree.path(session_tree.tree.get(session_tree.session.leaf))
    prompts = [entry for entry in path if session_tree.tree.role(entry) is Role.USER]
    application.gui.compaction.open_from(session_tree.tree.key(prompts[-1]))
    until(lambda: application.gui.compaction.is_open and application.window.workbench.accept.isEnabled())


def _label(application: Application) -> None:
    _ready(application)
    application.window.actions_table["label"].trigger()


def _result_card(application: Application) -> None:
    _ready(application)
    window = application.window
    window.actions_table["compact"].trigger()
    until(lambda: window.columns.in_workbench and window.workbench.accept.isEnabled())
    leaf = application.gui.opened.leaf
    window.workbench.accept.click()
    until(lambda: application.gui.opened.leaf != leaf)


def _workbench_editing(application: Application) -> None:
    _workbench(application)
    application.window.workbench.editor.edit()


def _workbench(application: Application) -> None:
    _ready(application)
    window = application.window
    window.actions_table["compact"].trigger()
    until(lambda: window.columns.in_workbench and window.workbench.accept.isEnabled())


def _two_cuts(application: Application) -> None:
    """The cut of the settings is held, and the line stands above the prompt before it."""
    _workbench(application)
    window, compaction, opened = application.window, application.gui.compaction, application.gui.opened
    compaction.compare_cuts()
    window.toast.hide()
    offer, session_tree = compaction.offer, opened.session_tree
    assert offer is not None
    assert session_tree is not None
    tree, path = session_tree.tree, list(opened.path)
    above = path[: path.index(offer.preview.plan.kept[0])]
    prompt = next(entry for entry in reversed(above) if tree.role(entry) is Role.USER)
    window.transcript.view.cut_moved.emit(tree.key(prompt))
    until(lambda: compaction.offer is not offer)


def _two_summaries(application: Application) -> None:
    """A digest with a focus beside the one without, and their difference."""
    _workbench(application)
    panel = application.window.workbench
    panel.focus.setText("the order of the rows")
    until(lambda: panel.alternatives.isVisible())
    panel.editor.switch.setCurrentIndex(DIFFERENCE)
    panel.editor.focus_page()


def _edit_summary(application: Application) -> None:
    _ready(application)
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    compaction = next(iter(session_tree.tree.of_kind(Kind.COMPACTION)))
    application.window.transcript.view.wanted.emit(session_tree.tree.key(compaction), Action(Request.EDIT_COMPACTION))


def _time_machine(application: Application) -> None:
    _ready(application)
    chart = application.window.context.over_time.chart
    until(lambda: chart.timeline is not None)
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    path = session_tree.tree.path(session_tree.tree.get(session_tree.session.leaf))
    chart.position_requested.emit(session_tree.tree.key(path[len(path) // 2]))


def _deleted(application: Application) -> None:
    _ready(application)
    window = application.window
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    tree, leaf, end = (
        session_tree.tree,
        session_tree.tree.get(session_tree.session.leaf),
        session_tree.tree.index(_beside(application)),
    )
    fork = tree.common_ancestor(leaf, end)
    head = next(entry for entry in tree.path(end) if tree.parents[entry] == fork)
    application.gui.controllers.branches.trash(tree.key(head))
    until(window.toast.isVisible)


def _following(application: Application) -> None:
    """A session that has grown, and the settings where they say what is followed."""
    path = Path.home() / ".claude" / "projects" / "ledgerly" / "s.jsonl"
    path.parent.mkdir(parents=True)
    (Path.home() / ".pi" / "agent" / "sessions").mkdir(parents=True)
    lines = [
        {
            "type": "user", "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s",
            "cwd": "/code/ledgerly", "timestamp": f"2026-11-01T00:00:0{at}.000Z",
            "message": {"role": "user", "content": "Round the totals per currency"},
        }
        for at in range(4)
    ]  # fmt: skip
    path.write_text(json.dumps(lines[0]) + "\n", encoding="utf-8")
    gui, model = application.gui, application.window.sessions_model
    gui.follow()
    before = model.total
    gui.controllers.preferences.change("sources.follow_these_folders", "~/.claude/projects; ~/.pi/agent/sessions")
    until(lambda: model.total > before)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines[1:])
    until(lambda: any(model.index(row).data(SessionRole.NEW) for row in range(model.rowCount())))
    application.window.actions_table["settings"].trigger()
    dialog = gui.controllers.preferences.settings
    assert dialog is not None
    dialog.sections.setCurrentRow(1)


STATES: dict[str, State] = {
    "following": _following,
    "all-archived": _all_archived,
    "trash-empty": lambda application: application.window.actions_table["show-trash"].setChecked(True),
    "importing": _importing,
    "loading": _loading,
    "error": _error,
    "huge": _huge,
    "languages": _huge,
    "high-contrast": _high_contrast,
    "shortcuts": _trigger("shortcuts"),
    "search": _search,
    "prompts-only": _density(Density.PROMPTS),
    "labelled": _density(Density.LABELLED),
    "leaving": _leaving,
    "summarising": _summarising,
    "label": _label,
    "result-card": _result_card,
    "summary-editing": _workbench_editing,
    "summary-dialog": _edit_summary,
    "two-cuts": _two_cuts,
    "two-summaries": _two_summaries,
    "time-machine": _time_machine,
    "branch-in-trash": _deleted,
}
PREPARED_STATES: dict[str, State] = {"huge": huge, "languages": foreign}

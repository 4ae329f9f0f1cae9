"""The screens whose accessible trees are kept: how to get there, and the widget that is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget

from stemmata.assets import resource
from stemmata.bootstrap.window import Application, build
from stemmata.gui.importing.import_dialog import ImportDialog
from stemmata.gui.search.rows import ResultHitRow
from stemmata.gui.settings.keys_dialog import KeysDialog
from stemmata.gui.settings.settings_dialog import SettingsDialog
from stemmata.gui.settings.shortcuts_dialog import ShortcutsDialog
from tests.fakes.waiting import PATIENCE
from tests.translations.pseudo import OPEN

# So high that lists show all they have, whatever the fonts: what is told must not hang on them.
SIZE = (1440, 12_000)
Scene = Callable[[Application], QWidget]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        QTest.qWait(1)


def shown(application: Application) -> None:
    """Return the window in front, after its list of sessions was read."""
    window = application.window
    window.resize(*SIZE)
    window.show()
    window.activateWindow()
    until(lambda: application.gui.is_warm and window.shows_welcome)


@contextmanager
def built(folder: Path) -> Iterator[Application]:
    """Return the empty window over a new archive in this folder."""
    application = build(["--profile", str(folder / "profile")])
    shown(application)
    yield application
    application.close()
    QTest.qWait(1)


def _reading(application: Application) -> None:
    """Return the window with the demo session open and all figures computed."""
    gui, window = application.gui, application.window
    if gui.opened.session_tree is None:
        gui.importing.open_demo()
        until(lambda: gui.opened.session_tree is not None)
    until(lambda: window.branches.outline is not None and not window.context.preview.reason)
    until(lambda: window.context.over_time.chart.spoken and window.sessions.selected)
    until(lambda: window.status.texts[0].lstrip(OPEN).startswith("1 "))
    until(lambda: not gui.controllers.context.is_behind)
    window.toast.hide()
    window.branches.list.setFocus()


def _welcome(application: Application) -> QWidget:
    def labels() -> list[QLabel]:
        return application.window.welcome.findChildren(QLabel)

    until(lambda: any("Choose files instead" in label.text() for label in labels()))
    return application.window


def _main(application: Application) -> QWidget:
    _reading(application)
    return application.window


def _workbench(application: Application) -> QWidget:
    _reading(application)
    application.window.actions_table["compact"].trigger()
    until(lambda: application.window.columns.in_workbench and application.window.workbench.accept.isEnabled())
    return application.window


def _compare(application: Application) -> QWidget:
    _reading(application)
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    beside = next(
        leaf for leaf in session_tree.tree.leaves if leaf != session_tree.tree.get(session_tree.session.leaf)
    )
    application.gui.controllers.compare.open(session_tree.tree.key(beside))
    until(lambda: (found := application.window.findChild(QWidget, "compareList")) is not None and found.isVisible())
    return application.window


def _complete(dialog: SettingsDialog | KeysDialog | ShortcutsDialog) -> None:
    until(lambda: dialog.is_complete)
    QApplication.processEvents()  # shows what was added last


def _settings(application: Application) -> QWidget:
    application.window.actions_table["settings"].trigger()
    until(lambda: (found := dialog(application)) is not None and found.isVisible())
    found = dialog(application)
    assert isinstance(found, SettingsDialog)
    _complete(found)
    return found


def dialog(application: Application) -> QDialog | None:
    """The dialog of settings, once there is one."""
    top = QApplication.topLevelWidgets()
    shown = (widget for widget in (*top, *application.window.findChildren(QDialog)) if isinstance(widget, QDialog))
    return next((widget for widget in shown if widget.objectName() == "settingsDialog"), None)


def _palette(application: Application) -> QWidget:
    _reading(application)
    palette = application.window.palette_box
    palette.open()
    palette.field.setText("pool")
    until(lambda: any(type(row).__name__ == "HitRow" for row in palette.rows))
    return palette


def _results(application: Application) -> QWidget:
    _reading(application)
    application.window.actions_table["search-sessions"].trigger()
    view = application.window.results
    view.field.setText("pool")

    def are_read() -> bool:
        found = [row for row in view.model.rows if isinstance(row, ResultHitRow)]
        return bool(found) and all(row.hit is not None for row in found)

    until(are_read)
    return application.window


def _files(application: Application) -> QWidget:
    _reading(application)
    application.window.actions_table["show-files"].trigger()
    files = application.gui.controllers.files
    until(lambda: files.is_open and files.view.timeline.at >= 0)
    return application.window


def _keys(application: Application) -> QWidget:
    _reading(application)
    application.gui.controllers.windows.go("transcript")
    application.window.actions_table["keys"].trigger()
    found: KeysDialog = application.window.findChildren(KeysDialog)[-1]
    _complete(found)
    return found


def _shortcuts(application: Application) -> QWidget:
    application.window.actions_table["shortcuts"].trigger()
    found: ShortcutsDialog = application.window.findChildren(ShortcutsDialog)[-1]
    _complete(found)
    return found


def _discovery(application: Application) -> QWidget:
    folder = Path.home() / ".pi" / "agent" / "sessions" / "--code--"
    folder.mkdir(parents=True, exist_ok=True)
    demo = next(iter(sorted(resource("demo").glob("*.jsonl"))))
    (folder / "one.jsonl").write_bytes(demo.read_bytes())
    application.gui.importing.show_dialog()
    dialog = application.window.findChildren(ImportDialog)[-1]
    until(lambda: any(box.isVisible() for box in dialog.table.boxes))
    dialog.table.boxes[0].setFocus()
    return dialog


def _report(application: Application) -> QWidget:
    dialog = _discovery(application)
    assert isinstance(dialog, ImportDialog)
    paths = [str(path) for path in (Path.home() / ".pi").rglob("*.jsonl")]
    application.gui.importing.import_paths([*paths, "/missing/file.jsonl"], opens=False)
    until(lambda: dialog.report.isVisible())
    return dialog


SCENES: dict[str, Scene] = {
    "welcome": _welcome,
    "main": _main,
    "workbench": _workbench,
    "compare": _compare,
    "settings": _settings,
    "palette": _palette,
    "results": _results,
    "files": _files,
    "keys": _keys,
    "shortcuts": _shortcuts,
    "discovery": _discovery,
    "report": _report,
}

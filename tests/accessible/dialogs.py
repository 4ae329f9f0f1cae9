"""Every dialog and small window of the program, by itself: how to open it, in each of its states."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeGuard

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QWidget

from stemmata import gui
from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.run import Question
from stemmata.domain.chat.tool_servers import KeptConsent, ServerPhase, ServerState, ToolServer
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.hand_off import Extent, HandOffSize
from stemmata.domain.sources.report import ImportedSession, ImportReport, SkippedFile
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.branches.leave_popup import LeavePopup
from stemmata.gui.compaction.summary_dialog import SummaryDialog
from stemmata.gui.composer.consent_popup import ConsentPopup
from stemmata.gui.composer.model_popup import PickPopup, PickRow
from stemmata.gui.core.actions import Actions
from stemmata.gui.hand_off.dialog import HandOffDialog
from stemmata.gui.importing.import_dialog import ImportDialog
from stemmata.gui.palette.dialog import CommandPalette
from stemmata.gui.sessions.tag_popup import TagPopup
from stemmata.gui.settings.connect_dialog import ConnectDialog
from stemmata.gui.settings.keys_dialog import KeysDialog
from stemmata.gui.settings.models_page import ModelsPage
from stemmata.gui.settings.servers_page import ServersPage
from stemmata.gui.settings.settings_dialog import SettingsDialog
from stemmata.gui.settings.shortcuts_dialog import ShortcutsDialog
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.image_dialog import ImageDialog
from stemmata.gui.transcript.raw_dialog import RawDialog, RawText
from stemmata.gui.widgets.popup import Popup, TextPopup
from stemmata.gui.window.about_dialog import AboutDialog
from stemmata.gui.window.action_table import TABLE
from stemmata.gui.window.startup_dialogs import ArchiveErrorDialog
from stemmata.services.chat.handing_off import HandOffPreview
from stemmata.services.importing.importing import Progress
from stemmata.services.settings.own_models import KnownModel
from stemmata.system.settings.schema import SCHEMA

Open = Callable[[Theme, QWidget], QWidget]
RECORD = '{"type": "message", "id": "a", "message": {"role": "user", "content": "Hello"}}'
FOUND = (
    Discovered("pi", "pi", "/home/me/.pi/agent/sessions", ("/home/me/.pi/agent/sessions/a.jsonl",), 10_500),
    Discovered(
        "claude-code", "Claude Code", "/home/me/.claude/projects", ("/home/me/.claude/projects/b.jsonl",), 900
    ),
)
REPORT = ImportReport(
    sessions=(
        ImportedSession(
            key=1, id="s", source="pi", source_id="s", title="Ports", entries=68, new_entries=68, branches=4
        ),
    ),
    skipped_files=(SkippedFile("/home/me/c.jsonl", "the file is empty"),),
    unchanged=3,
)
MODELS = (
    PickRow("a", "claude-haiku", "200k", "Anthropic"), PickRow("b", "llama3", "—", "Ollama", is_current=True)
)  # fmt: skip
SHIPPED = Model("claude-haiku", 200_000, 1_000_000, 5_000_000)
OWN = (
    KnownModel(Model("mine", 32_000, most_output=4_000, aliases=("my-model",)), Model("mine", 32_000)),
    KnownModel(SHIPPED, shipped=SHIPPED),
)
QUESTION = Question(
    session=1, run=1, call="c1", tool="write_file", origin="filesystem", folder="/code", why="writes",
    arguments='{"path": "a.py", "content": "x"}',
)  # fmt: skip


def classes() -> set[type[QWidget]]:
    """All dialogs that the program has: whoever adds one need not think of it here."""
    for module in pkgutil.walk_packages(gui.__path__, f"{gui.__name__}."):
        importlib.import_module(module.name)
    loaded = [module for name, module in sys.modules.items() if name.startswith(gui.__name__)]
    found = {kind for module in loaded for kind in vars(module).values() if _is_one(kind)}
    waiting: list[type[QWidget]] = [QDialog, Popup]
    while waiting:
        waiting += (below := waiting.pop().__subclasses__())
        found.update(below)
    return {kind for kind in found if kind.__module__.startswith("stemmata") and kind is not Popup}


def _is_one(kind: object) -> TypeGuard[type[QWidget]]:
    """Return whether a window is a dialog, by its name, because some dialogs are frames over the window."""
    return (
        isinstance(kind, type)
        and issubclass(kind, QWidget)
        and kind.__name__.endswith(("Dialog", "Popup", "Palette"))
    )


def _shown(dialog: QWidget) -> QWidget:
    dialog.show()
    dialog.activateWindow()
    return dialog


def _import(theme: Theme, host: QWidget) -> ImportDialog:
    dialog = ImportDialog(theme, host)
    dialog.show_discovered(FOUND)
    dialog.choose()
    return dialog


def _hand_off(theme: Theme, host: QWidget) -> QWidget:
    tools = {"claude-code": ("Claude Code", tuple(Extent)), "pi": ("pi", (Extent.WHOLE, Extent.BRIEF))}
    dialog = HandOffDialog(theme, host, tools, "/work", "Port the file")
    dialog.show_preview(HandOffPreview(Path("/a"), "/work", HandOffSize(1200, 4, 2), ()))
    return _shown(dialog)


def _importing(theme: Theme, host: QWidget) -> QWidget:
    dialog = _import(theme, host)
    _shown(dialog)
    dialog.show_started()
    dialog.show_progress(Progress(done=4, total=12, path="/home/me/a.jsonl"))
    return dialog


def _imported(theme: Theme, host: QWidget) -> QWidget:
    dialog = _import(theme, host)
    _shown(dialog)
    dialog.show_report(REPORT)
    return dialog


def _image(theme: Theme, host: QWidget) -> QWidget:
    image = QImage(640, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkCyan)
    return _shown(ImageDialog(theme, host, image))


def _raw(theme: Theme, host: QWidget) -> QWidget:
    return _shown(RawDialog(theme, host, RawText(RECORD, RECORD, RECORD[:9], size=80, from_source=True)))


def _connect(theme: Theme, host: QWidget) -> QWidget:
    dialog = ConnectDialog(theme, host)
    dialog.show_connections((Connection(name="Anthropic", variable="ANTHROPIC_API_KEY"),), "Anthropic")
    return _shown(dialog)


def _settings(theme: Theme, host: QWidget, page: QWidget) -> QWidget:
    """The settings, at this page."""
    dialog = SettingsDialog(theme, host, SCHEMA)
    dialog.add_page("page", "Page", lambda: page)
    dialog.show_page("page")
    return _shown(dialog)


def _servers(theme: Theme, host: QWidget) -> QWidget:
    page = ServersPage(theme)
    page.show_servers(
        (
            ServerState("files", ServerPhase.READY, ("read_file", "write_file")),
            ServerState("search", ServerPhase.STOPPED, wants_key=True),
        )
    )
    page.show_consents((KeptConsent("files", "write_file", "/code", may=True),))
    return _settings(theme, host, page)


def _server(theme: Theme, host: QWidget) -> QWidget:
    page = ServersPage(theme)
    page.show_settings((ToolServer(name="files", command="mcp-files", args=("--root", "/tmp"), env={"A": "${key}"}),))
    page.show_servers((ServerState("files", ServerPhase.STOPPED),))
    dialog = _settings(theme, host, page)
    page.rows["files"].edit.click()
    return dialog


def _models(theme: Theme, host: QWidget) -> QWidget:
    page = ModelsPage(theme)
    page.show_models(OWN)
    return _settings(theme, host, page)


def _model(theme: Theme, host: QWidget) -> QWidget:
    page = ModelsPage(theme)
    page.show_models(OWN)
    dialog = _settings(theme, host, page)
    page.rows["claude-haiku"].edit.click()
    return dialog


def _trouble(theme: Theme, _host: QWidget) -> QWidget:
    here = Path(__file__)  # any file will do for a backup
    return _shown(ArchiveErrorDialog(theme, KnownError("The disk is full."), here, [here]))


def _text(theme: Theme, host: QWidget) -> QWidget:
    popup = TextPopup(theme, host, "labelPopup")
    popup.ask(QPoint(40, 40), "known-good", hint="Label (empty removes it)", take="Label")
    return popup


def _tags(theme: Theme, host: QWidget) -> QWidget:
    popup = TagPopup(theme, host)
    popup.ask(QPoint(40, 40), {"billing": Qt.CheckState.Checked, "later": Qt.CheckState.Unchecked})
    return popup


def _leave(theme: Theme, host: QWidget) -> QWidget:
    popup = LeavePopup(theme, host)
    popup.ask(
        QPoint(40, 40), "You leave 40 messages of the active branch. They stay in the tree as a branch of their own."
    )
    return popup


def _pick(theme: Theme, host: QWidget) -> QWidget:
    popup = PickPopup(theme, host, "modelPopup")
    popup.ask(QPoint(40, 400), MODELS, hint="Filter models")
    return popup


def _consent(theme: Theme, host: QWidget) -> QWidget:
    popup = ConsentPopup(theme, host)
    popup.ask(QUESTION)
    popup.take_focus()
    return popup


def _palette(theme: Theme, host: QWidget) -> QWidget:
    palette = CommandPalette(theme, host)
    palette.open()
    return palette


DIALOGS: dict[str, tuple[type[QWidget], Open]] = {
    "import": (ImportDialog, lambda theme, host: _shown(_import(theme, host))),
    "importing": (ImportDialog, _importing),
    "imported": (ImportDialog, _imported),
    "hand-off": (HandOffDialog, _hand_off),
    "summary": (SummaryDialog, lambda theme, host: _shown(SummaryDialog(theme, host, "## Goal\n\nPort it."))),
    "raw": (RawDialog, _raw),
    "image": (ImageDialog, _image),
    "connect": (ConnectDialog, _connect),
    "servers": (SettingsDialog, _servers),
    "server": (SettingsDialog, _server),
    "models": (SettingsDialog, _models),
    "model": (SettingsDialog, _model),
    "settings": (SettingsDialog, lambda theme, host: _shown(SettingsDialog(theme, host, SCHEMA))),
    "shortcuts": (ShortcutsDialog, lambda theme, host: _shown(ShortcutsDialog(theme, Actions(theme, TABLE), host))),
    "keys": (KeysDialog, lambda theme, host: _shown(KeysDialog(theme, Actions(theme, TABLE), "branches", host))),
    "about": (AboutDialog, lambda theme, host: _shown(AboutDialog(theme, host, "1.2.3"))),
    "trouble": (ArchiveErrorDialog, _trouble),
    "text": (TextPopup, _text),
    "tags": (TagPopup, _tags),
    "leave": (LeavePopup, _leave),
    "pick": (PickPopup, _pick),
    "consent": (ConsentPopup, _consent),
    "palette": (CommandPalette, _palette),
}  # by the state it is opened in

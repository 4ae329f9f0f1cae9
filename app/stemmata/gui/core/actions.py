"""Every action of the window as data: one table for the menu bar, the context menus and the command palette."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntFlag
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from stemmata.gui.theme.theme import Theme

MODIFIED = re.compile(r"(Ctrl|Alt|Meta)\+|F\d+$")


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Shortcuts", text, comment, count)


def readable(keys: str) -> str:
    """The keys as Qt writes them portably, "" for none and for what it cannot read."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText)


def is_typed(keys: str) -> bool:
    """Whether these are keys that people write with: a window that took them could not be written in."""
    first = readable(keys).split(", ")[0].removeprefix("Shift+")
    return bool(first) and not MODIFIED.match(first)


def resolve(table: Iterable[ActionSpec], wanted: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Keys by action id, and what of `wanted` cannot be, in words.

    Two actions never have the same keys: the one that was given them on purpose keeps them, the other goes without.
    """
    specs = {spec.id: spec for spec in table}
    problems: list[str] = []
    chosen: dict[str, str] = {}
    for id, keys in wanted.items():
        if id not in specs:
            problems.append(tr("there is no action “{0}”").format(id))
        elif keys and not readable(keys):
            problems.append(tr("“{0}” are no keys ({1})").format(keys, id))
        elif is_typed(keys):
            problems.append(tr("“{0}” alone would be typed ({1})").format(keys, id))
        elif readable(keys) and readable(keys) in chosen.values():
            problems.append(tr("{0} has two actions, “{1}” goes without").format(keys, id))
        else:
            chosen[id] = readable(keys)
    taken = set(chosen.values())
    default = {id: "" if spec.own_key else readable(spec.shortcut) for id, spec in specs.items()}
    out = {id: chosen.get(id, "" if default[id] in taken else default[id]) for id in specs}
    return out, problems


CONTEXT = "Actions"


class State(IntFlag):
    """What must be so for an action to make sense."""

    ALWAYS = 0
    LISTED = 1  # a session is selected in the list
    OPEN = 2  # a session is open
    ENTRY = 4  # an entry is selected in the navigator
    CAN_UNDO = 8
    CAN_REDO = 16
    COMPACTABLE = 32
    PREVIEW = 64  # a compaction is being previewed
    TRASH = 128  # the trash is listed
    RUNNING = 256  # a run of the open session is under way
    BROKEN = 512  # its last reply broke off, or was refused
    ASKED = 1024  # a tool waits for consent
    FINDING = 2048  # text is being searched for in the transcript
    OFFERED = 4096  # a message says what happened and what can be done about it


class ActionSpec(NamedTuple):
    """With `own_key` the navigator hears the key itself while it has the focus; the menus only show it."""

    id: str
    text: str
    menu: str = ""
    shortcut: str = ""
    icon: str = ""
    needs: State = State.ALWAYS
    own_key: bool = False
    checkable: bool = False
    section: bool = False  # a line above it in its menu


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP(CONTEXT, text))


MENUS = (_("File"), _("Edit"), _("View"), _("Session"), _("Branch"), _("Context"), _("Help"))
_A = ActionSpec
_ENTRY = State.OPEN | State.ENTRY

TABLE: tuple[ActionSpec, ...] = (
    _A("new-chat", _("New chat"), "File", "Ctrl+N", "plus"),
    _A("connect", _("Connect a model…"), "File", "Ctrl+Shift+N", "model"),
    _A("import", _("Import sessions…"), "File", "Ctrl+I", "import", section=True),
    _A("import-files", _("Import files…"), "File", "Ctrl+O", "file"),
    _A("import-folder", _("Import a folder…"), "File", "Ctrl+Shift+O", "folder"),
    _A("demo", _("Open the demo"), "File", "", "bulb"),
    _A("new-window", _("New window"), "File", "Ctrl+Alt+N", "columns", section=True),
    _A("close-window", _("Close window"), "File", "Ctrl+W"),
    _A("export", _("Export session…"), "File", "Ctrl+E", "export", State.OPEN, section=True),
    _A("quit", _("Quit"), "File", "Ctrl+Q", section=True),
    _A("undo", _("Undo leaf move"), "Edit", "Ctrl+Z", "undo", State.OPEN | State.CAN_UNDO),
    _A("redo", _("Redo leaf move"), "Edit", "Ctrl+Shift+Z", "redo", State.OPEN | State.CAN_REDO),
    _A("take-offer", _("Do what the message offers"), "Edit", "Alt+U", "check", State.OFFERED),
    _A("copy-entry", _("Copy entry"), "Edit", "Ctrl+Shift+C", "copy", _ENTRY, section=True),
    _A("copy-link", _("Copy link to entry"), "Edit", "Ctrl+Alt+C", "link", _ENTRY),
    _A("select-all", _("Select the whole transcript"), "Edit", "Ctrl+A", "", State.OPEN, own_key=True),
    _A("copy-markdown", _("Copy what is selected as Markdown"), "Edit", "", "copy", State.OPEN),
    _A("show-raw", _("Show raw entry"), "Edit", "Ctrl+U", "eye", _ENTRY),
    _A("palette", _("Search or run a command"), "Edit", "Ctrl+K", "search", section=True),
    _A("filter-sessions", _("Filter sessions"), "Edit", "Ctrl+Shift+F", "filter"),
    _A("find-in-session", _("Find in session"), "Edit", "Ctrl+F", "search", State.OPEN),
    _A("find-next", _("Next match"), "Edit", "F3", "chevron-down", State.OPEN | State.FINDING),
    _A("find-previous", _("Previous match"), "Edit", "Shift+F3", "chevron-up", State.OPEN | State.FINDING),
    _A("previous-prompt", _("Previous prompt"), "View", "Alt+Up", "chevron-up", State.OPEN, section=True),
    _A("next-prompt", _("Next prompt"), "View", "Alt+Down", "chevron-down", State.OPEN),
    _A("settings", _("Settings…"), "Edit", "Ctrl+,", "settings", section=True),
    _A("tool-servers", _("Tool servers…"), "Edit", "", "terminal"),
    _A("models", _("Models…"), "Edit", "", "model"),
    _A("show-sessions", _("Sessions"), "View", "Ctrl+1", checkable=True),
    _A("show-branches", _("Branches"), "View", "Ctrl+2", checkable=True),
    _A("show-transcript", _("Transcript"), "View", "Ctrl+3", checkable=True),
    _A("show-context", _("Context"), "View", "Ctrl+4", checkable=True),
    _A("go-sessions", _("Go to the sessions"), "View", "Alt+1", section=True),
    _A("go-branches", _("Go to the branches"), "View", "Alt+2", needs=State.OPEN),
    _A("go-transcript", _("Go to the transcript"), "View", "Alt+3", needs=State.OPEN),
    _A("go-context", _("Go to the context"), "View", "Alt+4", needs=State.OPEN),
    _A("split-view", _("Split view"), "View", "Ctrl+\\", "columns", State.OPEN, checkable=True, section=True),
    _A("other-side", _("Go to the other side"), "View", "F6", needs=State.OPEN),
    _A("group-folder", _("Group sessions by folder"), "View", "", checkable=True, section=True),
    _A("group-source", _("Group sessions by source"), "View", "", checkable=True),
    _A("group-date", _("Group sessions by date"), "View", "", checkable=True),
    _A("group-tag", _("Group sessions by tag"), "View", "", checkable=True),
    _A("show-archived", _("Show archived sessions"), "View", "", checkable=True),
    _A("show-trash", _("Show the trash"), "View", "", "trash", checkable=True),
    _A("show-deleted", _("Show deleted branches"), "View", "Ctrl+Shift+D", "trash", State.OPEN, checkable=True),
    _A("larger", _("Larger text"), "View", "Ctrl++", section=True),
    _A("smaller", _("Smaller text"), "View", "Ctrl+-"),
    _A("normal-size", _("Normal text size"), "View", "Ctrl+0"),
    _A("scheme", _("Light or dark"), "View", "Ctrl+Shift+L", "half-circle"),
    _A("open-in-new-window", _("Open in new window"), "Session", "Ctrl+Alt+O", "columns", State.LISTED),
    _A("open-session-beside", _("Open beside"), "Session", "", "columns", State.LISTED),
    _A("star", _("Star"), "Session", "Ctrl+D", "star", State.LISTED),
    _A("rename", _("Rename…"), "Session", "F2", "edit", State.LISTED),
    _A("tag", _("Tags…"), "Session", "Ctrl+T", "tag", State.LISTED),
    _A("archive", _("Archive"), "Session", "Ctrl+Shift+A", "archive", State.LISTED),
    _A("trash", _("Move to trash"), "Session", "Ctrl+Backspace", "trash", State.LISTED),
    _A("delete", _("Delete for good…"), "Session", "", "trash", State.LISTED | State.TRASH),
    _A("copy-session-link", _("Copy link to session"), "Session", "", "link", State.LISTED, section=True),
    _A("previous-session", _("Previous session"), "Session", "Ctrl+PgUp", section=True),
    _A("next-session", _("Next session"), "Session", "Ctrl+PgDown"),
    _A("compose", _("Write a message"), "Session", "Ctrl+L", "edit", State.OPEN, section=True),
    _A("send", _("Send or queue"), "Session", "Enter", "send", State.OPEN, own_key=True),
    _A("send-now", _("Send now"), "Session", "Ctrl+Shift+Return", "send", State.OPEN),
    _A("stop", _("Stop"), "Session", "Ctrl+Shift+S", "stop", State.OPEN | State.RUNNING),
    _A("go-on", _("Continue the reply"), "Session", "Ctrl+Shift+G", "jump-down", State.OPEN | State.BROKEN),
    _A("retry", _("Retry"), "Session", "", "refresh", State.OPEN | State.BROKEN),
    _A("attach", _("Attach files…"), "Session", "Ctrl+Shift+U", "plus", State.OPEN),
    _A("pick-model", _("Choose a model…"), "Session", "Ctrl+M", "model", State.OPEN),
    _A("pick-level", _("Choose how much it thinks…"), "Session", "Ctrl+Shift+T", "bulb", State.OPEN),
    _A("answer-tool", _("Answer the tool that asks"), "Session", "Ctrl+Shift+Y", "help", State.OPEN | State.ASKED),
    _A("continue", _("Continue from here"), "Branch", "Return", "jump-down", _ENTRY, own_key=True),
    _A("fork", _("Fork to new session"), "Branch", "F", "fork", _ENTRY, own_key=True),
    _A("label", _("Label…"), "Branch", "L", "tag", _ENTRY, own_key=True),
    _A("pin", _("Pin or unpin"), "Branch", "P", "pin", _ENTRY, own_key=True),
    _A("go-to-leaf", _("Go to leaf"), "Branch", "G", "ring", State.OPEN, own_key=True, section=True),
    _A("previous-sibling", _("Previous sibling"), "Branch", "[", "chevron-left", _ENTRY, own_key=True),
    _A("next-sibling", _("Next sibling"), "Branch", "]", "chevron-right", _ENTRY, own_key=True),
    _A("trash-branch", _("Delete subtree (to trash)"), "Branch", "Del", "trash", _ENTRY, own_key=True),
    _A("regenerate", _("Regenerate the reply"), "Branch", "Ctrl+Shift+R", "refresh", _ENTRY, section=True),
    _A("open-beside", _("Open branch beside"), "Branch", "Ctrl+Alt+B", "columns", _ENTRY),
    _A("compare", _("Compare with active branch"), "Branch", "Ctrl+Shift+M", "compare", _ENTRY, section=True),
    _A("compact", _("Compact…"), "Context", "Ctrl+Shift+K", "compact", State.OPEN | State.COMPACTABLE),
    _A("summarise-from", _("Summarise from here…"), "Branch", "Shift+C", "compact", _ENTRY, own_key=True),
    _A("summarise-up-to", _("Summarise up to here…"), "Branch", "", "compact", _ENTRY),
    _A("compact-from", _("Compact from here"), "Context", "C", "compact", _ENTRY, own_key=True),
    _A("cut-entry", _("Send only beginning and end"), "Context", "", "prune", _ENTRY),
    _A("exclude-entry", _("Leave out of the context"), "Context", "", "eye", _ENTRY),
    _A("include-entry", _("Send whole again"), "Context", "", "eye", _ENTRY),
    _A("prune", _("Prune tool output"), "Context", "Ctrl+Shift+P", "prune", State.OPEN),
    _A("accept-compaction", _("Accept compaction"), "Context", "Ctrl+Return", "check", State.OPEN | State.PREVIEW),
    _A(
        "edit-summary",
        _("Edit or preview the summary"),
        "Context",
        "Ctrl+Shift+E",
        "edit",
        State.OPEN | State.PREVIEW,
    ),
    _A("leave-preview", _("Leave the preview"), "Context", "Esc", "close", State.OPEN | State.PREVIEW),
    _A("context-now", _("Show the next request"), "Context", "Ctrl+.", "gauge", State.OPEN, section=True),
    _A("context-here", _("Show the selected entry"), "Context", "Ctrl+Shift+.", "eye", _ENTRY),
    _A("shortcuts", _("Keyboard shortcuts"), "Help", "F1", "command"),
    _A("about", _("About Stemmata"), "Help", "", "info"),
)


class Actions(QObject):
    """The table's actions as Qt's, switched on and off by the state of the window."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = State.ALWAYS
        self._wired = False
        self._keys: dict[str, str] = {}  # by action, once they are others than the table's
        self._specs = {spec.id: spec for spec in TABLE}
        self._actions = {spec.id: self._build(spec) for spec in TABLE}
        self._enable()

    def __getitem__(self, id: str) -> QAction:
        return self._actions[id]

    def __iter__(self) -> Iterator[tuple[ActionSpec, QAction]]:
        for spec in TABLE:
            yield spec, self._actions[spec.id]

    def on(self, id: str, act: Callable[[], object]) -> None:
        """Call `act` whenever the action is triggered."""
        self._wired = True
        self._actions[id].triggered.connect(lambda: act())

    def wire_late(self, wire: Callable[[], object]) -> None:
        """Have what `on` connects made by `wire` when the first action is asked for before it was there."""
        for _spec, action in self:
            action.triggered.connect(partial(self._on_early, action, wire))

    def _on_early(self, action: QAction, wire: Callable[[], object]) -> None:
        if not self._wired:
            wire()
            if action.isCheckable():
                action.toggle()  # back again
            action.trigger()

    def set_state(self, state: State, *, on: bool = True) -> None:
        """Switch parts of the state on or off; actions follow."""
        new = self._state | state if on else self._state & ~state
        if new != self._state:
            self._state = new
            self._enable()

    @property
    def state(self) -> State:
        return self._state

    def attach(self, window: QWidget) -> None:
        """Make the shortcuts work in the whole window."""
        for _spec, action in self:
            window.addAction(action)

    def keys(self, id: str) -> str:
        """The keys of an action as people read them."""
        text = self._keys.get(id) or self._specs[id].shortcut
        return QKeySequence(text).toString(QKeySequence.SequenceFormat.NativeText)

    def keys_of(self, id: str) -> str:
        """The keys that the window hears, portably written; "" for none."""
        return self._actions[id].shortcut().toString(QKeySequence.SequenceFormat.PortableText)

    def default_keys(self, id: str) -> str:
        """As `keys_of`, before anybody changed them."""
        spec = self._specs[id]
        return "" if spec.own_key else QKeySequence(spec.shortcut).toString()

    def set_keys(self, wanted: Mapping[str, str]) -> list[str]:
        """Give actions other keys than the table's, "" for none. Returns what of it cannot be, in words."""

        self._keys, problems = resolve(TABLE, wanted)
        for spec, action in self:
            action.setShortcut(QKeySequence(self._keys[spec.id]))
            if spec.own_key:
                text = action.text().partition("\t")[0]
                action.setText(text if self._keys[spec.id] else f"{text}\t{spec.shortcut}")
        return problems

    def fill(self, bar: QMenuBar) -> None:
        for name in MENUS:
            menu = bar.addMenu(QCoreApplication.translate(CONTEXT, name))
            keys = QKeySequence(f"Alt+{menu.title()[:1]}")  # as a mnemonic, which would be underlined all the time
            QShortcut(keys, bar).activated.connect(partial(bar.setActiveAction, menu.menuAction()))
            for spec in TABLE:
                if spec.menu == name:
                    if spec.section:
                        menu.addSeparator()
                    menu.addAction(self._actions[spec.id])

    def menu(self, ids: tuple[str, ...], parent: QWidget) -> QMenu:
        """A context menu; an empty id is a line."""
        out = QMenu(parent)
        for id in ids:
            if id:
                out.addAction(self._actions[id])
            else:
                out.addSeparator()
        return out

    def _build(self, spec: ActionSpec) -> QAction:
        action = QAction(QCoreApplication.translate(CONTEXT, spec.text), self)
        action.setCheckable(spec.checkable)
        action.setMenuRole(QAction.MenuRole.NoRole)
        if spec.own_key:
            action.setText(f"{action.text()}\t{spec.shortcut}")
        elif spec.shortcut:
            action.setShortcut(QKeySequence(spec.shortcut))
        return action

    def _enable(self) -> None:
        for spec, action in self:
            action.setEnabled(self._state & spec.needs == spec.needs)

    def show_icons(self) -> None:
        """Draw the icons, from now on in the theme's colours; apart, since menus are opened after the window."""
        self._theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        for spec, action in self:
            if spec.icon:
                action.setIcon(self._theme.icon(spec.icon))

"""Actions as data: their declarations, and the Qt actions, menus and shortcuts that are created from them.

The declarations of the window are in `gui/window/action_table.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QKeyCombination, QObject, Qt
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from stemmata.gui.theme.theme import Theme

T = TypeVar("T")  # the object that actions act on: the controllers of a window
MODIFIED = re.compile(r"(Ctrl|Alt|Meta)\+|F\d+$")


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text in the context of the shortcuts."""
    return QCoreApplication.translate("Shortcuts", text, comment, count)


def readable(keys: str) -> str:
    """Return the keys in Qt's portable notation, "" for no keys or invalid ones."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText)


def native(keys: str) -> str:
    """Return portable keys in the notation of the system. The Return key is called Enter, as in the guide."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")


def is_typed(keys: str) -> bool:
    """Return whether the keys type text, so that as a shortcut they would prevent typing in the window."""
    first = readable(keys).split(", ")[0].removeprefix("Shift+")
    return bool(first) and not MODIFIED.match(first)


def resolve(table: Iterable[ActionSpec[Any]], wanted: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the keys by action id, and the problems with `wanted`, translated.

    Two actions never have the same keys: an action with keys in `wanted` keeps them, and the other one gets none.
    """
    specs = {spec.id: spec for spec in table}
    problems: list[str] = []
    chosen: dict[str, str] = {}
    for id, keys in wanted.items():
        if id not in specs:
            problems.append(tr("unknown action “{0}”").format(id))
        elif keys and not readable(keys):
            problems.append(tr("“{0}” is not a valid shortcut ({1})").format(keys, id))
        elif is_typed(keys):
            problems.append(tr("“{0}” needs Ctrl, Alt or Meta ({1})").format(keys, id))
        elif readable(keys) and readable(keys) in chosen.values():
            problems.append(tr("{0} is used twice; “{1}” has no shortcut").format(keys, id))
        else:
            chosen[id] = readable(keys)
    taken = set(chosen.values())
    default = {id: "" if spec.own_key else readable(spec.shortcut) for id, spec in specs.items()}
    out = {id: chosen.get(id, "" if default[id] in taken else default[id]) for id in specs}
    return out, problems


CONTEXT = "Actions"


class State(IntFlag):
    """A condition of the window that actions need.

    Each state is set by a single controller, which its comment names.
    """

    ALWAYS = 0
    LISTED = 1  # a session is selected in the list
    OPEN = 2  # a session is open
    ENTRY = 4  # an entry is selected in the navigator
    CAN_UNDO = 8
    CAN_REDO = 16
    PREVIEW = 64  # a compaction is being previewed
    TRASH = 128  # the trash is listed
    RUNNING = 256  # the open session has a run
    BROKEN = 512  # the last reply of the open session was interrupted or refused
    ASKED = 1024  # a tool waits for consent
    FINDING = 2048  # the search line of the transcript is open
    OFFERED = 4096  # a notification with an action is shown
    BEFORE = 8192  # the open session came from another one
    AFTER = 16384  # the open session was continued or forked
    RESUMABLE = 32768  # the open session is old and can continue whole or from a summary
    TWO_CUTS = 65536  # the preview compares two cuts
    SEARCHING = 131072  # the results of a search in all sessions are shown
    LEFT_OUT = 262144  # the selected entry was cut or excluded from the context


@dataclass(frozen=True, slots=True)
class ActionSpec(Generic[T]):
    """The declaration of an action.

    `menu` names its menu in the menu bar, "" for an action that is in no menu of it. `inside` names its submenu
    there, "" for none: a menu is no higher than a low screen. `own_key` names the columns, separated by spaces, that
    handle the shortcut themselves while they have the focus ("branches", "transcript", "composer"); menus only show
    it. `keys` are further keys by column, separated by spaces, and `also` is a second shortcut of the whole window.
    `does` runs when the action is triggered, `toggles` whenever its check mark changes.
    """

    id: str
    text: str
    does: Callable[[T], object] | None
    menu: str = ""
    shortcut: str = ""
    icon: str = ""
    needs: State = State.ALWAYS
    toggles: Callable[[T, bool], object] | None = None
    own_key: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    also: str = ""
    checkable: bool = False
    section: bool = False  # whether a separator precedes it in its menu
    inside: str = ""
    in_palette: bool = True

    def keys_in(self, column: str) -> tuple[str, ...]:
        """Return the keys that a column handles for this action, in portable notation."""
        own = (self.shortcut,) if column in self.own_key.split() else ()
        return *map(readable, own), *map(readable, self.keys.get(column, "").split())


class ColumnKeys:
    """The keys that a column handles while it has the focus. `ids` maps keys in portable notation to action ids."""

    def __init__(self, ids: Mapping[str, str] = MappingProxyType({})) -> None:
        self._ids = dict(ids)
        if "Return" in self._ids:
            self._ids["Enter"] = self._ids["Return"]  # the key of the number block

    def id_of(self, event: QKeyEvent) -> str:
        """Return the id of the action of a key, "" for other keys.

        Signs such as brackets need Shift or AltGr on many keyboards, so they are recognised by the text they type.
        """
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        found = self._ids.get(QKeySequence(QKeyCombination(held, Qt.Key(event.key()))).toString(), "")
        text, commands = event.text(), Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
        is_sign = len(text) == 1 and not text.isalnum() and not text.isspace()
        return self._ids.get(text, "") if not found and is_sign and not held & commands else found


@dataclass(frozen=True, slots=True)
class ActionTable(Generic[T]):
    """All actions of a window. `context_menus` maps names of menus to action ids; an empty id is a separator."""

    specs: tuple[ActionSpec[T], ...]
    menus: tuple[str, ...]
    context_menus: Mapping[str, tuple[str, ...]]


class Actions(QObject):
    """The Qt actions of a table, enabled and disabled by the state of the window."""

    def __init__(self, theme: Theme, table: ActionTable[Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme, self._table = theme, table
        self._state = State.ALWAYS
        self._wired = False
        self._keys: dict[str, str] = {}  # by action id; empty until `set_keys` is called
        self._specs = {spec.id: spec for spec in table.specs}
        self._actions = {spec.id: self._build(spec) for spec in table.specs}
        self._needs = [(int(spec.needs), self._actions[spec.id]) for spec in table.specs]
        self._enable(~0)

    def __getitem__(self, id: str) -> QAction:
        return self._actions[id]

    def __iter__(self) -> Iterator[tuple[ActionSpec[Any], QAction]]:
        for spec in self._table.specs:
            yield spec, self._actions[spec.id]

    def connect_to(self, target: object) -> None:
        """Connect all actions to `target`. To be called once."""
        self._wired = True
        for spec, action in self:
            if spec.does is not None:
                action.triggered.connect(partial(_run, spec.does, target))
            if spec.toggles is not None:
                action.toggled.connect(partial(spec.toggles, target))

    def wire_late(self, wire: Callable[[], object]) -> None:
        """Call `wire` when an action is triggered before `connect_to` is called, and trigger the action again."""
        for _spec, action in self:
            action.triggered.connect(partial(self._on_early, action, wire))

    def _on_early(self, action: QAction, wire: Callable[[], object]) -> None:
        if not self._wired:
            wire()
            if action.isCheckable():
                action.toggle()  # undo the toggle, which `trigger` repeats
            action.trigger()

    def set_state(self, state: State, *, on: bool = True) -> None:
        """Set or clear flags of the state, and enable or disable the actions accordingly."""
        new = self._state | state if on else self._state & ~state
        if new != self._state:
            changed = int(new ^ self._state)
            self._state = new
            self._enable(changed)

    @property
    def state(self) -> State:
        """The current state of the window."""
        return self._state

    def attach(self, window: QWidget) -> None:
        """Make the shortcuts work in the whole window."""
        for _spec, action in self:
            window.addAction(action)

    def keys(self, id: str) -> str:
        """Return the keys of an action in the notation of the system, "" for none."""
        return native(self._keys.get(id) or self._specs[id].shortcut)

    def icon_and_text(self, column: str, id: str, text: str) -> tuple[QIcon, str]:
        """Return the icon and the text of a menu item that runs an action, with the keys of a column."""
        keys = native(next(iter(self._specs[id].keys_in(column)), "")) or self.keys(id)
        return self._theme.icon(self._specs[id].icon), f"{text}\t{keys}" if keys else text

    def keys_of(self, id: str) -> str:
        """Return the keys that the window handles, in Qt's portable notation; "" for none."""
        return self._actions[id].shortcut().toString(QKeySequence.SequenceFormat.PortableText)

    def default_keys(self, id: str) -> str:
        """Return the default keys that the window handles, in Qt's portable notation; "" for none."""
        spec = self._specs[id]
        return "" if spec.own_key else QKeySequence(spec.shortcut).toString()

    def set_keys(self, wanted: Mapping[str, str]) -> list[str]:
        """Set the keys of actions, "" for none; return the problems with `wanted`, translated."""

        self._keys, problems = resolve(self._table.specs, wanted)
        for spec, action in self:
            action.setShortcuts([QKeySequence(keys) for keys in (self._keys[spec.id], spec.also) if keys])
            self._write_keys(spec, action, self._keys[spec.id])
        return problems

    def _write_keys(self, spec: ActionSpec[Any], action: QAction, keys: str) -> None:
        """Write the keys of a column into the text of the menu, and the Return key, which Qt would not call Enter."""
        text = action.text().partition("\t")[0]
        shown = spec.shortcut if spec.own_key and not keys else keys if "Return" in keys else ""
        action.setText(f"{text}\t{native(shown)}" if shown else text)

    def fill(self, bar: QMenuBar) -> None:
        """Add the table's menus and their Alt shortcuts to a menu bar."""
        for name in self._table.menus:
            menu = bar.addMenu(QCoreApplication.translate(CONTEXT, name))
            keys = QKeySequence(f"Alt+{menu.title()[:1]}")  # instead of a mnemonic, which would always be underlined
            QShortcut(keys, bar).activated.connect(partial(bar.setActiveAction, menu.menuAction()))
            submenus: dict[str, QMenu] = {}
            for spec in (spec for spec in self._table.specs if spec.menu == name):
                begins = bool(spec.inside) and spec.inside not in submenus
                place = submenus.get(spec.inside, menu)
                if spec.section:
                    place.addSeparator()
                if begins:
                    place = submenus[spec.inside] = menu.addMenu(QCoreApplication.translate(CONTEXT, spec.inside))
                place.addAction(self._actions[spec.id])

    def menu(self, name: str, parent: QWidget) -> QMenu:
        """Return a context menu of the table, which deletes itself when it is closed."""
        out = QMenu(parent)
        for id in self._table.context_menus[name]:
            if id:
                out.addAction(self._actions[id])
            else:
                out.addSeparator()
        out.aboutToHide.connect(out.deleteLater)
        return out

    def row_menu(self, name: str, parent: QWidget, words: Mapping[str, str], select: Callable[[], bool]) -> QMenu:
        """Return a context menu of the list of branches, with the keys that the list handles.

        `words` replaces names of actions, by id. `select` is called before an action is triggered: it restores the
        selection that the menu was opened for, and returns False when those rows are gone.
        """
        out = QMenu(parent)
        for id in self._table.context_menus[name]:
            if not id:
                out.addSeparator()
                continue
            spec, action = self._specs[id], self._actions[id]
            text = words.get(id) or action.text().partition("\t")[0]
            keys = native(next(iter(spec.keys_in("branches")), ""))
            shown = out.addAction(self._theme.icon(spec.icon), f"{text}\t{keys}" if keys else text)
            shown.setEnabled(action.isEnabled())
            shown.triggered.connect(partial(_trigger_selected, action, select))
        return out

    def column_keys(self, column: str) -> ColumnKeys:
        """Return the keys that a column handles while it has the focus."""
        return ColumnKeys({key: spec.id for spec, _action in self for key in spec.keys_in(column)})

    def _build(self, spec: ActionSpec[Any]) -> QAction:
        action = QAction(QCoreApplication.translate(CONTEXT, spec.text), self)
        action.setCheckable(spec.checkable or spec.toggles is not None)
        action.setMenuRole(QAction.MenuRole.NoRole)
        if spec.shortcut and not spec.own_key:
            action.setShortcuts([QKeySequence(keys) for keys in (spec.shortcut, spec.also) if keys])
        self._write_keys(spec, action, "" if spec.own_key else spec.shortcut)
        return action

    def _enable(self, changed: int) -> None:
        """Enable and disable the actions that need one of the changed conditions, which are bits of State."""
        state = int(self._state)  # plain ints, because most sessions that are opened change several conditions
        for needs, action in self._needs:
            if needs & changed:
                action.setEnabled(state & needs == needs)

    def show_icons(self) -> None:
        """Set the icons and follow theme changes; separate from the constructor, since only menus show them."""
        self._theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        for spec, action in self:
            if spec.icon:
                action.setIcon(self._theme.icon(spec.icon))


def _run(does: Callable[[Any], object], target: object, *_checked: bool) -> None:
    does(target)


def _trigger_selected(action: QAction, select: Callable[[], bool]) -> None:
    if select():
        action.trigger()

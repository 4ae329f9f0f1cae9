"""Undo and redo in a window: the histories that the keys apply to, the steps, and their names in the Edit menu."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.steps import LIST, SESSIONS, History, Step
from stemmata.gui.core.actions import Actions, State
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.widgets.figures import figure_text
from stemmata.gui.widgets.labels import literal
from stemmata.gui.widgets.toast import Toast
from stemmata.services.services import Services
from stemmata.services.sessions.histories import Undone

_TellStep = Callable[[Undone], None]
NAME_LENGTH = 40  # characters of a name in a menu
SHORT_NAME = 24  # characters of a name in a question, which stands over the narrow list of sessions
_RESIZING = frozenset({"compact", "auto-compact", "prune", "auto-prune", "edit-summary", "summarise-branch"})
_CONCERNED = Change.SESSIONS | Change.ENTRIES | Change.LEAF | Change.MARKS


class _Wanted(NamedTuple):
    """An undo or a redo that was asked for; `scope` is None for the histories that the keys apply to then."""

    scope: int | None
    forward: bool
    tell: _TellStep
    only: int | None = None  # the step to undo: no other one is undone in its place; None for the newest one


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate the name of a step."""
    return QCoreApplication.translate("Steps", text, comment, count)


class _Untold(NamedTuple):
    """A message that is shown when the size of the context at a leaf (key) is known."""

    leaf: int
    text: str
    action: str
    act: Callable[[], object] | None


class WindowHistory(QObject):
    """Undoes and redoes steps of the open session and of the list of sessions.

    Undo takes back the newest step of two histories, and redo repeats the step that was undone last in either of
    them. The first is the history of the open session. The second is that of the list of sessions: all of it while
    the list has the focus, otherwise only the steps that make, hide or bring back sessions, such as a fork or a
    deletion. Of these, the keys apply to a step that changed the open session, or that was done in this window since
    the session was opened. Any other is out of sight: it is next only when no step is in sight, and the actions ask
    before they undo or redo it, however they were chosen.
    """

    # Undone; whether it was a redo; whether the user chose no other entry or session since the key was pressed
    stepped = Signal(object, bool, bool)

    def __init__(
        self, services: Services, bridge: Bridge, opened: OpenSession, actions: Actions, toast: Toast
    ) -> None:
        super().__init__(opened)
        self._services, self._bridge, self._opened = services, bridge, opened
        self._actions, self._toast = actions, toast
        self._list: QWidget | None = None
        self._others: Sequence[QWidget] = ()
        self._in_list = False
        self._known: dict[int, History] = {}  # by scope
        self._run = LatestOnly()
        self._wanted: deque[_Wanted] = deque()  # requests by keys and menus during another step
        self._is_stepping = False
        self._own: int | None = None  # the last step of SESSIONS made in this window, while its result is still shown
        self._untold: _Untold | None = None
        opened.started.connect(self._on_started)
        opened.tree_read.connect(self._on_tree_read)
        bridge.changed.connect(self._on_changed)

    def follow_focus(self, sessions: QWidget, others: Sequence[QWidget]) -> None:
        """Apply the keys to all steps of the list from when the list gets the focus until one of `others` gets it."""
        self._list, self._others = sessions, others
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)
        for id, todo in (("undo", self.undo), ("redo", self.redo)):
            _EarlyKeys(self._actions[id], sessions.window(), todo)
        self._on_scope_changed()

    @property
    def scopes(self) -> tuple[int, ...]:
        """The histories that the keys apply to: the key of the open session, and LIST or SESSIONS."""
        of_list = LIST if self.in_list else SESSIONS
        return (of_list,) if self._opened.key is None else (self._opened.key, of_list)

    @property
    def in_list(self) -> bool:
        """Whether the keys apply to all steps of the list."""
        return self._in_list or self._opened.key is None

    @property
    def of_session(self) -> History:
        """The history of the open session, as it was read last."""
        return self._known.get(self._opened.key or LIST, History())

    # -- steps ------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        """Undo the last step."""
        self._request_step(forward=False)

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self._request_step(forward=True)

    def undo_session(self, only: int | None = None) -> None:
        """Undo the last step of the open session, wherever the focus is.

        `only` is the key of the step that the user means: when a newer one was stored meanwhile, nothing is undone,
        and the window says so.
        """
        if self._opened.key is not None:
            self._request_step(forward=False, scope=self._opened.key, only=only)

    def note_own_step(self, done: Future[Any]) -> None:
        """Count the step of SESSIONS that this job makes as a step of this window. Call it right after the job began.

        The keys undo it without asking until another session is opened.
        """
        is_done: list[bool] = []
        last = self._services.histories.of(SESSIONS)  # read after the job, since jobs run in order

        def note(history: History) -> None:
            if is_done and history.next_undo is not None:
                self._own = history.next_undo.key
                self._show()

        self._bridge.when_done(done, lambda _done: is_done.append(True), lambda _error: None)
        self._bridge.when_done(last, note)

    def tell(self, text: str, of: int, *, size_at: int | None = None) -> None:
        """Show a message with *Undo*, which undoes the step that is the last one when the message is shown, and no
        later step.

        `of` is the key of the session that was changed, which may no longer be open, or LIST. `size_at` is the key
        of its new leaf when the message is to say how large the context is there.
        """
        last = self._services.histories.of(of)  # the latest step at this moment: later steps are not undone

        def undo(history: History) -> None:
            if history.next_undo is not None:
                tell = self._telling(forward=False)
                future = self._services.histories.undo(of, history.next_undo.key, only=True)
                self._bridge.when_done(
                    future,
                    lambda undone: self._on_stepped(of, undone, tell, forward=False, quiet=True),
                    self._on_failed,
                )

        undo_last = partial(self._bridge.when_done, last, undo)
        is_of_open = of == self._opened.key
        if not is_of_open or size_at is None:
            self._toast.tell(text, self.tr("Undo"), undo_last, of_open=is_of_open)
        else:
            self._tell_size(size_at, text, self.tr("Undo"), undo_last)

    def _tell_size(self, leaf: int, text: str, action: str = "", act: Callable[[], object] | None = None) -> None:
        """Show a message with the size of the context at the new leaf (key), as soon as its tree is shown."""
        self._untold = _Untold(leaf, text, action, act)
        self._on_tree_read()

    def _on_tree_read(self) -> None:
        untold, session = self._untold, self._opened.session
        if untold is not None and session is not None and session.leaf == untold.leaf:
            self._untold = None
            size = figure_text(self._opened.context(self._opened.leaf).breakdown.total)
            text = self.tr("{0} The context now has {1} tokens.").format(untold.text, size)
            self._toast.tell(text, untold.action, untold.act, of_open=True)

    def _telling(self, *, forward: bool) -> _TellStep:
        """Return the receiver of a stored undo or redo: it emits `stepped`, and whether the same session is open."""
        return self._opened.unless_selection_changed(
            lambda undone: self.stepped.emit(undone, forward, True),
            lambda undone: self.stepped.emit(undone, forward, False),
        )

    def _request_step(self, *, forward: bool, scope: int | None = None, only: int | None = None) -> None:
        self._toast.withdraw()  # an Undo button in it would now undo another step
        self._wanted.append(_Wanted(scope, forward, self._telling(forward=forward), only))
        self._next()

    def _next(self) -> None:
        if self._is_stepping or not self._wanted:
            return
        wanted = self._wanted.popleft()
        scopes = self.scopes if wanted.scope is None else (wanted.scope,)
        shown = self._next_step(scopes, forward=wanted.forward)[1]
        self._is_stepping = True

        def read(histories: dict[int, History]) -> None:
            """Undo or redo the next step. A step of another process that the menu does not show yet is refused."""
            self._known |= histories
            scope, step = self._next_step(scopes, forward=wanted.forward)
            if wanted.only is not None:
                self._step(scope, wanted.only, wanted, only=True)
                return
            if step is not None and not self._is_in_sight(scope, step):
                self._is_stepping = False
                self._ask(scope, step, wanted)
                self._next()
                return
            seen = None if step is None else step.key
            if step is not None and step.is_external and shown is not None:
                seen = shown.key
            self._step(scope, seen, wanted)

        # the newest step may not be in the menu yet
        self._bridge.when_done(self._services.histories.several(scopes), read, self._on_failed)

    def _step(self, scope: int, seen: int | None, wanted: _Wanted, *, only: bool = False) -> None:
        todo = self._services.histories.redo if wanted.forward else self._services.histories.undo
        self._bridge.when_done(
            todo(scope, seen, only=only),
            lambda undone: self._on_stepped(scope, undone, wanted.tell, forward=wanted.forward),
            self._on_failed,
        )

    def _ask(self, scope: int, step: Step, wanted: _Wanted) -> None:
        """Ask whether to undo or redo a step out of sight."""
        if wanted.forward:
            text, action = self.tr("Redo outside this session: {0}?"), self.tr("Redo")
        else:
            text, action = self.tr("Undo outside this session: {0}?"), self.tr("Undo")
        asked = text.format(step_text(step, SHORT_NAME))
        self._toast.tell(asked, action, lambda: self._step(scope, step.key, wanted, only=True))

    def _is_in_sight(self, scope: int, step: Step) -> bool:
        """Return whether the user can see the effect of undoing or redoing this step."""
        return scope != SESSIONS or step.key == self._own or self._opened.key in step.sessions

    def _next_step(self, scopes: Sequence[int], *, forward: bool) -> tuple[int, Step | None]:
        """Return the scope and the next step of these histories, a step in sight first; None without a step."""
        found: list[tuple[int, Step]] = []
        for scope in scopes:
            known = self._known.get(scope, History())
            step = known.next_redo if forward else known.next_undo
            if step is not None:
                found.append((scope, step))
        near = [each for each in found if self._is_in_sight(*each)]
        return max(near or found, key=lambda each: (each[1].undone, each[1].key), default=(scopes[0], None))

    def _on_stepped(self, scope: int, undone: Undone, tell: _TellStep, *, forward: bool, quiet: bool = False) -> None:
        self._is_stepping = False
        self._known[scope] = undone.history
        tell(undone)
        self._own = undone.step.key
        self._show()
        if not quiet:
            done = self.tr("Redone: {0}.") if forward else self.tr("Undone: {0}.")
            text = done.format(step_text(undone.step))
            if undone.leaf is not None and undone.session == self._opened.key and undone.step.what in _RESIZING:
                self._tell_size(undone.leaf, text)
            else:
                self._toast.tell(text)
        self._next()

    def _on_failed(self, error: Exception) -> None:
        self._is_stepping = False
        self._wanted.clear()
        if isinstance(error, NothingToDoError):
            self._toast.tell(str(error))
        else:
            self._bridge.failed.emit(error)
        self._read()

    # -- menus ------------------------------------------------------------------------------------------------

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is None or self._list is None or not all(map(isValid, (self._list, *self._others))):
            return  # without a view, the window is being deleted
        is_in_list = new is self._list or self._list.isAncestorOf(new)
        is_elsewhere = any(new is other or other.isAncestorOf(new) for other in self._others)
        if (is_in_list or is_elsewhere) and is_in_list != self._in_list:
            self._in_list = is_in_list
            self._on_scope_changed()

    def _on_changed(self, changes: Sequence[ChangeSet]) -> None:
        if any(change.what & _CONCERNED for change in changes):
            self._read()

    def _on_started(self) -> None:
        self._own = self._untold = None
        self._on_scope_changed()

    def _on_scope_changed(self) -> None:
        self._known = {scope: known for scope, known in self._known.items() if scope in self.scopes}
        self._show()
        self._read()

    def _read(self) -> None:
        def read(histories: dict[int, History]) -> None:
            self._known |= histories
            self._show()

        self._bridge.when_done(self._services.histories.several(self.scopes), read, run=self._run)

    def _show(self) -> None:
        for id, forward, state, text, bare in (
            ("undo", False, State.CAN_UNDO, self.tr("Undo {0}"), self.tr("Undo")),
            ("redo", True, State.CAN_REDO, self.tr("Redo {0}"), self.tr("Redo")),
        ):
            _, step = self._next_step(self.scopes, forward=forward)
            self._actions[id].setText(bare if step is None else text.format(literal(step_text(step))))
            self._actions.set_state(state, on=step is not None)


class _EarlyKeys(QObject):
    """Handles the keys of an action while the action is disabled.

    *Undo* and *Redo* are enabled as soon as the step is known, some milliseconds after the user's action.
    """

    def __init__(self, action: QAction, window: QWidget, todo: Callable[[], None]) -> None:
        super().__init__(action)
        self._action, self._shortcut = action, QShortcut(window)
        self._shortcut.activated.connect(todo)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        if self._shortcut.keys() != self._action.shortcuts():
            self._shortcut.setKeys(self._action.shortcuts())
        self._shortcut.setEnabled(not self._action.isEnabled())


def step_text(step: Step, length: int = NAME_LENGTH) -> str:
    """Return the description of a step, as the end of “Undo …”, with at most `length` characters of its name."""
    name = " ".join(step.name.split())
    name = name if len(name) <= length else f"{name[: length - 1].rstrip()}…"
    many = step.count > 1
    plain, named, several = (_texts(step.count) | _texts_of_list(step.count)).get(
        step.what, (tr("move to another entry"), "", "")
    )
    if many and several:
        return several
    return named.format(name) if named and name else plain


def _texts(count: int) -> dict[str, tuple[str, str, str]]:
    """Return the names of steps: without a name, with one, and for several ("" for none)."""
    return {
        "continue": (tr("move to another entry"), tr("move to “{0}”"), ""),
        "leave": (tr("summary of the branch that was left"), "", ""),
        "send": (tr("message"), tr("message “{0}”"), ""),
        "reply": (tr("reply"), "", ""),
        "compact": (tr("compaction"), "", ""),
        "auto-compact": (tr("automatic compaction"), "", ""),
        "compact-into-new": (tr("compaction into a new session"), "", ""),
        "prune": (tr("pruning"), "", tr("pruning of %Ln results", None, count)),
        "auto-prune": (tr("automatic pruning"), "", tr("automatic pruning of %Ln results", None, count)),
        "edit-summary": (tr("edit of a summary"), "", ""),
        "summarise-branch": (tr("summary of a branch"), "", ""),
        "copy-turn": (tr("copied prompt"), "", ""),
        "exclude": (tr("exclusion from the context"), "", ""),
        "cut": (tr("cut of an entry"), "", ""),
        "include": (tr("sending in full again"), "", ""),
        "model": (tr("choice of a model"), tr("choice of the model {0}"), ""),
        "thinking": (tr("thinking level"), tr("thinking level {0}"), ""),
        "skill": (tr("change of a skill"), "", ""),
        "note": (tr("note"), tr("note of {0}"), ""),
        "label": (tr("label"), tr("label “{0}”"), tr("label of %Ln entries", None, count)),
        "unlabel": (
            tr("removal of a label"), tr("removal of the label “{0}”"), tr("removal of %Ln labels", None, count),
        ),
        "pin": (tr("pin"), tr("pin of “{0}”"), tr("%Ln pins", None, count)),
        "unpin": (tr("removal of a pin"), tr("removal of the pin of “{0}”"), tr("removal of %Ln pins", None, count)),
        "delete-branch": (tr("deletion of a branch"), tr("deletion of the branch “{0}”"), ""),
        "restore-branch": (tr("restoring a branch"), tr("restoring the branch “{0}”"), ""),
        "trash": (tr("deletion of a branch"), "", ""),
    }  # fmt: skip


def _texts_of_list(count: int) -> dict[str, tuple[str, str, str]]:
    """Return the names of steps that the list of sessions shows."""
    return {
        "fork": (tr("fork"), tr("fork of “{0}”"), ""),
        "rename": (tr("renaming"), tr("renaming to “{0}”"), ""),
        "titles": (
            tr("suggested title"), tr("suggested title “{0}”"), tr("%Ln suggested titles", None, count),
        ),
        "tag": (tr("tag"), tr("tag “{0}”"), ""),
        "untag": (tr("removal of a tag"), tr("removal of the tag “{0}”"), ""),
        "starred": (tr("star"), tr("star of “{0}”"), tr("%Ln stars", None, count)),
        "not-starred": (
            tr("removal of a star"), tr("removal of the star of “{0}”"), tr("removing %Ln stars", None, count),
        ),
        "archived": (tr("archiving"), tr("archiving of “{0}”"), tr("archiving of %Ln sessions", None, count)),
        "not-archived": (
            tr("unarchiving"), tr("unarchiving of “{0}”"), tr("unarchiving of %Ln sessions", None, count),
        ),
        "trashed": (
            tr("deletion of a session"), tr("deletion of “{0}”"), tr("deletion of %Ln sessions", None, count),
        ),
        "not-trashed": (tr("restoring a session"), tr("restoring “{0}”"), tr("restoring %Ln sessions", None, count)),
        "import": (tr("import"), tr("import of “{0}”"), tr("import of %Ln sessions", None, count)),
    }  # fmt: skip

"""Run commands typed as a message. The window or the services carry them out; none is sent to the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from stemmata.domain.errors import KnownError
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.actions import Actions
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import line
from stemmata.services.chat.command_table import (
    COMMANDS,
    ChatCommand,
    Completion,
    TypedCommand,
    UnknownCommandError,
    begun,
    command,
    typed,
)

if TYPE_CHECKING:
    from stemmata.services.chat.commands import CommandAnswer

MOST_ROWS = 8
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_TAKES = (Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class OfferedCommand:
    """A completion. `text` replaces the typed text; `usage` is shown with `help` beside it."""

    text: str
    usage: str
    help: str = ""


class CompletionList(QFrame):
    """A list above the composer. It never takes the focus: the message editor forwards its keys."""

    chosen = Signal(str)  # text that replaces the typed text

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host)
        self.setObjectName("completionList")
        self.setProperty("overlay", True)
        self._theme, self._host = theme, host
        self._offered: tuple[OfferedCommand, ...] = ()
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(lambda item: self._choose(self.list.row(item)))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[2]] * 4)
        column.addWidget(self.list)
        self.hide()

    @property
    def offered(self) -> tuple[OfferedCommand, ...]:
        """The completions shown; empty while the list is hidden."""
        return self._offered if self.isVisible() else ()

    def show_offered(self, offered: Sequence[OfferedCommand], over: QWidget) -> None:
        """Show the completions above a widget and select the first; an empty list hides it."""
        self._offered = tuple(offered)
        self.list.clear()
        for item in offered:
            self._add(item)
        if not offered:
            self.hide()
            return
        self.list.setCurrentRow(0)
        self._place(over)
        self.show()
        self.raise_()

    def on_key(self, event: QKeyEvent) -> bool:
        """Handle a key, and return whether the list used it."""
        key = Qt.Key(event.key())
        if not self.isVisible() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _STEPS:
            count = self.list.count()
            self.list.setCurrentRow((self.list.currentRow() + _STEPS[key]) % count)
            return True
        if key in _TAKES:
            return self._choose(self.list.currentRow())
        if key == Qt.Key.Key_Escape:
            self.hide()
            return True
        return False

    def _choose(self, row: int) -> bool:
        """Choose a completion; return False if there is none, so that Enter sends the command."""
        if not 0 <= row < len(self._offered):
            return False
        self.hide()
        self.chosen.emit(self._offered[row].text)
        return True

    def _add(self, offered: OfferedCommand) -> None:
        row = QWidget()
        content = line(ElidedLabel(offered.help, "dim"))
        usage = label(offered.usage, "code")
        content.insertWidget(0, usage)
        content.setContentsMargins(metrics.SPACE[4], 0, metrics.SPACE[4], 0)
        row.setLayout(content)
        item = QListWidgetItem()
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{offered.usage} {offered.help}")
        item.setSizeHint(QSize(0, self._theme.px(metrics.CONTROL)))
        self.list.addItem(item)
        self.list.setItemWidget(item, row)

    def _place(self, over: QWidget) -> None:
        rows = min(len(self._offered), MOST_ROWS)
        height = rows * self._theme.px(metrics.CONTROL) + 2 * metrics.SPACE[2] + 2 * metrics.BORDER
        corner = over.mapTo(self._host, QPoint(0, 0))
        width = min(over.width(), self._theme.px(metrics.DIALOG[0]))
        self.setGeometry(corner.x(), corner.y() - height - metrics.SPACE[2], width, height)


CONTEXT = "Commands"


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP(CONTEXT, text))


HELP = {
    "status": _("Show the model, the size of the context, and the run"),
    "new": _("Start another chat"),
    "clear": _("Start another chat; this one stays in the list"),
    "reset": _("Begin a new session of this conversation; /reset back returns to the previous session"),
    "compact": _("Preview a compaction"),
    "prune": _("Prune old tool output, or only duplicates, from the context"),
    "resume": _("Resume another session: in full if it fits, otherwise from a summary"),
    "abort": _("Stop the reply"),
    "tree": _("Go to the branches"),
    "fork": _("Fork this branch to a session of its own"),
    "label": _("Label the current leaf"),
    "name": _("Name the session"),
    "context": _("Show the context of the next request"),
    "model": _("Choose a model"),
    "think": _("Choose a thinking level"),
    "summariser": _("Choose the model that writes summaries of this session"),
    "verbose": _("Choose which notices this session shows: off, on or full"),
    "skills": _("List the skills of the chosen folders"),
    "skill": _("Activate a skill in this session; /skill NAME off deactivates it"),
    "export": _("Export the session"),
    "help": _("List the commands"),
}
ALONE = {"resume": "palette", "model": "pick-model", "think": "pick-level", "skill": "skills", "export": "export"}


class CommandController(QObject):
    """Run the commands that are typed in the composer, such as `/compact`.

    A command without an argument runs the action of the window that ALONE names for it. Every other command is run by
    the services, which store a note about it in the session.
    """

    session_wanted = Signal(int)
    fork_requested = Signal(int)  # entry
    branches_requested = Signal()
    compact_requested = Signal(str)  # focus of the summary

    def __init__(self, shared: WindowContext, theme: Theme, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._actions: Actions = shared.actions
        self._history, self._toast, self._theme, self._composer = shared.history, shared.toast, theme, composer
        self._list: CompletionList | None = None
        self._choices_run = LatestOnly()
        composer.editor.textChanged.connect(self._offer)
        composer.editor.installEventFilter(self)
        self._acts: dict[str, Callable[[str], bool]] = {
            "help": self._help, "fork": self._fork, "tree": self._branches, "compact": self._compact,
            "new": self._new, "clear": self._new, "context": self._context,
        }  # fmt: skip

    @property
    def list(self) -> CompletionList:
        """The list of completions, created on first use."""
        if self._list is None:
            self._list = CompletionList(self._theme, self._composer.window())
            self._list.chosen.connect(self._composer.editor.put)
            self._composer.editor.complete = self._list.on_key
        return self._list

    def run(self, text: str) -> None:
        """Run the command in a message. `text` must be a command: see `command_table.typed`."""
        wanted = typed(text)
        assert wanted is not None, "this is a message"
        try:
            self._run(command(wanted.name), wanted, text)
        except UnknownCommandError as error:
            self._toast.tell(self._unknown(wanted.name, error.nearest))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hide the completions when the editor loses the focus."""
        if watched is self._composer.editor and event.type() == QEvent.Type.FocusOut and self._list is not None:
            self._list.hide()
        return False

    # -- completion -------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        text = self._composer.text
        self._choices_run.cancel()
        found = begun(text) if self._composer.editor.hasFocus() else ()
        if [f"/{spec.name}" for spec in found] == [text]:
            found = ()  # the command is complete: Enter runs it
        if found or self._list is not None:
            self.list.show_offered([_offered(spec) for spec in found], self._composer.editor)
        if " " in text and self._composer.editor.hasFocus():
            self._offer_choices(text)

    def _offer_choices(self, text: str) -> None:
        wanted = typed(text)
        spec = next((spec for spec in COMMANDS if wanted is not None and spec.name == wanted.name), None)
        if spec is not None and spec.choices:
            show = partial(self._on_choices, spec, text)
            self._bridge.when_done(
                self._services.commands.complete(text, self._opened.key), show, run=self._choices_run
            )

    def _on_choices(self, spec: ChatCommand, text: str, choices: Sequence[Completion]) -> None:
        found = [OfferedCommand(f"/{spec.name} {choice.text}", choice.text, choice.help) for choice in choices]
        if text != self._composer.text or not self._composer.editor.hasFocus():
            return
        is_written = any(item.text == text.strip() for item in found)
        self.list.show_offered([] if is_written else found, self._composer.editor)

    # -- running commands -----------------------------------------------------------------------------------------

    def _run(self, spec: ChatCommand, wanted: TypedCommand, text: str) -> None:
        action = "" if wanted.rest else ALONE.get(spec.name, "")
        if spec.name in self._acts and self._acts[spec.name](wanted.rest):
            return
        if action:
            self._trigger(spec, action)
        else:
            session = self._opened.key
            answered = self._services.commands.run(session, text, translate_phrase)
            here, elsewhere = partial(self._on_answered, session), partial(self._on_answered_elsewhere, session)
            done = self._opened.unless_selection_changed(here, elsewhere)
            self._bridge.when_done(answered, done, self._on_failed)

    def _on_answered_elsewhere(self, session: int | None, answer: CommandAnswer) -> None:
        """Offer the session of a command to a person who has opened another one meanwhile."""
        made = answer.session
        if made is None:
            self._on_answered(session, answer)
            return
        told, show = self.tr("The command “/{0}” is done."), self.tr("Show session")
        self._toast.tell(told.format(answer.command), show, lambda: self.session_wanted.emit(made))

    def _on_answered(self, session: int | None, answer: CommandAnswer) -> None:
        """Open the session that a command made, or report a pruning of the session in which it was typed."""
        if answer.session is not None:
            self.session_wanted.emit(answer.session)
        elif answer.command == "prune" and session is not None:
            self._history.tell(answer.text.partition("\n")[0], session)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, KnownError):
            self._toast.tell(str(error))
        else:
            self._bridge.failed.emit(error)

    def _trigger(self, spec: ChatCommand, action: str) -> None:
        if self._actions[action].isEnabled():
            self._actions[action].trigger()
        else:
            self._toast.tell(self.tr("/{0} has no effect here.").format(spec.name))

    def _unknown(self, name: str, nearest: str) -> str:
        if nearest:
            told = self.tr("Unknown command {0}. Did you mean {1}? Nothing was sent.")
            return told.format(f"/{name}", f"/{nearest}")
        return self.tr("Unknown command {0}. /help lists all commands. Nothing was sent.").format(f"/{name}")

    def _help(self, _rest: str) -> bool:
        """Add a note with all commands, in the language of the window."""
        if self._opened.key is not None:
            text = "\n".join(f"- `{spec.usage}` {_help(spec)}" for spec in COMMANDS)
            self._bridge.when_done(self._services.runs.note(self._opened.key, text, "/help"), lambda _key: None)
        return True

    def _new(self, _rest: str) -> bool:
        """Run the action *New chat* instead of `/new` when the open session has no entries: the action reuses it."""
        session_tree = self._opened.session_tree
        if session_tree is not None and len(session_tree.tree):
            return False
        self._trigger(command("new"), "new-chat")
        return True

    def _context(self, _rest: str) -> bool:
        """Show the next request in the context column; the services add the note."""
        if self._opened.key is not None:
            self._actions["context-now"].trigger()
        return False

    def _branches(self, _rest: str) -> bool:
        self.branches_requested.emit()
        return True

    def _fork(self, entry: str) -> bool:
        """Fork at the current leaf; the services handle a named entry."""
        session = self._opened.session
        if entry or session is None or session.leaf is None:
            return False
        self.fork_requested.emit(session.leaf)
        return True

    def _compact(self, focus: str) -> bool:
        if self._actions["compact"].isEnabled():
            self.compact_requested.emit(focus)
        else:
            self._trigger(command("compact"), "compact")
        return True


def _offered(spec: ChatCommand) -> OfferedCommand:
    return OfferedCommand(f"/{spec.name} " if spec.takes else f"/{spec.name}", spec.usage, _help(spec))


def _help(spec: ChatCommand) -> str:
    return QCoreApplication.translate(CONTEXT, HELP[spec.name])

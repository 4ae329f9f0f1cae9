"""Commands typed as a message: the window does what needs it, the services the rest. None is sent to the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, Signal

from stemmata.domain.errors import KnownError
from stemmata.gui.composer.completion import CompletionList, Offered
from stemmata.gui.composer.view import Composer
from stemmata.gui.core.actions import Actions
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.window_context import Desk
from stemmata.gui.text.phrases import told
from stemmata.gui.theme.theme import Theme
from stemmata.services.chat.command_table import (
    COMMANDS,
    Choice,
    Command,
    Typed,
    UnknownCommandError,
    begun,
    command,
    typed,
)

CONTEXT = "Commands"


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP(CONTEXT, text))


HELP = {
    "status": _("What answers here, how full its window is, and what runs"),
    "new": _("Start another chat"),
    "clear": _("Start another chat; this one stays in the list"),
    "compact": _("Preview a compaction"),
    "prune": _("Leave old tool output out of the context"),
    "resume": _("Go on with another session: whole when it fits, else from its summary"),
    "abort": _("Stop the reply"),
    "tree": _("Go to the branches"),
    "fork": _("Fork this branch to a session of its own"),
    "label": _("Label where the session stands"),
    "name": _("Name the session"),
    "context": _("Show what the next request holds"),
    "model": _("Choose a model"),
    "think": _("Choose how much it thinks"),
    "export": _("Export the session"),
    "help": _("List the commands"),
}
ALWAYS = {"new": "new-chat", "clear": "new-chat", "prune": "prune", "abort": "stop", "context": "context-now"}
ALONE = {"compact": "compact", "resume": "palette", "model": "pick-model", "think": "pick-level", "export": "export"}


class CommandController(QObject):
    """The actions that commands stand for: ALWAYS, or ALONE where nothing is written behind them."""

    session_wanted = Signal(int)
    fork_requested = Signal(int)  # entry
    branches_requested = Signal()
    compact_requested = Signal(str)  # what the summary should keep in view

    def __init__(self, desk: Desk, theme: Theme, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._actions: Actions = desk.actions
        self._toast, self._theme, self._composer = desk.toast, theme, composer
        self._list: CompletionList | None = None
        self._choices_run = Run()
        composer.editor.textChanged.connect(self._offer)
        composer.editor.installEventFilter(self)
        self._acts: dict[str, Callable[[str], bool]] = {
            "help": self._help, "fork": self._fork, "tree": self._branches, "compact": self._compact,
        }  # fmt: skip

    @property
    def list(self) -> CompletionList:
        if self._list is None:
            self._list = CompletionList(self._theme, self._composer.window())
            self._list.chosen.connect(self._composer.editor.put)
            self._composer.editor.complete = self._list.on_key
        return self._list

    def run(self, text: str) -> bool:
        """Do what the message asks for; False where it is no command."""
        wanted = typed(text)
        if wanted is None:
            return False
        try:
            self._run(command(wanted.name), wanted, text)
        except UnknownCommandError as error:
            self._toast.tell(self._unknown(wanted.name, error.nearest))
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._composer.editor and event.type() == QEvent.Type.FocusOut and self._list is not None:
            self._list.hide()
        return False

    # -- completion -------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        text = self._composer.text
        self._choices_run.cancel()
        found = begun(text) if self._composer.editor.hasFocus() else ()
        if [f"/{spec.name}" for spec in found] == [text]:
            found = ()  # it is written out: Enter does it
        if found or self._list is not None:
            self.list.show_offered([_offered(spec) for spec in found], self._composer.editor)
        if " " in text and self._composer.editor.hasFocus():
            self._offer_choices(text)

    def _offer_choices(self, text: str) -> None:
        wanted = typed(text)
        spec = next((spec for spec in COMMANDS if wanted is not None and spec.name == wanted.name), None)
        if spec is not None and spec.choices:
            show = partial(self._on_choices, spec, text)
            self._bridge.when_done(self._services.commands.complete(text), show, run=self._choices_run)

    def _on_choices(self, spec: Command, text: str, choices: Sequence[Choice]) -> None:
        found = [Offered(f"/{spec.name} {choice.text}", choice.text, choice.help) for choice in choices]
        is_written = any(item.text == text.strip() for item in found)
        self.list.show_offered([] if is_written else found, self._composer.editor)

    # -- what they do -----------------------------------------------------------------------------------------

    def _run(self, spec: Command, wanted: Typed, text: str) -> None:
        action = ALWAYS.get(spec.name) or ("" if wanted.rest else ALONE.get(spec.name, ""))
        if spec.name in self._acts and self._acts[spec.name](wanted.rest):
            return
        if action:
            self._trigger(spec, action)
        else:
            answered = self._services.commands.run(self._opened.key, text, told)
            self._bridge.when_done(answered, lambda answer: self._on_answered(answer.session), self._on_failed)

    def _on_answered(self, session: int | None) -> None:
        if session is not None:
            self.session_wanted.emit(session)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, KnownError):
            self._toast.tell(str(error))
        else:
            self._bridge.failed.emit(error)

    def _trigger(self, spec: Command, action: str) -> None:
        if self._actions[action].isEnabled():
            self._actions[action].trigger()
        else:
            self._toast.tell(self.tr("There is nothing that /{0} could do now.").format(spec.name))

    def _unknown(self, name: str, nearest: str) -> str:
        if nearest:
            told = self.tr("There is no command {0}. Did you mean {1}? Nothing was sent.")
            return told.format(f"/{name}", f"/{nearest}")
        return self.tr("There is no command {0}. /help lists them. Nothing was sent.").format(f"/{name}")

    def _help(self, _rest: str) -> bool:
        """In the language of the window."""
        if self._opened.key is not None:
            text = "\n".join(f"- `{spec.usage}` {_help(spec)}" for spec in COMMANDS)
            self._bridge.when_done(self._services.runs.note(self._opened.key, text, "/help"), lambda _key: None)
        return True

    def _branches(self, _rest: str) -> bool:
        self.branches_requested.emit()
        return True

    def _fork(self, entry: str) -> bool:
        """Where the session stands; an entry that is named is left to the services."""
        session = self._opened.session
        if entry or session is None or session.leaf is None:
            return False
        self.fork_requested.emit(session.leaf)
        return True

    def _compact(self, focus: str) -> bool:
        if not focus:
            return False
        if self._actions["compact"].isEnabled():
            self.compact_requested.emit(focus)
        else:
            self._trigger(command("compact"), "compact")
        return True


def _offered(spec: Command) -> Offered:
    return Offered(f"/{spec.name} " if spec.takes else f"/{spec.name}", spec.usage, _help(spec))


def _help(spec: Command) -> str:
    return QCoreApplication.translate(CONTEXT, HELP[spec.name])

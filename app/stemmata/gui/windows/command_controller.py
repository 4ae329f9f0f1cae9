"""Commands typed as a message: done in the window at once, also while a reply comes, and never sent to the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QObject, Signal

from stemmata.gui.actions import Actions
from stemmata.gui.theme.theme import Theme
from stemmata.gui.views.composer import Composer
from stemmata.gui.views.composer_completion import CompletionList, Offered
from stemmata.gui.views.context_words import figure_text, tokens_text
from stemmata.gui.windows.desk import Desk

CONTEXT = "Commands"


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """`action` is the window's action that does the same; `takes` names what may be written behind the command."""

    name: str
    help: str
    action: str = ""
    takes: str = ""

    @property
    def usage(self) -> str:
        return f"/{self.name} [{self.takes}]" if self.takes else f"/{self.name}"


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP(CONTEXT, text))


_C = CommandSpec
COMMANDS = (
    _C("status", _("What answers here, how full its window is, and what runs")),
    _C("new", _("Start another chat"), "new-chat"),
    _C("clear", _("Start another chat; this one stays in the list"), "new-chat"),
    _C("compact", _("Preview a compaction"), "compact", "focus"),
    _C("prune", _("Leave old tool output out of the context"), "prune"),
    _C("resume", _("Open another session"), "palette", "session"),
    _C("abort", _("Stop the reply"), "stop"),
    _C("tree", _("Go to the branches")),
    _C("fork", _("Fork this branch to a session of its own")),
    _C("label", _("Label where the session stands"), "", "text"),
    _C("name", _("Name the session"), "", "text"),
    _C("context", _("Show what the next request holds"), "context-now"),
    _C("model", _("Choose a model"), "pick-model"),
    _C("think", _("Choose how much it thinks"), "pick-level", "level"),
    _C("export", _("Export the session"), "export"),
    _C("help", _("List the commands")),
)


class CommandController(QObject):
    """Answers are kept as notes beside the conversation: they are never sent."""

    session_wanted = Signal(str)  # by name, as the palette finds it
    fork_requested = Signal(int)  # entry
    branches_requested = Signal()
    compact_requested = Signal(str)  # what the summary should keep in view

    def __init__(self, desk: Desk, theme: Theme, composer: Composer) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = desk.services, desk.bridge, desk.opened
        self._actions: Actions = desk.actions
        self._toast, self._theme, self._composer = desk.toast, theme, composer
        self._list: CompletionList | None = None
        composer.editor.textChanged.connect(self._offer)
        composer.editor.installEventFilter(self)
        self._acts: dict[str, Callable[[str], object]] = {
            "status": self._tell_status, "help": self._tell_help, "fork": self._fork, "label": self._label,
            "name": self._name, "tree": lambda _text: self.branches_requested.emit(), "think": self._think,
            "resume": self._resume, "compact": self._compact,
        }  # fmt: skip

    @property
    def list(self) -> CompletionList:
        if self._list is None:
            self._list = CompletionList(self._theme, self._composer.window())
            self._list.chosen.connect(self._composer.editor.put)
            self._composer.editor.complete = self._list.on_key
        return self._list

    def run(self, text: str) -> bool:
        """Do what the message asks for; False where it is no command: a path, or two lines."""
        name, _space, rest = text.strip().partition(" ")
        if not name.startswith("/") or not name[1:].isalpha() or "\n" in text.strip():
            return False
        spec = next((spec for spec in COMMANDS if spec.name == name[1:].lower()), None)
        if spec is None:
            self._toast.tell(self.tr("There is no command {0}. /help lists them. Nothing was sent.").format(name))
        elif spec.name in self._acts:
            self._acts[spec.name](rest.strip())
        else:
            self._trigger(spec)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._composer.editor and event.type() == QEvent.Type.FocusOut and self._list is not None:
            self._list.hide()
        return False

    # -- completion -------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        text = self._composer.text
        is_typed = self._composer.editor.hasFocus() and text.startswith("/") and " " not in text and "\n" not in text
        found = [spec for spec in COMMANDS if is_typed and spec.name.startswith(text[1:].lower())]
        if [f"/{spec.name}" for spec in found] == [text]:
            found = []  # it is written out: Enter does it
        if found or self._list is not None:
            self.list.show_offered([_offered(spec) for spec in found], self._composer.editor)

    # -- what they do -----------------------------------------------------------------------------------------

    def _trigger(self, spec: CommandSpec) -> None:
        action = self._actions[spec.action]
        if action.isEnabled():
            action.trigger()
        else:
            self._toast.tell(self.tr("There is nothing that /{0} could do now.").format(spec.name))

    def _note(self, text: str, command: str) -> None:
        if self._opened.key is not None:
            self._bridge.when_done(self._services.runs.note(self._opened.key, text, command), lambda _key: None)

    def _tell_status(self, _text: str) -> None:
        opened = self._opened
        if opened.skeleton is None or opened.key is None:
            return
        view, state = opened.context(opened.leaf), self._services.runs.state(opened.key)
        window = "—" if view.budget.window is None else tokens_text(view.budget.window)
        lines = (
            self.tr("Model: {0}").format(view.projection.model or "—"),
            self.tr("Thinking: {0}").format(view.projection.level),
            self.tr("Next request: {0} of {1} tokens").format(figure_text(view.breakdown.total), window),
            self.tr("Run: {0}").format(state.phase.value),
        )
        self._note("\n".join(f"- {line}" for line in lines), "/status")

    def _tell_help(self, _text: str) -> None:
        self._note("\n".join(f"- `{spec.usage}` {_translated(spec.help)}" for spec in COMMANDS), "/help")

    def _fork(self, _text: str) -> None:
        session = self._opened.session
        if session is not None and session.leaf is not None:
            self.fork_requested.emit(session.leaf)

    def _label(self, text: str) -> None:
        session = self._opened.session
        if session is not None and session.leaf is not None:
            future = self._services.branching.label(session.key, session.leaf, text)
            self._bridge.when_done(future, lambda _done: None)

    def _name(self, text: str) -> None:
        if text and self._opened.key is not None:
            self._bridge.when_done(self._services.sessions.rename(self._opened.key, text), lambda _done: None)

    def _think(self, level: str) -> None:
        if level and self._opened.key is not None:
            self._bridge.when_done(self._services.runs.pick_level(self._opened.key, level), lambda _key: None)
        else:
            self._actions["pick-level"].trigger()

    def _compact(self, focus: str) -> None:
        if focus and self._actions["compact"].isEnabled():
            self.compact_requested.emit(focus)
        else:
            self._trigger(next(spec for spec in COMMANDS if spec.name == "compact"))

    def _resume(self, name: str) -> None:
        if name:
            self.session_wanted.emit(name)
        else:
            self._actions["palette"].trigger()


def _offered(spec: CommandSpec) -> Offered:
    return Offered(f"/{spec.name} " if spec.takes else f"/{spec.name}", spec.usage, _translated(spec.help))


def _translated(text: str) -> str:
    return QCoreApplication.translate(CONTEXT, text)

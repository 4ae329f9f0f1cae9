"""Show and pick the model and the thinking level of the next request. Picks are stored as entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QSettings, Signal
from PySide6.QtWidgets import QWidget

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.gui.composer.model_popup import PickPopup, PickRow
from stemmata.gui.composer.pickers import ModelChoice
from stemmata.gui.composer.view import Composer
from stemmata.gui.composer.words import level_text
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.settings.connection_controller import ConnectionController
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import dollars, number, tokens_text
from stemmata.services.chat.requests import NoModelError, model_of


def tr(text: str) -> str:
    """Translate a text of the model list."""
    return QCoreApplication.translate("Models", text)


def window_note(known: Model | None, offered: OfferedModel | None) -> str:
    """Return `200k`; `≤ 131k` for the maximum of a model that is not loaded; `—` when the window is unknown."""
    if known is None or known.window is None:
        return "—"
    return f"≤ {tokens_text(known.window)}" if _is_bound(known, offered) else tokens_text(known.window)


def model_hint(known: Model | None, offered: OfferedModel | None) -> str:
    """Return window and prices with their sources, one per line; "" when nothing is known."""
    if known is None:
        return ""
    lines = []
    if known.window is not None:
        lines.append(_window_text(known, offered))
    if known.input_price is not None and known.output_price is not None:
        told = offered is not None and offered.input_price == known.input_price
        text = tr("{0} in, {1} out per million tokens (reported by the server)")
        text = text if told else tr("{0} in, {1} out per million tokens (catalogue or settings)")
        lines.append(text.format(dollars(known.input_price), dollars(known.output_price)))
    return "\n".join(lines)


def _window_text(known: Model, offered: OfferedModel | None) -> str:
    assert known.window is not None
    if offered is None or offered.window != known.window:
        text = tr("Context window of {0} tokens (catalogue or settings)")
    elif offered.is_bound:
        text = tr("Context window of at most {0} tokens; the server may load the model with a smaller window")
    else:
        text = tr("Context window of {0} tokens (reported by the server)")
    return text.format(number(known.window))


def _is_bound(known: Model, offered: OfferedModel | None) -> bool:
    return offered is not None and offered.is_bound and offered.window == known.window


RECENT = "chat/recent_models"
MOST_RECENT = 5
LEVELS = ("off", "low", "medium", "high")  # levels of servers that report none


class PickerController(QObject):
    """Manage the choice of model and level. `settings` stores the recently picked models."""

    connection_changed = Signal(str)  # name of the open session's connection, "" for none

    def __init__(
        self,
        shared: WindowContext,
        theme: Theme,
        composer: Composer,
        connections: ConnectionController,
        settings: QSettings,
    ) -> None:
        super().__init__(composer)
        self._services, self._bridge, self._opened = shared.services, shared.bridge, shared.opened
        self._theme, self._composer, self._connections, self._settings = theme, composer, connections, settings
        self._offered: dict[str, tuple[OfferedModel, ...]] = {}  # by connection
        self._problems: dict[str, str] = {}
        self._unlisted: set[str] = set()  # connections without a stored list of models
        self._asked: dict[str, Future[tuple[OfferedModel, ...]]] = {}  # the answers of their servers, once asked
        self._models: PickPopup | None = None
        self._levels: PickPopup | None = None
        self._take: Callable[[str, str], None] = self._on_model  # receives the picked connection and model
        self._named = self._level = ""  # model (`provider/model`) and thinking level at the end of the shown path
        self._picked: _PickedLevel | None = None  # until a tree with it has been read
        self._awaited_step: Callable[[object], None] | None = None  # to the next level, once the server has answered
        self.choice = ModelChoice()
        self._opened.started.connect(self._on_started)
        self._opened.tree_read.connect(self._on_tree_read)
        self._opened.view_changed.connect(self._on_view_changed)
        connections.changed.connect(self._show_choice)
        connections.changed.connect(self._recall)
        composer.foot.model_requested.connect(self.pick_model)
        composer.foot.level_requested.connect(self.pick_level)

    @property
    def models(self) -> PickPopup:
        """The popup for models, created on first use."""
        if self._models is None:
            self._models = PickPopup(self._theme, self._composer.window(), "modelPopup")
            self._models.picked.connect(self._on_picked)
        return self._models

    @property
    def levels(self) -> PickPopup:
        """The popup for thinking levels, created on first use."""
        if self._levels is None:
            self._levels = PickPopup(self._theme, self._composer.window(), "levelPopup")
            self._levels.picked.connect(self._on_level)
        return self._levels

    # -- current choice -------------------------------------------------------------------------------------

    def _recall(self) -> None:
        """Load the stored model lists, which tell the composer whether a model can think."""
        for connection in self._connections.connections:
            if connection.name not in self._offered:
                future = self._services.connecting.known(connection.name)
                self._bridge.when_done(future, partial(self._on_known, connection.name))

    def _on_known(self, connection: str, models: tuple[OfferedModel, ...]) -> None:
        if connection in self._offered:
            return
        if models:
            self._offered[connection] = models
        else:
            self._unlisted.add(connection)
        self._refresh()

    def _ask_unlisted(self) -> None:
        """Ask the server of the chosen connection for its models, once, unless a stored list is known.

        Asking loads the provider's SDK, which takes up to 55 MB, so it is done only when something needs the answer.
        """
        connection = self.choice.connection
        is_usable = any(each.name == connection for each in self._connections.connections)
        if is_usable and connection not in self._offered and connection not in self._asked:
            future = self._asked[connection] = self._services.connecting.models(connection)
            self._bridge.when_done(future, partial(self._on_known, connection), lambda _error: None)

    def _on_started(self) -> None:
        self._picked = None
        self._read_choice()

    def _on_tree_read(self) -> None:
        if self._picked is not None and self._picked.is_stored:
            self._picked = None
        self._read_choice()

    def _on_view_changed(self) -> None:
        if not self._opened.is_at_leaf:
            self._picked = None  # it is not the level of the path that is shown now
        self._read_choice()

    def _read_choice(self) -> None:
        self._named = self._level = ""
        if self._opened.session_tree is not None:
            projection = self._opened.context(self._opened.end).projection
            self._named, self._level = projection.model, projection.level
        self._show_choice()

    def _show_choice(self) -> None:
        self.choice = self._found()
        self._composer.show_choice(self.choice)
        self.connection_changed.emit(self.choice.connection)
        if self._needs_window():
            self._ask_unlisted()

    def _needs_window(self) -> bool:
        """Whether the context window of the session's model is known only to its server."""
        choice = self.choice
        if self._opened.session_tree is None or not choice.model or choice.connection not in self._unlisted:
            return False  # until the tree is read, the choice is the connection's own model
        return self._services.catalogue.window(f"{choice.connection}/{choice.model}") is None

    def _found(self) -> ModelChoice:
        if self._opened.key is None or not self._connections.is_connected:
            return ModelChoice(connected=self._connections.is_connected)
        provider, _, model = self._named.partition("/")
        level = self._level if self._picked is None else self._picked.level
        connection = self._connections.connection_for(provider)
        if connection is None:  # the session's connection is unusable; sending reports the reason
            return ModelChoice(True, provider, model, level)
        name = _asked(connection, provider, model)
        offered = self._find(connection.name, name)
        thinks = offered is None or offered.thinks is not False
        return ModelChoice(True, connection.name, name, level, thinks)

    def _find(self, connection: str, model: str) -> OfferedModel | None:
        return next((item for item in self._offered.get(connection, ()) if item.id == model), None)

    # -- models -----------------------------------------------------------------------------------------------

    def pick_model(self) -> None:
        """Let the user pick the session's model."""
        self.ask_model(_above(self._composer.foot.model), self._on_model)

    def ask_model(self, at: QPoint, take: Callable[[str, str], None]) -> None:
        """Open the model list and complete it as servers respond. `take` receives connection and model."""
        self._take = take
        if not self._connections.is_connected:
            self._connections.show()
            return
        self.models.ask(at, self._rows(), hint=self.tr("Filter models"))
        for connection in self._connections.connections:
            future = self._services.connecting.models(connection.name)
            self._bridge.when_done(
                future, partial(self._on_offered, connection.name), partial(self._on_unreachable, connection.name)
            )

    def _on_offered(self, connection: str, models: tuple[OfferedModel, ...]) -> None:
        self._offered[connection] = models
        self._problems.pop(connection, None)
        self._refresh()

    def _on_unreachable(self, connection: str, error: Exception) -> None:
        self._problems[connection] = translate_phrase(str(error))
        self._refresh()

    def _refresh(self) -> None:
        if self._models is not None and self._models.isVisible():
            self._models.show_rows(self._rows(), "\n".join(self._problems.values()))
        self._show_choice()
        if self._levels is not None and self._levels.isVisible():
            self._levels.show_rows(self._level_rows())

    def _rows(self) -> list[PickRow]:
        many = len(self._connections.connections) > 1
        rows = [self._row(name, model, self.tr("Recent"), of=name if many else "") for name, model in self._recent()]
        for connection in self._connections.connections:
            offered = [item.id for item in self._offered.get(connection.name, ())]
            named = [connection.model] if connection.model and connection.model not in offered else []
            rows += [self._row(connection.name, model, connection.name) for model in (*named, *offered)]
        return rows

    def _row(self, connection: str, model: str, group: str, of: str = "") -> PickRow:
        """Return a row. `of` is the connection's name when the heading does not show it."""
        is_current = (connection, model) == (self.choice.connection, self.choice.model)
        known, offered = self._services.catalogue.find(f"{connection}/{model}"), self._find(connection, model)
        text = f"{model} · {of}" if of else model
        return PickRow(
            (connection, model), text, window_note(known, offered), group, is_current, model_hint(known, offered)
        )

    def _recent(self) -> list[tuple[str, str]]:
        stored = self._settings.value(RECENT)
        texts = stored if isinstance(stored, list) else [stored] if isinstance(stored, str) else []
        names = {connection.name for connection in self._connections.connections}
        pairs = [(connection, model) for connection, _, model in (str(text).partition("/") for text in texts)]
        return [(connection, model) for connection, model in pairs if connection in names and model]

    def _on_picked(self, value: object) -> None:
        if isinstance(value, tuple):
            recent = [value, *(pair for pair in self._recent() if pair != value)][:MOST_RECENT]
            self._settings.setValue(RECENT, ["/".join(pair) for pair in recent])
            self._take(*value)

    def _on_model(self, connection: str, model: str) -> None:
        session = self._opened.key
        if session is None:
            return
        self._awaited_step = None
        self._opened.follow_leaf()
        self._bridge.when_done(self._services.runs.pick_model(session, connection, model), lambda _key: None)

    # -- thinking ---------------------------------------------------------------------------------------------

    def pick_level(self) -> None:
        """Let the user pick the thinking level."""
        self._ask_unlisted()
        self.levels.ask(_above(self._composer.foot.level), self._level_rows(), hint=self.tr("Thinking level"))

    def _level_rows(self) -> list[PickRow]:
        return [
            PickRow(level, level_text(level), is_current=level == self.choice.level)
            for level in self._available_levels()
        ]

    def next_level(self) -> None:
        """Take the next thinking level of the model; after the last one, the first.

        If no list of models is stored, the levels are known only when the server has answered. Until then, one step
        waits, however often it is requested. It is dropped when the user chooses something else.
        """
        self._ask_unlisted()
        asked = self._asked.get(self.choice.connection)
        if asked is None or self.choice.connection in self._offered:
            self._take_next_level()
            return
        is_here, before = self._opened.selection_check(), self._next_request()

        def step(_answer: object) -> None:
            if self._awaited_step is step and is_here() and self._next_request() == before:
                self._take_next_level()

        self._awaited_step = step
        self._bridge.when_done(asked, step, step)

    def _next_request(self) -> tuple[str, str, str]:
        """Return the connection, model and level of the next request."""
        return self.choice.connection, self.choice.model, self.choice.level

    def _take_next_level(self) -> None:
        levels = self._available_levels()
        if self.choice.thinks:
            at = levels.index(self.choice.level) if self.choice.level in levels else 0
            self._on_level(levels[(at + 1) % len(levels)])

    def _available_levels(self) -> Sequence[str]:
        """Return the thinking levels that can be chosen."""
        offered = self._find(self.choice.connection, self.choice.model)
        levels: Sequence[str] = ("off", *offered.levels) if offered is not None and offered.levels else LEVELS
        if self.choice.level not in ("", *levels):
            levels = (*levels, self.choice.level)  # a number of tokens, or a level of another model
        return levels

    def _on_level(self, value: object) -> None:
        """Store a picked level. It is shown at once, and the next step begins with it."""
        if self._opened.key is not None:
            self._awaited_step = None
            self._opened.follow_leaf()
            picked = self._picked = _PickedLevel(str(value))
            stored = self._services.runs.pick_level(self._opened.key, picked.level)
            self._bridge.when_done(stored, picked.on_stored, partial(self._on_level_refused, picked))
            self._show_choice()

    def _on_level_refused(self, picked: _PickedLevel, error: Exception) -> None:
        if self._picked is picked:
            self._picked = None
            self._show_choice()
        self._bridge.failed.emit(error)


@dataclass
class _PickedLevel:
    """A thinking level that was picked. Trees arrive in the order in which they are read, so the first one that
    arrives after the level was stored has it.
    """

    level: str
    is_stored: bool = False

    def on_stored(self, _key: int) -> None:
        """Take note that the level is in the archive."""
        self.is_stored = True


def _asked(connection: Connection, provider: str, model: str) -> str:
    """Return the model that a run would use; "" for none."""
    try:
        return model_of(connection, provider, model)
    except NoModelError:
        return ""


def _above(widget: QWidget) -> QPoint:
    return widget.mapToGlobal(QPoint(0, 0))

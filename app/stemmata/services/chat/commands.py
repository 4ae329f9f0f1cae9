"""Commands typed as a message: done at once, also while a reply comes, and never sent to the model."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.domain.entries.session_facts import Skeleton
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.model_abilities import THINKING_LEVELS
from stemmata.domain.text.phrases import Phrase, joined, template
from stemmata.services.chat import command_words as words
from stemmata.services.chat.branch_tip import speaks
from stemmata.services.chat.command_table import Choice, Typed, command, typed
from stemmata.services.compaction.compaction import CompactionRequest
from stemmata.services.context.contexts import SessionFacts, facts_of
from stemmata.services.futures import aside, then
from stemmata.services.ports.archive import Archive, ArchiveReader

if TYPE_CHECKING:
    from stemmata.services.services import Services

NEEDS_SESSION = template("There is no session yet that /{0} could be about. /new starts one.")
FAR_BACK = 200  # entries that are looked through for one that speaks


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answers. `session` is to be opened, None for staying; `note` is where the text is kept."""

    command: str
    text: str
    session: int | None = None
    note: int | None = None


class Commands:
    """What a command says is kept as a note beside the conversation, in the session where one goes on."""

    def __init__(self, services: Services, archive: Archive) -> None:
        self._services, self._archive = services, archive
        self._acts: dict[str, Callable[[int, str], Answer]] = {
            "status": self._status, "compact": self._compact, "prune": self._prune, "abort": self._abort,
            "tree": self._tree, "fork": self._fork, "label": self._label, "name": self._name,
            "context": self._context, "model": self._model, "think": self._think, "export": self._export,
        }  # fmt: skip

    def run(self, session: int | None, text: str, say: Callable[[str], str] = str) -> Future[Answer]:
        """Fails with UnknownCommandError, or with the KnownError of what the command does; nothing is noted then.

        `session` is the one it is about, None before there is any. A text that is no command is a mistake of the
        caller: see `command_table.typed`. `say` tells the answer in the language in which the note is kept.
        """
        wanted = typed(text)
        assert wanted is not None, "this is a message"
        return aside(lambda: self._noted(session, self._run(session, wanted), say))

    def facts(self, session: int) -> Future[SessionFacts]:
        """What /status tells of a session."""
        return self._archive.read(lambda reader: facts_of(reader, self._services.contexts, session))

    def complete(self, text: str) -> Future[tuple[Choice, ...]]:
        """What may be written behind the command, of that which fits what is written there."""
        wanted = typed(text)
        if wanted is None:
            return aside(tuple)
        begun = wanted.rest.lower()
        choices = self._choices(command(wanted.name).choices)
        return then(choices, lambda found: tuple(choice for choice in found if choice.fits(begun)))

    def _choices(self, kind: str) -> Future[tuple[Choice, ...]]:

        services = self._services
        if kind == "sessions":
            return then(services.sessions.all(), lambda found: tuple(Choice(s.id, s.title) for s in found))
        if kind == "models":
            found = services.connecting.connections()
            return then(
                found, lambda known: tuple(Choice(f"{c.name}/{c.model}" if c.model else c.name) for c in known)
            )
        fixed = services.exporting.names if kind == "formats" else THINKING_LEVELS if kind == "levels" else ()
        return aside(lambda: tuple(map(Choice, fixed)))

    # -- in a thread of its own -------------------------------------------------------------------------------

    def _run(self, session: int | None, wanted: Typed) -> Answer:
        name = command(wanted.name).name
        if name == "help":
            return Answer(name, words.helped())
        if name in ("new", "clear"):
            return Answer(name, "", self._services.runs.new_session().result().key)
        if name == "resume":
            return self._resume(wanted.rest)
        if session is None:
            raise NothingToDoError(Phrase(NEEDS_SESSION, name))
        return self._acts[name](session, wanted.rest)

    def _noted(self, session: int | None, answer: Answer, say: Callable[[str], str]) -> Answer:
        answer = replace(answer, text=say(answer.text) if answer.text else "")
        place = session if answer.session is None else answer.session
        if place is None or not answer.text:
            return answer
        return replace(answer, note=self._services.runs.note(place, answer.text, f"/{answer.command}").result())

    def _status(self, session: int, _rest: str) -> Answer:
        phase = self._services.runs.state(session).phase
        return Answer("status", words.status(self.facts(session).result(), phase))

    def _context(self, session: int, _rest: str) -> Answer:
        skeleton = self._skeleton(session)
        view = self._services.contexts.seen(skeleton, skeleton.tree.get(skeleton.session.leaf))
        return Answer("context", words.context(view))

    def _compact(self, session: int, focus: str) -> Answer:
        request = CompactionRequest(session=session, leaf=self._leaf(session, "compact"), focus=focus)
        compactions = self._services.compaction
        apart = self._services.contexts.settings.strategy == "new-session"
        run = compactions.run_in_new_session if apart else compactions.run
        done = run(self._services.summary_writing.written(request)).result()
        return Answer("compact", words.compacted(done), done.session)

    def _prune(self, session: int, _rest: str) -> Answer:
        plan, key = self._services.pruning.run(session, self._leaf(session, "prune")).result()
        skeleton = self._skeleton(session)
        return Answer("prune", words.pruned(plan, self._services.contexts.seen(skeleton, skeleton.tree.index(key))))

    def _resume(self, name: str) -> Answer:
        if not name:
            raise NothingToDoError("Say which session: /resume and its id, the beginning of it, or latest.")
        found = self._services.sessions.find(name).result()
        resumed = self._services.resuming.resume(found.key).result()
        more = [] if resumed.compaction is None else [words.compacted(resumed.compaction)]
        return Answer("resume", joined("\n\n", [resumed.told, *more]), resumed.session)

    def _abort(self, session: int, _rest: str) -> Answer:
        runs = self._services.runs
        was_busy = runs.state(session).is_busy
        runs.stop(session).result()
        told, nothing = Phrase("Stopped. What had come of the reply is kept."), Phrase("There is no reply under way.")
        return Answer("abort", told if was_busy else nothing)

    def _tree(self, session: int, _rest: str) -> Answer:
        skeleton = self._skeleton(session)
        previews = self._services.entries.previews(session).result()
        ids = self._services.entries.ids(session).result()
        tree = skeleton.tree
        return Answer("tree", words.branches(tree, tree.get(skeleton.session.leaf), previews, ids))

    def _fork(self, session: int, id: str) -> Answer:
        services = self._services
        at = services.entries.key(session, id).result() if id else self._leaf(session, "fork")
        forked = services.branching.fork(session, at).result()
        return Answer("fork", Phrase("Forked from {0}.", services.sessions.get(session).result().id), forked.key)

    def _label(self, session: int, text: str) -> Answer:
        entry = self._archive.read(lambda reader: _spoken(reader, session)).result()
        if entry is None:
            raise NothingToDoError("Nothing was said yet: there is nothing to label.")
        self._services.branching.label(session, entry, text).result()
        return Answer("label", Phrase("Labelled “{0}”.", text) if text else Phrase("The label is gone."))

    def _name(self, session: int, text: str) -> Answer:
        if text:
            self._services.sessions.rename(session, text).result()
        name = self._services.sessions.get(session).result().title
        told = Phrase("The session is called “{0}”.", name) if name else Phrase("The session has no name.")
        return Answer("name", told)

    def _model(self, session: int, name: str) -> Answer:
        services = self._services
        if not name:
            skeleton = self._skeleton(session)
            model = services.contexts.at(skeleton, skeleton.tree.get(skeleton.session.leaf)).projection.model
            offered = "\n".join(f"- `{choice.text}`" for choice in self._choices("models").result())
            return Answer("model", joined("\n", [Phrase("Model: {0}", model or "—"), *filter(None, [offered])]))
        known = {connection.name: connection for connection in services.connecting.connections().result()}
        first, _, model = name.partition("/")
        if first not in known:  # a model, at the connection that is asked when nobody says otherwise
            first, model = services.chat.default_connection or next(iter(known), ""), name
        if first not in known:
            raise KnownError("No model is connected. `stemmata` shows how to connect one.")
        model = model or known[first].model
        services.runs.pick_model(session, first, model).result()
        return Answer("model", Phrase("Model: {0}", f"{first}/{model}"))

    def _think(self, session: int, level: str) -> Answer:

        if level and level not in THINKING_LEVELS:
            raise KnownError(Phrase("There is no level “{0}”. There is: {1}.", level, ", ".join(THINKING_LEVELS)))
        if level:
            self._services.runs.pick_level(session, level).result()
        skeleton = self._skeleton(session)
        view = self._services.contexts.at(skeleton, skeleton.tree.get(skeleton.session.leaf))
        return Answer("think", Phrase("Thinking: {0}", view.projection.level))

    def _export(self, session: int, rest: str) -> Answer:
        format, _, file = rest.partition(" ")
        names = self._services.exporting.names
        if format not in names or not file.strip():
            raise KnownError(
                Phrase(
                    "Say in which format and where to: /export {0} FILE. There is: {1}.", names[0], ", ".join(names)
                )
            )
        path = Path(file.strip()).expanduser().absolute()
        if os.path.lexists(path):
            raise KnownError(Phrase("{0} is there already. Nothing was written.", path))
        size = self._services.exporting.to_file(session, format, path).result()
        return Answer("export", Phrase("{0}: {1} bytes written.", path, size))

    def _skeleton(self, session: int) -> Skeleton:
        return self._services.sessions.open(session).result()

    def _leaf(self, session: int, name: str) -> int:
        leaf = self._services.sessions.get(session).result().leaf
        if leaf is None:
            raise NothingToDoError(Phrase("The session is empty: there is nothing that /{0} could do.", name))
        return leaf


def _spoken(reader: ArchiveReader, session: int) -> int | None:
    """Key of the last entry on the active path that is a part of the conversation."""

    leaf = reader.session(session).leaf
    keys = [] if leaf is None else reader.tail(leaf, FAR_BACK)
    rows = reader.rows(keys)
    return next((key for key in reversed(keys) if speaks(rows[key])), None)

"""Slash commands. They run at once, even while a reply streams, and are never sent to the model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from stemmata.domain.chat.connections import connection_for
from stemmata.domain.chat.conversations import kept_policy
from stemmata.domain.chat.run import Phase
from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.model_abilities import THINKING_LEVELS, checked_level
from stemmata.domain.sessions.details import (
    VERBOSITIES,
    conversation_key,
    conversation_of,
    is_compacted_by_hand,
    verbosity_of,
)
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.domain.settings.settings import ChatSettings, CompactionSettings
from stemmata.domain.text.phrases import Phrase, joined, plural_phrase, template
from stemmata.services.chat.command_table import COMMANDS, Completion, TypedCommand, command, typed
from stemmata.services.chat.compaction_notices import (
    compacted_by,
    cost_text,
    count_text,
    figure_text,
    listed,
    noted,
    pruned,
    settings_told,
    share_text,
)
from stemmata.services.chat.resuming import Resuming
from stemmata.services.chat.run_store import is_conversation
from stemmata.services.chat.runs import Runs
from stemmata.services.chat.skills import SessionSkills, Skills, SkillState, file_trouble
from stemmata.services.chat.summary_writing import SummaryWriting
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.model_compaction import checked_summariser, summaries_by
from stemmata.services.compaction.pruning import Pruning
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.context.contexts import Contexts, ContextView, SessionFacts, facts_of
from stemmata.services.futures import run_in_thread, then
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.sessions.branching import Branching
from stemmata.services.sessions.conversations import Conversations
from stemmata.services.sessions.exporting import Exporting
from stemmata.services.sessions.sessions import Entries, Sessions
from stemmata.services.settings.connecting import Connecting

NOT_THERE = template(
    "This session uses “{0}”, but no connection has that name. Name the connection as well: /model CONNECTION/MODEL."
)
MOST_TIPS = 20


def skills_listed(skills: SessionSkills) -> Phrase:
    """Return the answer of `/skills`: every skill with its description, the active ones first, then the problems."""
    if not skills.folders and not skills.states:
        return Phrase("No folder of skills is chosen. Choose one in the settings, under Chat.")
    lines: list[str] = [_skill_line(state) for state in skills.states]
    lines += [Phrase("- Problem: {0} {1}", problem.path, problem.text) for problem in skills.problems]
    return joined("\n", lines) if lines else Phrase("The chosen folders hold no skills.")


def _skill_line(state: SkillState) -> Phrase:
    if not state.is_active:
        return Phrase("- `{0}` {1}", state.name, state.description)
    by = Phrase("active, by a message") if state.by_prompt else Phrase("active")
    one, many = template("- **{0}** ({1}, ≈ {2} token) {3}"), template("- **{0}** ({1}, ≈ {2} tokens) {3}")
    line = plural_phrase(one, many, state.tokens, state.name, by, state.tokens, state.description)
    trouble = file_trouble(state)
    return line if trouble is None else joined(" ", [line, trouble])


def skill_switched(state: SkillState) -> Phrase:
    """Return the answer to switching a skill."""
    if state.is_active:
        one = template("Skill “{0}” activated: ≈ {1} token in the system prompt.")
        many = template("Skill “{0}” activated: ≈ {1} tokens in the system prompt.")
        return plural_phrase(one, many, state.tokens, state.name, state.tokens)
    return Phrase("Skill “{0}” deactivated.", state.name)


def helped() -> str:
    """Return the list of commands for `/help`."""
    return "\n".join(f"- `{command.usage}` {command.help}" for command in COMMANDS)


def status(facts: SessionFacts, phase: Phase, place: str, settings: CompactionSettings) -> Phrase:
    """Return the answer of `/status`. `place` is the path of the archive's file."""
    path, whole = facts.path, facts.whole
    hits = "—" if path.cache_hits is None else Phrase("{0}% read", round(100 * path.cache_hits))
    return listed(
        Phrase("Model: {0}", facts.view.projection.model or "—"),
        Phrase("Thinking: {0}", facts.view.projection.level),
        Phrase("Context: {0}", share_text(facts.view.breakdown.total, facts.view.budget.window)),
        Phrase("Compactions: {0}", facts.session.compactions),
        automatic(facts),
        *settings_told(settings),
        Phrase("Tokens of the active path: {0} in / {1} out", count_text(path.sent), count_text(path.output)),
        Phrase("Tokens of all branches: {0} in / {1} out", count_text(whole.sent), count_text(whole.output)),
        Phrase("Cache: {0}", hits),
        Phrase("Cost: {0}", cost_text(facts.session.cost)),
        Phrase("Run: {0}", phase_text(phase)),
        Phrase("Verbosity: {0}", verbosity_of(facts.session.details)),
        Phrase("Conversation: {0}", conversation_key(facts.session.details) or "—"),
        *_gateway_facts(facts.session),
        Phrase("Archive: {0}", place),
    )


def _gateway_facts(session: Session) -> Iterator[Phrase]:
    """Yield the facts that a gateway's index has about a session, and the file that the session was imported from."""
    of, policy = conversation_of(session.details), kept_policy(session.details)
    for name, words in GATEWAY_FACTS.items():
        if isinstance(of.get(name), str | int):
            yield Phrase(words, str(of[name]))
    if policy is not None and policy.hour is not None:
        yield Phrase("Reset in the gateway: daily at {0}:00", policy.hour)
    if policy is not None and policy.idle_minutes is not None:
        one = template("Reset in the gateway: after {0} minute without messages")
        many = template("Reset in the gateway: after {0} minutes without messages")
        yield plural_phrase(one, many, policy.idle_minutes, policy.idle_minutes)
    if session.path:
        yield Phrase("Source file: {0}", session.path)


GATEWAY_FACTS = {  # keys: the names of the facts in a gateway's index
    "reasoningLevel": template("Reasoning in the gateway: {0}"),
    "elevatedLevel": template("Elevated rights in the gateway: {0}"),
    "sendPolicy": template("Sending in the gateway: {0}"),
    "compactionCount": template("Compactions in the gateway: {0}"),
}


def told_of_verbosity(level: str) -> Phrase:
    """Return the meaning of a verbosity level in words."""
    words = {
        "off": Phrase("Verbosity: off. Notices of automatic compactions and tool calls are left out."),
        "on": Phrase("Verbosity: on. Notices of automatic compactions and tool calls are shown."),
        "full": Phrase("Verbosity: full. The output of tools is shown as well."),
    }
    return words[level]


def automatic(facts: SessionFacts) -> Phrase:
    """Return whether the session is compacted automatically."""
    if facts.is_automatic:
        return Phrase("Automatic compaction: on")
    if is_compacted_by_hand(facts.session.details):
        return Phrase("Automatic compaction: off for this session")
    return Phrase("Automatic compaction: off in the settings")


def phase_text(phase: Phase) -> Phrase:
    """Return the state of a run in one to four words."""
    words = {
        Phase.IDLE: Phrase("idle"),
        Phase.PREPARING: Phrase("preparing"),
        Phase.COMPACTING: Phrase("compacting"),
        Phase.WAITING: Phrase("waiting for the model"),
        Phase.STREAMING: Phrase("streaming"),
        Phase.TOOLS: Phrase("running tools"),
        Phase.ASKING: Phrase("waiting for consent"),
        Phase.RETRYING: Phrase("retrying"),
        Phase.STOPPING: Phrase("stopping"),
        Phase.INTERRUPTED: Phrase("interrupted"),
        Phase.FAILED: Phrase("failed"),
    }
    return words[phase]


def context(view: ContextView) -> Phrase:
    """Return the answer of `/context`."""
    total = Phrase("📊 Context: {0}", share_text(view.breakdown.total, view.budget.window))
    rows = [
        Phrase("{0}: {1}", CATEGORIES[category], figure_text(figure))
        for category, figure in view.breakdown.categories.items()
        if figure.value
    ]
    return joined("\n", [total, *([listed(*rows)] if rows else [])])


CATEGORIES = {
    Category.SYSTEM: Phrase("System"),
    Category.TOOL_DEFINITIONS: Phrase("Tool definitions"),
    Category.SUMMARIES: Phrase("Summaries"),
    Category.USER: Phrase("User"),
    Category.ASSISTANT: Phrase("Assistant"),
    Category.THINKING: Phrase("Thinking"),
    Category.TOOL_CALLS: Phrase("Tool calls"),
    Category.TOOL_RESULTS: Phrase("Tool results"),
    Category.IMAGES: Phrase("Images"),
    Category.MEMORY: Phrase("Memory"),
    Category.SKILLS: Phrase("Skills"),
}


def branches(tree: Tree, leaf: int | None, previews: Sequence[str], ids: Sequence[str]) -> Phrase:
    """Return the answer of `/branches`: the last entry of every branch outside the trash, newest first."""
    tips = sorted(tree.kept_leaves(leaf), key=tree.columns.time.__getitem__)
    active = set(tree.path(leaf))
    shown = [
        joined("", ["- ", *([Phrase("**here** ")] if at in active else []), f"`{ids[at]}` {previews[at][:100]}"])
        for at in reversed(tips[-MOST_TIPS:])
    ]
    more = len(tips) - len(shown)
    last = [listed(Phrase("and {0} more", more))] if more else []
    return joined("\n", [*shown, *last]) if tips else Phrase("The session is empty.")


LEAVING = ("new", "clear", "reset")  # their notes stay in the session that is left
RESET_NOTE = template(
    "Continued in the new session {0} of the conversation {1}. In that session, /reset back returns to this one."
)
NEEDS_SESSION = template("/{0} needs a session. /new starts one.")
FAR_BACK = 200  # entries that are searched for a part of the conversation


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """A command's answer.

    `session` is the session to open, None for the current one; `note` the key of the stored note. A command that
    changes the tree stores its note with the change, so that one undo takes back both.
    """

    command: str
    text: str
    session: int | None = None
    note: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandParts:
    """The services that commands use. `chat` returns the current settings."""

    archive: Archive
    sessions: Sessions
    entries: Entries
    branching: Branching
    exporting: Exporting
    contexts: Contexts
    compactions: Compactions
    pruning: Pruning
    summary_writing: SummaryWriting
    resuming: Resuming
    connecting: Connecting
    runs: Runs
    conversations: Conversations
    skills: Skills
    chat: Callable[[], ChatSettings]


class Commands:
    """Runs commands. The answer is stored as a note in the session that continues; notes are never sent."""

    def __init__(self, parts: CommandParts) -> None:
        self._parts = parts
        self._acts: dict[str, Callable[[int, str], CommandAnswer]] = {
            "status": self._status, "compact": self._compact, "prune": self._prune, "abort": self._abort,
            "tree": self._tree, "fork": self._fork, "label": self._label, "name": self._name,
            "context": self._context, "model": self._model, "think": self._think, "export": self._export,
            "summariser": self._summariser,
            "reset": self._reset,
            "verbose": self._verbose,
            "skills": self._skills, "skill": self._skill,
        }  # fmt: skip

    def run(self, session: int | None, text: str, say: Callable[[str], str] = str) -> Future[CommandAnswer]:
        """Run a command. Fails with UnknownCommandError or the command's own KnownError; no note is stored then.

        `session` is the open session, None before the first one. `text` must be a command: see
        `command_table.typed`.
        `say` translates the answer into the language of the note.
        """
        wanted = typed(text)
        assert wanted is not None, "this is a message"

        def work() -> CommandAnswer:
            since = self._last_step(session)
            return self._noted(session, self._run(session, wanted), say, since)

        return run_in_thread(work)

    def complete(self, text: str, session: int | None = None) -> Future[tuple[Completion, ...]]:
        """Return the completions of the argument that is being typed. `session` is the open session."""
        wanted = typed(text)
        if wanted is None:
            return run_in_thread(tuple)
        begun = wanted.rest.lower()
        choices = self._choices(command(wanted.name).choices, session)
        return then(choices, lambda found: tuple(choice for choice in found if choice.fits(begun)))

    def _choices(self, kind: str, session: int | None = None) -> Future[tuple[Completion, ...]]:
        parts = self._parts
        if kind == "skills":
            listed = parts.skills.listed() if session is None else parts.skills.of(session)
            return then(listed, lambda all: tuple(Completion(one.name, one.description) for one in all.states))
        if kind == "sessions":
            return then(parts.sessions.all(), lambda found: tuple(Completion(s.id, s.title) for s in found))
        if kind == "models":
            found = parts.connecting.connections()
            return then(
                found, lambda known: tuple(Completion(f"{c.name}/{c.model}" if c.model else c.name) for c in known)
            )
        if kind == "formats":
            return run_in_thread(lambda: tuple(map(Completion, parts.exporting.names)))
        fixed = {"levels": THINKING_LEVELS, "verbosities": VERBOSITIES}.get(kind, ())
        return run_in_thread(lambda: tuple(map(Completion, fixed)))

    # -- in a thread of its own -------------------------------------------------------------------------------

    def _run(self, session: int | None, wanted: TypedCommand) -> CommandAnswer:
        name = command(wanted.name).name
        if name == "help":
            return CommandAnswer(name, helped())
        if name in ("new", "clear"):
            return self._new(name, session)
        if name == "resume":
            return self._resume(wanted.rest)
        if session is None:
            raise NothingToDoError(Phrase(NEEDS_SESSION, name))
        return self._acts[name](session, wanted.rest)

    def _last_step(self, session: int | None) -> int:
        """Return the last step of the session's history, 0 for none.

        If a later step exists afterwards, the command's note belongs to that step.
        """
        if session is None:
            return 0
        last = self._parts.archive.read(lambda reader: reader.history(session)).result().next_undo
        return 0 if last is None else last.key

    def _noted(
        self, session: int | None, answer: CommandAnswer, say: Callable[[str], str], since: int
    ) -> CommandAnswer:
        answer = replace(answer, text=say(answer.text) if answer.text else "")
        stays = answer.session is None or answer.command in LEAVING
        place = session if stays else answer.session
        if place is None or not answer.text or answer.note is not None:
            return answer
        note = self._parts.runs.note(place, answer.text, f"/{answer.command}", since=since).result()
        return replace(answer, note=note)

    def _new(self, name: str, left: int | None) -> CommandAnswer:
        """Start a session, and finalise the session `left` in the background.

        The note in the session `left` names the new one; an empty session gets no note.
        """
        made = self._parts.runs.new_session().result()
        is_empty = left is None or self._parts.sessions.get(left).result().leaf is None
        if left is not None and not is_empty:
            self._parts.runs.finalise(left)
        return CommandAnswer(name, "" if is_empty else Phrase("Continued in the new session {0}.", made.id), made.key)

    def _reset(self, session: int, rest: str) -> CommandAnswer:
        conversations = self._parts.conversations
        if rest.lower() == "back":
            old = conversations.back(session).result()
            return CommandAnswer("reset", Phrase("Returned to session {0}.", old.id), old.key)
        made = conversations.reset(session).result()
        told = Phrase(RESET_NOTE, made.id, conversation_key(made.details))
        return CommandAnswer("reset", told, made.key)

    def _status(self, session: int, _rest: str) -> CommandAnswer:
        phase, settings = self._parts.runs.state(session).phase, self._parts.contexts.settings
        return CommandAnswer("status", status(self._facts(session), phase, self._parts.archive.place, settings))

    def _facts(self, session: int) -> SessionFacts:
        archive, contexts = self._parts.archive, self._parts.contexts
        return archive.read(lambda reader: facts_of(reader, contexts, session)).result()

    def _context(self, session: int, _rest: str) -> CommandAnswer:
        session_tree = self._session_tree(session)
        view = self._parts.contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf))
        return CommandAnswer("context", context(view))

    def _compact(self, session: int, focus: str) -> CommandAnswer:
        leaf = self._leaf(session, "compact")
        request = CompactionRequest(session=session, leaf=leaf, focus=focus, notice=noted, command="/compact")
        compactions = self._parts.compactions
        apart = self._parts.contexts.settings.strategy == "new-session"
        run = compactions.run_in_new_session if apart else compactions.run
        done = run(self._parts.summary_writing.written(request)).result()
        return CommandAnswer("compact", compacted_by(done), done.session, done.tip)

    def _prune(self, session: int, which: str) -> CommandAnswer:
        if which not in ("", "duplicates"):
            raise NothingToDoError(
                Phrase("Unknown word “{0}”. Write /prune or /prune duplicates. Nothing was pruned.", which)
            )
        leaf, occasion = self._leaf(session, "prune"), PruneOccasion(which or "by-hand")
        run = self._parts.pruning.run(session, leaf, occasion=occasion, notice=pruned, command="/prune")
        plan, key = run.result()
        session_tree = self._session_tree(session)
        view = self._parts.contexts.seen(session_tree, session_tree.tree.index(key))
        return CommandAnswer("prune", pruned(plan, view), note=key)

    def _resume(self, name: str) -> CommandAnswer:
        if not name:
            raise NothingToDoError("Name a session: write its id, the start of its id, or “latest” after /resume.")
        found = self._parts.sessions.find(name).result()
        resumed = self._parts.resuming.resume(found.key).result()
        more = [] if resumed.compaction is None else [compacted_by(resumed.compaction)]
        return CommandAnswer("resume", joined("\n\n", [resumed.notice, *more]), resumed.session)

    def _abort(self, session: int, _rest: str) -> CommandAnswer:
        runs = self._parts.runs
        was_busy = runs.state(session).is_busy
        runs.stop(session).result()
        told, nothing = Phrase("Stopped. The received part of the reply is kept."), Phrase("No reply is running.")
        return CommandAnswer("abort", told if was_busy else nothing)

    def _tree(self, session: int, _rest: str) -> CommandAnswer:
        session_tree = self._session_tree(session)
        previews = self._parts.entries.previews(session).result()
        ids = self._parts.entries.ids(session).result()
        tree = session_tree.tree
        return CommandAnswer("tree", branches(tree, tree.get(session_tree.session.leaf), previews, ids))

    def _fork(self, session: int, id: str) -> CommandAnswer:
        parts = self._parts
        at = parts.entries.key(session, id).result() if id else self._leaf(session, "fork")
        forked = parts.branching.fork(session, at).result()
        return CommandAnswer("fork", Phrase("Forked from {0}.", parts.sessions.get(session).result().id), forked.key)

    def _label(self, session: int, text: str) -> CommandAnswer:
        entry = self._parts.archive.read(lambda reader: _last_conversation_entry(reader, session)).result()
        if entry is None:
            raise NothingToDoError("Nothing to label: the session has no messages.")
        self._parts.branching.label(session, entry, text).result()
        return CommandAnswer("label", Phrase("Labelled “{0}”.", text) if text else Phrase("Label removed."))

    def _name(self, session: int, text: str) -> CommandAnswer:
        if text:
            self._parts.sessions.rename(session, text).result()
        name = self._parts.sessions.get(session).result().title
        told = Phrase("The session is called “{0}”.", name) if name else Phrase("The session has no name.")
        return CommandAnswer("name", told)

    def _model(self, session: int, name: str) -> CommandAnswer:
        parts = self._parts
        if not name:
            session_tree = self._session_tree(session)
            model = parts.contexts.at(session_tree, session_tree.tree.get(session_tree.session.leaf)).projection.model
            offered = "\n".join(f"- `{choice.text}`" for choice in self._choices("models").result())
            return CommandAnswer(
                "model", joined("\n", [Phrase("Model: {0}", model or "—"), *filter(None, [offered])])
            )
        known = {connection.name: connection for connection in parts.connecting.connections().result()}
        first, _, model = name.partition("/")
        if first not in known:  # only a model: use the session's connection, else the default one
            session_tree = self._session_tree(session)
            at = session_tree.tree.get(session_tree.session.leaf)
            own = parts.contexts.at(session_tree, at).projection.model.partition("/")[0]
            found = connection_for(tuple(known.values()), own, parts.chat().default_connection)
            if found is None and own and known:
                raise KnownError(Phrase(NOT_THERE, own))
            first, model = "" if found is None else found.name, name
        if first not in known:
            raise KnownError("No model is connected. Nothing was changed. Choose “Connect a model…” in the window.")
        model = model or known[first].model
        parts.runs.pick_model(session, first, model).result()
        return CommandAnswer("model", Phrase("Model: {0}", f"{first}/{model}"))

    def _summariser(self, session: int, name: str) -> CommandAnswer:
        """Choose the session's model for summaries; "default" returns to the settings. Without a name, show it."""
        parts = self._parts
        if name:
            summariser = checked_summariser(name, parts.connecting.connections().result())
            parts.sessions.set_summariser(session, summariser).result()
        now = parts.sessions.get(session).result()
        return CommandAnswer("summariser", summaries_by(parts.contexts.summary_model(now)))

    def _skills(self, session: int, _rest: str) -> CommandAnswer:
        return CommandAnswer("skills", skills_listed(self._parts.skills.of(session).result()))

    def _skill(self, session: int, rest: str) -> CommandAnswer:
        """Switch a skill on, or off with the word "off"; without a name, list the skills."""
        name, _, how = rest.partition(" ")
        how = how.strip().lower()
        if not name:
            return replace(self._skills(session, rest), command="skill")
        if how not in ("", "on", "off"):
            raise NothingToDoError("Write /skill NAME to activate a skill, /skill NAME off to deactivate it.")
        state = self._parts.skills.switch(session, name, on=how != "off").result()
        return CommandAnswer("skill", skill_switched(state))

    def _think(self, session: int, level: str) -> CommandAnswer:

        if level:
            self._parts.runs.pick_level(session, checked_level(level)).result()
        session_tree = self._session_tree(session)
        view = self._parts.contexts.at(session_tree, session_tree.tree.get(session_tree.session.leaf))
        return CommandAnswer("think", Phrase("Thinking: {0}", view.projection.level))

    def _verbose(self, session: int, level: str) -> CommandAnswer:
        """Set the session's verbosity, which decides about notices besides replies. Without a level, show it."""
        sessions, level = self._parts.sessions, level.lower()
        if level and level not in VERBOSITIES:
            raise KnownError(Phrase("Give one of these levels: {0}. Nothing was changed.", ", ".join(VERBOSITIES)))
        if level:
            sessions.set_verbosity(session, level).result()
        return CommandAnswer("verbose", told_of_verbosity(verbosity_of(sessions.get(session).result().details)))

    def _export(self, session: int, rest: str) -> CommandAnswer:
        format, _, file = rest.partition(" ")
        names = self._parts.exporting.names
        if format not in names or not file.strip():
            raise KnownError(
                Phrase("Give a format and a file: /export {0} FILE. Formats: {1}.", names[0], ", ".join(names))
            )
        path = Path(file.strip()).expanduser().absolute()
        if os.path.lexists(path):
            raise KnownError(Phrase("{0} already exists. Nothing was written.", path))
        size = self._parts.exporting.to_file(session, format, path).result()
        return CommandAnswer("export", Phrase("{0}: {1} bytes written.", path, size))

    def _session_tree(self, session: int) -> SessionTree:
        return self._parts.sessions.open(session).result()

    def _leaf(self, session: int, name: str) -> int:
        leaf = self._parts.sessions.get(session).result().leaf
        if leaf is None:
            raise NothingToDoError(Phrase("The session is empty, so /{0} has no effect.", name))
        return leaf


def _last_conversation_entry(reader: ArchiveReader, session: int) -> int | None:
    """Return the key of the last entry on the active path that is a part of the conversation; None for none."""

    leaf = reader.session(session).leaf
    keys = [] if leaf is None else reader.tail(leaf, FAR_BACK)
    rows = reader.rows(keys)
    return next((key for key in reversed(keys) if is_conversation(rows[key])), None)

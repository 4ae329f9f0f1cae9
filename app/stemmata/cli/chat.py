"""The command chat: send a message and print the reply while it arrives."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

import click

from stemmata.cli import words
from stemmata.cli.command_context import CommandContext, GlobalCommand, pass_cli
from stemmata.cli.output import err, out
from stemmata.domain.chat.connections import connection_for
from stemmata.domain.chat.conversations import ResetReason
from stemmata.domain.chat.run import (
    AutoCompacting,
    CompactionStage,
    Consent,
    ConsentAsked,
    Noticed,
    OutgoingMessage,
    Phase,
    Question,
    RunChanged,
    RunEvent,
    RunState,
    SessionContinued,
    Stored,
    Streamed,
)
from stemmata.domain.chat.streaming import BlockDone, BlockGrew, BlockKind, BlockStarted
from stemmata.domain.compaction.branch_summary import continues_by_editing
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.entries.entry import Flag, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.model_abilities import checked_level
from stemmata.domain.sessions.details import verbosity_of
from stemmata.services.chat import attachments
from stemmata.services.chat.attachments import Attachment
from stemmata.services.chat.command_table import literal, typed
from stemmata.services.chat.run_states import branched_notice
from stemmata.services.services import Services

ANSWERS = {
    "o": Consent.ONCE, "s": Consent.SESSION, "a": Consent.ALWAYS, "n": Consent.REFUSED, "never": Consent.NEVER,
}  # fmt: skip
LONGEST_SHOWN = 400  # characters shown of a tool's arguments
LONGEST_OUTPUT = 2_000  # characters shown of a tool's output


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("message", required=False)
@click.option("--model", default="", metavar="NAME", help="Model to use, from now on in this session.")
@click.option("--connection", default="", metavar="NAME", help="Connection to use, from now on in this session.")
@click.option("--level", default="", metavar="LEVEL", help="Thinking level or tokens, from now on in this session.")
@click.option("--leaf", default=None, metavar="ENTRY", help="Continue from this entry instead of the leaf.")
@click.option("--attach", "files", multiple=True, type=click.Path(path_type=Path), help="Attach this file.")
@click.option("--no-reset", "stays", is_flag=True, help="Continue this session although a reset is due.")
@pass_cli
def chat(
    cli: CommandContext,
    session: str,
    message: str | None,
    leaf: str | None,
    files: tuple[Path, ...],
    *,
    stays: bool,
    **picks: str,
) -> int:
    """Send a MESSAGE and print the reply while it arrives.

    Without MESSAGE, the text on stdin is sent. The word new as SESSION starts a session. A MESSAGE that starts with a
    slash is a command; /help lists the commands. Start it with two slashes to send it.
    """
    text = message if message is not None else "" if files and _is_terminal(sys.stdin) else _piped()
    if not text.strip() and not files:
        raise KnownError("The message is empty. Nothing was sent. Pass a message as argument or on stdin.")
    attached = [attachments.of_file(path) for path in files]
    if typed(text) is not None:
        return _command(cli, session, leaf, text)
    _check_connected(cli, session, picks["connection"])
    services, key = _services_and_session(cli, session, leaf)
    came_from, key = key, key if stays or leaf is not None else _reset(cli, services, key)
    key = _resumed(cli, services, key, follows=leaf is None) if key == came_from else key
    seen = cli.wait(services.sessions.get(key)).leaf
    _pick(cli, services, key, picks)
    if attached:
        _check(cli, services, key, attached)
    reply = _Reply(services, key, cli, seen)
    state = reply.follow(attachments.message(literal(text), attached))
    document = reply.document()
    reply.tell_compaction()
    if cli.as_json:
        more = {"complete": document["complete"] and not state, "problem": state or None}
        cli.answer(lambda: document | more | {"continued_as": reply.continued_as}, tuple)
    if state:
        raise KnownError("\n".join([state, *reply.remedies()]))
    return 0


def _piped() -> str:
    """Return the text on stdin without the line end that `echo` adds."""
    if sys.stdin is None:
        return ""
    try:
        piped = sys.stdin.read().rstrip("\r\n")
        piped.encode()  # undecodable bytes were read as surrogates, which cannot be encoded
    except UnicodeError as error:
        raise KnownError("stdin is not text. Nothing was sent. Use --attach to send a file.") from error
    return piped


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _check_connected(cli: CommandContext, name: str, connection: str) -> None:
    """Raise KnownError before a session is created when no model is connected or the connection is uncertain."""
    services = cli.services
    if not cli.wait(services.connecting.connections()):
        raise KnownError(words.how_to_connect(cli.settings))
    if connection or not cli.hides_connections:
        return
    if name != "new":
        subject = cli.subject(name)
        if context_at(subject.session_tree.tree, subject.index(None)).model:
            return
    raise KnownError(
        f"{cli.settings} has errors, so the connection is uncertain. Nothing was sent. Correct the file, or use "
        "--connection NAME."
    )


def _services_and_session(cli: CommandContext, name: str, leaf: str | None) -> tuple[Services, int]:
    if name == "new":
        services = cli.services
        return services, cli.wait(services.runs.new_session()).key
    subject = cli.subject(name)
    if subject.temporary:
        raise KnownError("A session file cannot be continued. Import it first, then use the session's id.")
    if leaf is not None:
        entry = cli.wait(subject.services.entries.key(subject.session.key, leaf))
        cli.wait(subject.services.branching.move_leaf(subject.session.key, entry))
    return subject.services, subject.session.key


def _command(cli: CommandContext, name: str, leaf: str | None, text: str) -> int:
    services, key = (cli.services, None) if name == "new" else _services_and_session(cli, name, leaf)
    answer = cli.wait(services.commands.run(key, text))
    place = key if answer.session is None else answer.session
    session = None if place is None else cli.wait(services.sessions.get(place)).id
    moved = [f"Continue with: stemmata chat {session}"] if answer.session is not None else []
    lines = [answer.text] if answer.text else []
    cli.answer(lambda: {"session": session, "command": answer.command, "answer": answer.text}, lambda: lines + moved)
    return 0


def _reset(cli: CommandContext, services: Services, session: int) -> int:
    """Return the session of the conversation in which the message goes; a new one, with a notice, after a reset."""
    due = cli.wait(services.conversations.due(session))
    if due is None:
        return session
    old, made = cli.wait(services.sessions.get(session)), cli.wait(services.conversations.reset(session))
    rule = "chat.reset_hour" if due is ResetReason.DAILY else "chat.reset_idle_minutes"
    cli.note(
        f"The conversation goes on in the new session {made.id} ({rule}). The old one is {old.id}; --no-reset "
        "continues it."
    )
    return made.key


def _resumed(cli: CommandContext, services: Services, session: int, *, follows: bool) -> int:
    """Return the session in which the conversation of a session continues; print a notice if it is another one.

    With `follows`, that can be the session in which an automatic compaction continued the given one.
    """
    if cli.wait(services.sessions.get(session)).leaf is None:
        return session
    resumed = cli.wait(services.resuming.go_on(session, follows=follows))
    if resumed.notice:
        cli.note(resumed.notice)
    return resumed.session


def _check(cli: CommandContext, services: Services, session: int, attached: list[Attachment]) -> None:
    asked = services.model_lookup.at(session, cli.wait(services.sessions.get(session)).leaf)
    problem = attachments.refused(attached, asked.traits)
    if problem:
        raise KnownError(f"{problem} Nothing was sent.")


def _pick(cli: CommandContext, services: Services, session: int, picks: dict[str, str]) -> None:
    model, connection, level = picks["model"], picks["connection"], picks["level"]
    if model or connection:
        known = {found.name: found for found in cli.wait(services.connecting.connections())}
        if connection and connection not in known:
            names = ", ".join(known) or "none"
            raise KnownError(f"Unknown connection: {connection}. Nothing was sent. Connections: {names}.")
        if not connection and known:
            session_tree = cli.wait(services.sessions.open(session))
            own = context_at(session_tree.tree, session_tree.tree.get(session_tree.session.leaf)).model.partition(
                "/"
            )[0]
            found = connection_for(tuple(known.values()), own, services.chat.default_connection)
            if found is None:
                raise KnownError(
                    f"This session uses “{own}”, but no connection has that name. Nothing was sent. Choose one with "
                    "--connection NAME."
                )
            connection = found.name
        model = model or (known[connection].model if connection else "")
        cli.wait(services.runs.pick_model(session, connection, model))
    if level:
        cli.wait(services.runs.pick_level(session, checked_level(level)))


class _Reply:
    """Follow the events of a run until it ends, and print the reply."""

    def __init__(self, services: Services, session: int, cli: CommandContext, seen: int | None) -> None:
        self._services, self._session, self._desk, self._seen = services, session, cli, seen
        self._events: SimpleQueue[RunEvent | None] = SimpleQueue()
        self._verbosity = verbosity_of(cli.wait(services.sessions.get(session)).details)
        self._kinds: dict[int, BlockKind] = {}
        self._stored: list[int] = []
        self._has_printed = False
        self._remarks: set[str] = set()
        self._too_large: int | None = None  # the entry that is larger than the window
        self._needs_digest = False  # whether a model wrote no summary for a request that needs a compaction
        self._unwatch: Callable[[], None] = lambda: None
        self.continued_as: str | None = None  # id of the session that a compaction after the reply began

    def follow(self, message: OutgoingMessage) -> str:
        """Send the message and print the reply; return the problem, or "".

        Ctrl+C and SIGTERM stop the run and keep the received part of the reply.
        """
        runs = self._services.runs
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        self._unwatch = runs.watch(self._events.put)
        try:
            runs.send(self._session, message, seen=self._seen).result()
            return self._listen()
        except KeyboardInterrupt:
            runs.stop(self._session).result()
            return "Stopped. The received part of the reply is kept in the session."
        finally:
            signal.signal(signal.SIGTERM, before)
            if self._has_printed and not self._desk.as_json:
                out("")

    def tell_compaction(self) -> None:
        """Wait for an automatic compaction after the reply, and print its notices on stderr.

        Ctrl+C ends the wait and the program; nothing is changed then.
        """
        settled = self._services.runs.settled()
        settled.add_done_callback(lambda _done: self._events.put(None))
        try:
            while (event := self._events.get()) is not None:
                self._tell(event)
        finally:
            self._unwatch()

    def document(self) -> dict[str, Any]:
        """Return the JSON document about the reply."""
        services, cli = self._services, self._desk
        rows = cli.wait(services.entries.rows(self._stored))
        replies = [key for key in self._stored if rows[key].role is Role.ASSISTANT]
        bodies = cli.wait(services.entries.bodies(replies))
        last = rows[replies[-1]] if replies else None
        return {
            "session": cli.wait(services.sessions.get(self._session)).id,
            "entry": last.id if last else None,
            "reply": "\n\n".join(filter(None, (plain_text(bodies[key].blocks) for key in replies))),
            "complete": bool(last and not last.flags & (Flag.FAILED | Flag.ABORTED | Flag.CUT)),
        }

    def remedies(self) -> list[str]:
        """Return the commands that help when the context does not fit the window, as lines; [] otherwise."""
        if self._needs_digest:
            session = self._desk.wait(self._services.sessions.get(self._session)).id
            verb = f"  stemmata compact {session} --summariser digest"
            return list(words.table([(verb, "compact without a model, then send the message again")]))
        if self._too_large is None:
            return []
        services, key = self._services, self._too_large
        row = self._desk.wait(services.entries.rows([key]))[key]
        session = self._desk.wait(services.sessions.get(self._session)).id
        verbs = {
            f"cut {session} {row.id}": "send only its beginning and end",
            f"exclude {session} {row.id}": "leave it out of the context",
            f"chat {session} --model NAME MESSAGE": "choose a model with a larger window",
        }
        if continues_by_editing(row.kind, row.role):
            verbs[f"take-back {session} {row.id}"] = "print it, to send it in parts"
        return list(words.table([(f"  stemmata {verb}", what) for verb, what in verbs.items()]))

    def _listen(self) -> str:
        while True:
            match self._events.get():
                case Streamed(session=session, event=event) if session == self._session:
                    self._show(event)
                case Stored(session=session, entry=entry) if session == self._session:
                    self._stored.append(entry)
                    self._tell_output(entry)
                case ConsentAsked(question) if question.session == self._session:
                    self._services.runs.answer(question, self._consent(question))
                case Noticed() | AutoCompacting() | SessionContinued() as event:
                    self._tell(event)
                case RunChanged(state) if state.session == self._session:
                    self._remark(state)
                    if state.phase is Phase.RETRYING:
                        self._desk.note(f"{state.problem} Retrying…")
                    if not state.is_busy:
                        return self._ended(state)

    def _tell(self, event: RunEvent) -> None:
        """Print the notices of automatic compactions and prunings, at their beginning and at their end."""
        match event:
            case Noticed(session=session, text=text) if session == self._session:
                self._desk.note(text)
            case SessionContinued(session=session, to=to, text=text) if session == self._session:
                self.continued_as = self._desk.wait(self._services.sessions.get(to)).id
                if text:
                    self._desk.note(text)
                self._desk.note(f"The conversation goes on in a new session: stemmata chat {self.continued_as}")
            case AutoCompacting(session=session, stage=CompactionStage.WRITING) if (
                session == self._session and self._verbosity != "off"
            ):
                self._desk.note("Compacting automatically…")

    def _tell_output(self, entry: int) -> None:
        """Print the output of a tool when the session's verbosity is `full`."""
        if self._verbosity != "full":
            return
        services = self._services
        if self._desk.wait(services.entries.rows([entry]))[entry].role is Role.TOOL_RESULT:
            text = plain_text(self._desk.wait(services.entries.bodies([entry]))[entry].blocks)
            cut = f"… ({len(text) - LONGEST_OUTPUT:,} more characters)" if len(text) > LONGEST_OUTPUT else ""
            self._desk.note(f"{text[:LONGEST_OUTPUT]}{cut}")

    def _remark(self, state: RunState) -> None:
        """Print the remarks of a run's state, each remark only once."""
        beside = "" if state.beside is None else str(branched_notice())
        for remark in (state.remark, beside):
            if remark and remark not in self._remarks:
                self._remarks.add(remark)
                self._desk.note(remark)

    def _ended(self, state: RunState) -> str:
        """Return the problem of an ended run. A reply that reached its maximum length is not a failure."""
        self._too_large, self._needs_digest = state.entry, "digest" in state.offers
        if state.phase is not Phase.IDLE or not state.problem:
            return state.problem
        self._desk.note(f"{state.problem} Ask the model to continue, or raise chat.max_tokens in the settings.")
        return ""

    def _show(self, event: object) -> None:
        match event:
            case BlockStarted(index, kind, name):
                self._kinds[index] = kind
                if kind is BlockKind.TOOL_CALL and self._verbosity == "on":
                    self._desk.note(f"· {name}")
                elif kind is BlockKind.TEXT and self._has_printed and not self._desk.as_json:
                    out("\n")
            case BlockDone(block=ToolCall(name=name, arguments=arguments)) if self._verbosity == "full":
                self._desk.note(f"· {name} {arguments[:LONGEST_SHOWN]}")
            case BlockGrew(index, text) if self._kinds.get(index) is BlockKind.TEXT and not self._desk.as_json:
                out(text, nl=False)
                self._has_printed = True

    def _consent(self, question: Question) -> Consent:
        if not _is_terminal(sys.stdin) or not _is_terminal(sys.stderr):
            self._desk.note(f"The tool {question.tool} needs consent, which requires a terminal. It was refused.")
            return Consent.REFUSED
        shown = question.arguments[:LONGEST_SHOWN]
        err(f"\n{question.origin}: {question.tool} {shown}\nIt {question.why}.")
        asked = "Allow? [o]nce, this [s]ession, [a]lways here, [n]o, never"
        chosen = click.prompt(asked, type=click.Choice(list(ANSWERS)), default="n", err=True, show_choices=False)
        return ANSWERS[chosen]


COMMANDS = (chat,)

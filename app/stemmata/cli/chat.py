"""The command chat: a message in, the reply to stdout as it comes."""

from __future__ import annotations

import sys
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

import click

from stemmata.cli import words
from stemmata.cli.desk import Desk, GlobalCommand, pass_desk
from stemmata.cli.output import err, out
from stemmata.domain.chat.connections import connection_for
from stemmata.domain.chat.run import (
    Consent,
    ConsentAsked,
    OutgoingMessage,
    Phase,
    Question,
    RunChanged,
    RunEvent,
    RunState,
    Stored,
    Streamed,
)
from stemmata.domain.chat.streaming import BlockBegan, BlockKind, Grew
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Flag, Role
from stemmata.domain.errors import KnownError
from stemmata.services.chat import attachments
from stemmata.services.chat.attachments import Attachment
from stemmata.services.chat.command_table import literal, typed
from stemmata.services.chat.run_states import went_beside
from stemmata.services.services import Services

ANSWERS = {
    "o": Consent.ONCE, "s": Consent.SESSION, "a": Consent.ALWAYS, "n": Consent.REFUSED, "never": Consent.NEVER,
}  # fmt: skip
LONGEST_SHOWN = 400  # characters of a tool's arguments


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("message", required=False)
@click.option("--model", default="", help="The model to ask, from now on in this session.")
@click.option("--connection", default="", help="The connection to ask it at.")
@click.option("--level", default="", help="The thinking level, from now on in this session.")
@click.option("--leaf", default=None, help="Go on from this entry instead of the leaf.")
@click.option("--attach", "files", multiple=True, type=click.Path(path_type=Path), help="Send this file too.")
@pass_desk
def chat(
    desk: Desk, session: str, message: str | None, leaf: str | None, files: tuple[Path, ...], **picks: str
) -> int:
    """Send a MESSAGE (or stdin) and print the reply as it comes. The word new as SESSION begins one.

    A message that begins with a slash is a command, /help lists them; two slashes send one.
    """
    text = message if message is not None else "" if files and _is_terminal(sys.stdin) else _piped()
    if not text.strip() and not files:
        raise KnownError("There is nothing to send: give a message, or pipe one in.")
    attached = [attachments.of_file(path) for path in files]
    if typed(text) is not None:
        return _command(desk, session, leaf, text)
    _check_connected(desk, session, picks["connection"])
    services, key = _place(desk, session, leaf)
    key = _resumed(desk, services, key)
    seen = desk.wait(services.sessions.get(key)).leaf
    _pick(desk, services, key, picks)
    if attached:
        _check(desk, services, key, attached)
    reply = _Reply(services, key, desk, seen)
    state = reply.follow(attachments.message(literal(text), attached))
    document = reply.document()
    if desk.as_json:
        complete = document["complete"] and not state
        desk.answer(lambda: document | {"complete": complete, "problem": state or None}, tuple)
    if state:
        raise KnownError(state)
    return 0


def _piped() -> str:
    """What `echo` ends a line with is no part of the message."""
    if sys.stdin is None:
        return ""
    try:
        piped = sys.stdin.read().rstrip("\r\n")
        piped.encode()  # bytes that are no text are read as halves of characters
    except UnicodeError as error:
        raise KnownError("What is piped in is no text. Nothing was sent: send it with --attach.") from error
    return piped


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _check_connected(desk: Desk, name: str, connection: str) -> None:
    """Raises KnownError where there is nobody to ask, or it is not sure whom, before a session is begun for it."""
    services = desk.services
    if not desk.wait(services.connecting.connections()):
        raise KnownError(words.how_to_connect(desk.settings))
    if connection or not desk.hides_connections:
        return
    if name != "new":
        subject = desk.subject(name)
        if context_at(subject.skeleton.tree, subject.index(None)).model:
            return
    raise KnownError(
        f"It is not sure whom to ask, for what is wrong with {desk.settings}. Nothing was sent: mend that, or say "
        "--connection NAME."
    )


def _place(desk: Desk, name: str, leaf: str | None) -> tuple[Services, int]:
    if name == "new":
        services = desk.services
        return services, desk.wait(services.runs.new_session()).key
    subject = desk.subject(name)
    if subject.temporary:
        raise KnownError("A session file is only read. Import it first to go on with the session.")
    if leaf is not None:
        entry = desk.wait(subject.services.entries.key(subject.session.key, leaf))
        desk.wait(subject.services.branching.move_leaf(subject.session.key, entry))
    return subject.services, subject.session.key


def _command(desk: Desk, name: str, leaf: str | None, text: str) -> int:
    services, key = (desk.services, None) if name == "new" else _place(desk, name, leaf)
    answer = desk.wait(services.commands.run(key, text))
    place = key if answer.session is None else answer.session
    session = None if place is None else desk.wait(services.sessions.get(place)).id
    moved = [f"Go on with: stemmata chat {session}"] if answer.session is not None else []
    told = [answer.text] if answer.text else []
    desk.answer(lambda: {"session": session, "command": answer.command, "answer": answer.text}, lambda: told + moved)
    return 0


def _resumed(desk: Desk, services: Services, session: int) -> int:
    """Where the session goes on; what became of it is said."""
    if desk.wait(services.sessions.get(session)).leaf is None:
        return session
    resumed = desk.wait(services.resuming.go_on(session))
    if resumed.told:
        desk.note(resumed.told)
    return resumed.session


def _check(desk: Desk, services: Services, session: int, attached: list[Attachment]) -> None:
    asked = services.model_lookup.at(session, desk.wait(services.sessions.get(session)).leaf)
    problem = attachments.refused(attached, asked.traits)
    if problem:
        raise KnownError(f"{problem} Nothing was sent.")


def _pick(desk: Desk, services: Services, session: int, picks: dict[str, str]) -> None:
    model, connection, level = picks["model"], picks["connection"], picks["level"]
    if model or connection:
        known = {found.name: found for found in desk.wait(services.connecting.connections())}
        if connection and connection not in known:
            names = ", ".join(known) or "none yet"
            raise KnownError(f"There is no connection called “{connection}”. There is: {names}.")
        if not connection and known:
            skeleton = desk.wait(services.sessions.open(session))
            own = context_at(skeleton.tree, skeleton.tree.get(skeleton.session.leaf)).model.partition("/")[0]
            found = connection_for(tuple(known.values()), own, services.chat.default_connection)
            if found is None:
                raise KnownError(
                    f"This session is held with “{own}”, and there is no connection of that name. Say "
                    "--connection NAME."
                )
            connection = found.name
        model = model or (known[connection].model if connection else "")
        desk.wait(services.runs.pick_model(session, connection, model))
    if level:
        desk.wait(services.runs.pick_level(session, level))


class _Reply:
    """What is heard of the run until it ends."""

    def __init__(self, services: Services, session: int, desk: Desk, seen: int | None) -> None:
        self._services, self._session, self._desk, self._seen = services, session, desk, seen
        self._events: SimpleQueue[RunEvent] = SimpleQueue()
        self._kinds: dict[int, BlockKind] = {}
        self._stored: list[int] = []
        self._has_printed = False
        self._remarks: set[str] = set()

    def follow(self, message: OutgoingMessage) -> str:
        """What went wrong, "" for nothing. Ctrl+C stops the run; what had come is kept."""
        runs = self._services.runs
        unwatch = runs.watch(self._events.put)
        try:
            runs.send(self._session, message, seen=self._seen).result()
            return self._listen()
        except KeyboardInterrupt:
            runs.stop(self._session).result()
            return "Stopped. What had come of the reply is kept in the session."
        finally:
            unwatch()
            if self._has_printed and not self._desk.as_json:
                out("")

    def document(self) -> dict[str, Any]:
        services, desk = self._services, self._desk
        rows = desk.wait(services.entries.rows(self._stored))
        replies = [key for key in self._stored if rows[key].role is Role.ASSISTANT]
        bodies = desk.wait(services.entries.bodies(replies))
        last = rows[replies[-1]] if replies else None
        return {
            "session": desk.wait(services.sessions.get(self._session)).id,
            "entry": last.id if last else None,
            "reply": "\n\n".join(filter(None, (plain_text(bodies[key].blocks) for key in replies))),
            "complete": bool(last and not last.flags & (Flag.FAILED | Flag.ABORTED | Flag.CUT)),
        }

    def _listen(self) -> str:
        while True:
            match self._events.get():
                case Streamed(session=session, event=event) if session == self._session:
                    self._show(event)
                case Stored(session=session, entry=entry) if session == self._session:
                    self._stored.append(entry)
                case ConsentAsked(question) if question.session == self._session:
                    self._services.runs.answer(question, self._consent(question))
                case RunChanged(state) if state.session == self._session:
                    self._remark(state)
                    if state.phase is Phase.RETRYING:
                        self._desk.note(f"{state.problem} Trying again…")
                    if not state.is_busy:
                        return self._ended(state)

    def _remark(self, state: RunState) -> None:
        """Said once, however often the state changes."""
        beside = "" if state.beside is None else str(went_beside())
        for remark in (state.remark, beside):
            if remark and remark not in self._remarks:
                self._remarks.add(remark)
                self._desk.note(remark)

    def _ended(self, state: RunState) -> str:
        """What went wrong. A reply that is cut off at its longest is none that failed."""
        if state.phase is not Phase.IDLE or not state.problem:
            return state.problem
        self._desk.note(f"{state.problem} Ask it to go on, or raise chat.max_tokens in the settings.")
        return ""

    def _show(self, event: object) -> None:
        match event:
            case BlockBegan(index, kind, name):
                self._kinds[index] = kind
                if kind is BlockKind.TOOL_CALL:
                    self._desk.note(f"· {name}")
                elif kind is BlockKind.TEXT and self._has_printed and not self._desk.as_json:
                    out("\n")
            case Grew(index, text) if self._kinds.get(index) is BlockKind.TEXT and not self._desk.as_json:
                out(text, nl=False)
                self._has_printed = True

    def _consent(self, question: Question) -> Consent:
        if not _is_terminal(sys.stdin) or not _is_terminal(sys.stderr):
            self._desk.note(f"The tool {question.tool} asks before it acts, and there is nobody to ask: refused.")
            return Consent.REFUSED
        shown = question.arguments[:LONGEST_SHOWN]
        err(f"\n{question.origin}: {question.tool} {shown}\nIt {question.why}.")
        asked = "Allow it? [o]nce, this [s]ession, [a]lways here, [n]o, never"
        chosen = click.prompt(asked, type=click.Choice(list(ANSWERS)), default="n", err=True, show_choices=False)
        return ANSWERS[chosen]


COMMANDS = (chat,)

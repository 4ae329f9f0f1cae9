"""Commands for the tree of a session: fork, label, leaf, cut, exclude, include, take-back."""

from __future__ import annotations

import click

from stemmata.cli.command_context import CommandContext, CommandSubject, GlobalCommand, pass_cli
from stemmata.cli.output import data
from stemmata.domain.compaction.branch_summary import continues_by_editing
from stemmata.domain.context.projection import CUT, OUT, WHOLE, context_at
from stemmata.domain.entries.prompts import prompts_of
from stemmata.domain.errors import NothingToDoError

STATES = {CUT: "cut", OUT: "excluded", WHOLE: "included"}  # words for the state of an entry in JSON
_CHANGED = {
    CUT: "cut. Only its beginning and end are sent.",
    OUT: "excluded from the context.",
    WHOLE: "sent in full again.",
}


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option("--at", "entry", required=True, metavar="ENTRY", help="Last entry of the new session.")
@pass_cli
def fork(cli: CommandContext, session: str, entry: str) -> None:
    """Create a session that shares the path to an entry."""
    subject = cli.subject(session, changes=True)
    made = cli.wait(subject.services.branching.fork(subject.session.key, _key(subject, entry)))
    cli.answer(
        lambda: {"session": made.id, "parent": subject.session.id, "at": entry, "title": made.title},
        lambda: [f"{made.id}  {made.title or 'untitled'}: forked from {subject.session.id} at {entry}"],
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry")
@click.argument("text")
@pass_cli
def label(cli: CommandContext, session: str, entry: str, text: str) -> None:
    """Label an entry; an empty TEXT removes the label."""
    subject = cli.subject(session, changes=True)
    cli.wait(subject.services.branching.label(subject.session.key, _key(subject, entry), text))
    cli.answer(
        lambda: {"session": subject.session.id, "entry": entry, "label": text or None},
        lambda: [f"{entry}: {f'labelled “{text}”' if text else 'label removed'}"],
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@click.option("--undo", is_flag=True, help="Undo the last step of the session.")
@click.option("--redo", is_flag=True, help="Redo the step that was undone last.")
@pass_cli
def leaf(cli: CommandContext, session: str, entry: str | None, undo: bool, redo: bool) -> None:
    """Move the leaf to an entry, or show the current leaf."""
    if undo + redo + (entry is not None) > 1:
        raise click.UsageError("Use only one of ENTRY, --undo and --redo.")
    subject = cli.subject(session, changes=True)
    branching, key = subject.services.branching, subject.session.key
    if undo or redo:
        histories = subject.services.histories
        cli.wait(histories.redo(key) if redo else histories.undo(key))
        subject = cli.subject(session, changes=True)
        position = subject.session.leaf
    elif entry is not None:
        position = cli.wait(branching.move_leaf(key, _key(subject, entry))).leaf
    else:
        position = subject.session.leaf
    at = subject.session_tree.tree.get(position)
    id = None if at is None else subject.ids[at]
    cli.answer(lambda: {"session": subject.session.id, "leaf": id}, lambda: [id or "before the first entry"])


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@pass_cli
def cut(cli: CommandContext, session: str, entry: str | None) -> None:
    """Send only the beginning and end of an ENTRY.

    Without ENTRY, the last message of the user is cut. The archive keeps the whole entry. `stemmata include` sends it
    in full again, `stemmata leaf --undo` undoes this.
    """
    subject = cli.subject(session, changes=True)
    _omit(cli, subject, _message(subject, entry), CUT)


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@pass_cli
def exclude(cli: CommandContext, session: str, entry: str | None) -> None:
    """Leave an ENTRY out of the context.

    Without ENTRY, the last message of the user is left out. The archive keeps the entry. `stemmata include` sends it
    again, `stemmata leaf --undo` undoes this.
    """
    subject = cli.subject(session, changes=True)
    _omit(cli, subject, _message(subject, entry), OUT)


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@pass_cli
def include(cli: CommandContext, session: str, entry: str | None) -> None:
    """Send an ENTRY in full again.

    Without ENTRY, the last entry of the active path that was cut or excluded is sent in full.
    """
    subject = cli.subject(session, changes=True)
    projection = context_at(subject.session_tree.tree, subject.index(None))
    if entry is None and not projection.omissions:
        raise NothingToDoError("No entry of the active path was cut or excluded. Nothing was changed.")
    at = _index(subject, entry) if entry is not None else projection.path_totals.path[max(projection.omissions)]
    _omit(cli, subject, at, WHOLE)


@click.command("take-back", cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@pass_cli
def take_back(cli: CommandContext, session: str, entry: str | None) -> None:
    """Print a message of the user and move the leaf before it.

    Without ENTRY, the last message is printed. The next message takes its place. The archive keeps the message, and
    `stemmata leaf --undo` undoes the move.
    """
    subject = cli.subject(session, changes=True)
    tree, at = subject.session_tree.tree, _message(subject, entry)
    if not continues_by_editing(tree.kind(at), tree.role(at)):
        raise NothingToDoError("Only a message of the user can be taken back. Nothing was changed.")
    position = cli.wait(subject.services.branching.continue_from(subject.session.key, tree.key(at)))
    above = tree.get(position.leaf)
    leaf = None if above is None else subject.ids[above]
    if cli.as_json:
        document = {"session": subject.session.id, "entry": subject.ids[at], "leaf": leaf, "text": position.text}
        cli.answer(lambda: document, tuple)
    else:
        data(f"{position.text}\n".encode())


def _index(subject: CommandSubject, entry: str) -> int:
    return subject.session_tree.tree.index(_key(subject, entry))


def _message(subject: CommandSubject, entry: str | None) -> int:
    """Return the index of an entry; without an id, of the last message of the user on the active path."""
    if entry is not None:
        return _index(subject, entry)
    tree = subject.session_tree.tree
    found = next(prompts_of(tree, reversed(tree.path(subject.index(None)))), None)
    if found is None:
        raise NothingToDoError("The active path has no message of the user. Nothing was changed.")
    return found


def _omit(cli: CommandContext, subject: CommandSubject, at: int, how: str) -> None:
    services, session, id = subject.services, subject.session, subject.ids[at]
    made = cli.wait(services.pruning.omit(session.key, subject.session_tree.tree.key(at), how))
    leaf = cli.wait(services.entries.rows([made]))[made].id
    cli.answer(
        lambda: {"session": session.id, "entry": id, "state": STATES[how], "leaf": leaf},
        lambda: [f"{id}: {_CHANGED[how]}"],
    )


def _key(subject: CommandSubject, entry: str) -> int:
    return subject.services.entries.key(subject.session.key, entry).result()


COMMANDS = (fork, label, leaf, cut, exclude, include, take_back)

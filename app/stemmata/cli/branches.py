"""Commands for the tree of a session: fork, label, leaf."""

from __future__ import annotations

import click

from stemmata.cli.command_context import CommandContext, GlobalCommand, Subject, pass_cli
from stemmata.domain.errors import KnownError


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option("--at", "entry", required=True, help="Last entry of the new session.")
@pass_cli
def fork(cli: CommandContext, session: str, entry: str) -> None:
    """Create a session that shares the path to an entry."""
    subject = _stored(cli, session)
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
    subject = _stored(cli, session)
    cli.wait(subject.services.branching.label(subject.session.key, _key(subject, entry), text))
    cli.answer(
        lambda: {"session": subject.session.id, "entry": entry, "label": text or None},
        lambda: [f"{entry}: {f'labelled “{text}”' if text else 'label removed'}"],
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@click.option("--undo", is_flag=True, help="Undo the last move.")
@click.option("--redo", is_flag=True, help="Redo the move that was undone.")
@pass_cli
def leaf(cli: CommandContext, session: str, entry: str | None, undo: bool, redo: bool) -> None:
    """Move the leaf to an entry, or show the current leaf."""
    subject = _stored(cli, session)
    branching, key = subject.services.branching, subject.session.key
    if undo or redo:
        position = cli.wait(branching.redo(key) if redo else branching.undo(key)).leaf
    elif entry is not None:
        position = cli.wait(branching.move_leaf(key, _key(subject, entry))).leaf
    else:
        position = subject.session.leaf
    at = subject.skeleton.tree.get(position)
    id = None if at is None else subject.ids[at]
    cli.answer(lambda: {"session": subject.session.id, "leaf": id}, lambda: [id or "at the start"])


def _stored(cli: CommandContext, session: str) -> Subject:
    subject = cli.subject(session)
    if subject.temporary:
        raise KnownError("A session file cannot be changed. Import it first, then use the session's id.")
    return subject


def _key(subject: Subject, entry: str) -> int:
    return subject.services.entries.key(subject.session.key, entry).result()


COMMANDS = (fork, label, leaf)

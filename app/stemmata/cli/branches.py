"""The verbs of the tree: fork, label, leaf."""

from __future__ import annotations

import click

from stemmata.cli.desk import Desk, GlobalCommand, Subject, pass_desk
from stemmata.domain.errors import KnownError


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option("--at", "entry", required=True, help="The last entry of the new session.")
@pass_desk
def fork(desk: Desk, session: str, entry: str) -> None:
    """A new session that shares the path to an entry."""
    subject = _stored(desk, session)
    made = desk.wait(subject.services.branching.fork(subject.session.key, _key(subject, entry)))
    desk.answer(
        lambda: {"session": made.id, "parent": subject.session.id, "at": entry, "title": made.title},
        lambda: [f"{made.id}  {made.title or 'untitled'}: forked from {subject.session.id} at {entry}"],
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry")
@click.argument("text")
@pass_desk
def label(desk: Desk, session: str, entry: str, text: str) -> None:
    """Name an entry; an empty TEXT takes the label away."""
    subject = _stored(desk, session)
    desk.wait(subject.services.branching.label(subject.session.key, _key(subject, entry), text))
    desk.answer(
        lambda: {"session": subject.session.id, "entry": entry, "label": text or None},
        lambda: [f"{entry}: {f'labelled “{text}”' if text else 'label removed'}"],
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("entry", required=False)
@click.option("--undo", is_flag=True, help="Take back the last move instead.")
@click.option("--redo", is_flag=True, help="Make the move again that was taken back.")
@pass_desk
def leaf(desk: Desk, session: str, entry: str | None, undo: bool, redo: bool) -> None:
    """Move the leaf to an entry, or show where it is."""
    subject = _stored(desk, session)
    branching, key = subject.services.branching, subject.session.key
    if undo or redo:
        position = desk.wait(branching.redo(key) if redo else branching.undo(key)).leaf
    elif entry is not None:
        position = desk.wait(branching.move_leaf(key, _key(subject, entry))).leaf
    else:
        position = subject.session.leaf
    at = subject.skeleton.tree.get(position)
    id = None if at is None else subject.ids[at]
    desk.answer(lambda: {"session": subject.session.id, "leaf": id}, lambda: [id or "at the start"])


def _stored(desk: Desk, session: str) -> Subject:
    subject = desk.subject(session)
    if subject.temporary:
        raise KnownError("A session file is only read. Import it first to change the session.")
    return subject


def _key(subject: Subject, entry: str) -> int:
    return subject.services.entries.key(subject.session.key, entry).result()


COMMANDS = (fork, label, leaf)

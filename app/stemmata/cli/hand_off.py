"""Commands that continue a session in another tool: hand-off, resume-command."""

from __future__ import annotations

from pathlib import Path

import click

from stemmata.cli.command_context import CommandContext, GlobalCommand, pass_cli
from stemmata.cli.output import data
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.requests.hand_off import Extent
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.handing_off import HandOff, command_line

SUMMARISERS = ("digest", "model")


@click.command("hand-off", cls=GlobalCommand)
@click.argument("session")
@click.option("--to", "tool", required=True, metavar="TOOL", help="The tool: claude-code, codex or pi.")
@click.option("--at", "entry", default=None, metavar="ENTRY", help="Continue from this entry; the leaf by default.")
@click.option(
    "--extent",
    type=click.Choice([extent.value for extent in Extent]),
    default=Extent.WHOLE.value,
    help="What the tool gets: all messages of the path, the context that the model sees, or a brief summary.",
)
@click.option("--brief-by", type=click.Choice(SUMMARISERS), default="digest", help="Writer of the brief.")
@click.option("--folder", type=click.Path(path_type=Path), default=None, help="Folder in which the tool works.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@pass_cli
def hand_off(
    cli: CommandContext,
    session: str,
    tool: str,
    entry: str | None,
    extent: str,
    brief_by: str,
    folder: Path | None,
    dry_run: bool,
) -> None:
    """Continue a session in another tool, which gets a new session. The session here stays as it is."""
    subject = cli.subject(session)
    handing_off, key = subject.services.handing_off, subject.session.key
    at = subject.session.leaf if entry is None else cli.wait(subject.services.entries.key(key, entry))
    if at is None:
        raise NothingToDoError(Phrase("Nothing to hand over: the session is empty. Nothing was written."))
    cwd = "" if folder is None else str(folder.absolute())
    brief = ""
    if extent == Extent.BRIEF and brief_by == "model":
        brief = cli.wait(handing_off.brief(key, at, by_model=True))
    asked = HandOff(session=key, entry=at, tool=tool, extent=Extent(extent), brief=brief, cwd=cwd)
    shown = cli.wait(handing_off.preview(asked))
    lost = [str(one) for one in shown.lost]
    facts = {"messages": shown.size.messages, "calls": shown.size.calls, "tokens": shown.size.tokens, "lost": lost}
    told = [f"{shown.size.messages} messages, {shown.size.calls} tool calls, ≈ {shown.size.tokens} tokens."]
    told += [f"Not handed over: {one}." for one in lost]
    if dry_run:
        cli.answer(lambda: {"written": False, **facts}, lambda: [*told, "Nothing was written."])
        return
    done = cli.wait(handing_off.write(asked))
    cli.answer(
        lambda: {"written": True, **facts, "path": str(done.path), "cwd": done.cwd, "command": list(done.command)},
        lambda: [*told, f"Written: {done.path}", f"Continue with: {command_line(done.command, done.cwd)}"],
    )


@click.command("resume-command", cls=GlobalCommand)
@click.argument("session")
@pass_cli
def resume_command(cli: CommandContext, session: str) -> None:
    """Print the command that continues a session in its tool."""
    subject = cli.subject(session)
    command = subject.services.handing_off.resume_command(subject.session)
    if not command:
        raise NothingToDoError(Phrase("No command continues this session in its tool. Use `stemmata hand-off`."))
    if cli.as_json:
        cli.answer(lambda: {"command": list(command), "cwd": subject.session.cwd}, tuple)
    else:
        data(f"{command_line(command, subject.session.cwd)}\n".encode())


COMMANDS = (hand_off, resume_command)

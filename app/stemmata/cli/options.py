"""Global options, accepted before and after the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stemmata.cli.desk import Desk


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in (None, False, 0):
        context.ensure_object(Desk).options[str(parameter.name)] = value


GLOBAL_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--store", type=click.Path(path_type=Path), envvar="STEMMATA_STORE", expose_value=False, callback=_keep,
        help="The archive file.",
    ),
    click.option(
        "--profile", type=click.Path(path_type=Path), envvar="STEMMATA_PROFILE", expose_value=False, callback=_keep,
        help="Folder that holds settings, archive and logs.",
    ),
    click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=_keep, help="One JSON document on stdout."
    ),
    click.option("--quiet", is_flag=True, expose_value=False, callback=_keep, help="Only results and errors."),
    click.option("-v", "--verbose", count=True, expose_value=False, callback=_keep, help="More on stderr."),
)  # fmt: skip


class GlobalCommand(click.Command):
    """A command that also takes the global options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _add_globals(self)


class GlobalGroup(click.Group):
    """The program: global options before the command, and commands that take them as well."""

    command_class = GlobalCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _add_globals(self)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A file may stand in the place of a command: where there is none, that is what is said."""
        if args and args[0] not in self.commands and ("." in args[0] or "/" in args[0]):
            told = "a folder: import it" if Path(args[0]).is_dir() else "neither a file nor a command"
            if not Path(args[0]).is_file():
                raise click.UsageError(f"“{args[0]}” is {told}.", ctx)
            raise click.UsageError("A file to open goes alone: stemmata FILE.", ctx)
        return super().resolve_command(ctx, args)


def _add_globals(command: click.Command) -> None:
    for option in GLOBAL_OPTIONS:
        option(command)


def pass_desk(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the desk to a command as its first argument."""
    return click.pass_obj(function)

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


def _add_globals(command: click.Command) -> None:
    for option in GLOBAL_OPTIONS:
        option(command)


def pass_desk(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the desk to a command as its first argument."""
    return click.pass_obj(function)

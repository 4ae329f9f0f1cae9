"""Commands that add the program to the user's desktop, and remove it again."""

from __future__ import annotations

import click

from stemmata.cli import words
from stemmata.cli.command_context import EXIT_DONE, CommandContext, GlobalCommand, pass_cli


@click.command(cls=GlobalCommand)
@pass_cli
def install(cli: CommandContext) -> int:
    """Add Stemmata to the menu of this user's desktop.

    Also installs its icons, links, file type, manual, completions and a service that follows folders. Packages of the
    system do this for all users. Run it again after the program was moved.
    """
    folder = cli.services.desktop.install()
    cli.answer(
        lambda: {"folder": str(folder)}, lambda: [f"Stemmata is in the menu now. Its files are below {folder}."]
    )
    return EXIT_DONE


@click.command(cls=GlobalCommand)
@pass_cli
def uninstall(cli: CommandContext) -> int:
    """Remove what `stemmata install` added.

    The archive, the settings and the program itself are kept."""
    count = cli.services.desktop.remove()
    cli.answer(
        lambda: {"removed": count},
        lambda: [
            f"Removed {words.plural(count, 'file', 'files')}."
            if count
            else "Nothing to remove: Stemmata is not in the menu of this user’s desktop."
        ],
    )
    return EXIT_DONE


COMMANDS = (install, uninstall)

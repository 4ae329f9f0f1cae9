"""The program `stemmata` with its commands and exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import click

from stemmata.cli import archive, branches, chat, context, desktop, hand_off, transcript
from stemmata.cli.command_context import (
    EXIT_DONE,
    EXIT_KNOWN_ERROR,
    EXIT_USAGE,
    ArchiveOpener,
    CommandContext,
    GlobalCommand,
    GlobalGroup,
)
from stemmata.cli.output import OutputClosedError, discard_stdout, err, prepare, report
from stemmata.domain.errors import KnownError
from stemmata.version import version_text


@click.group(cls=GlobalGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version_text(), prog_name="stemmata")
def program() -> None:
    """The session trees of your coding agents and model chats, in one local archive.

    `stemmata` opens the window. `stemmata FILE` imports a session file and opens it there; `stemmata -` does so with
    a session on standard input.

    A SESSION of a command is an id, the beginning of an id, a session file (which is read, but not stored), or the
    word latest. An ENTRY is an id or the beginning of one, as `stemmata tree` prints it.
    """


@click.command("open", cls=GlobalCommand)
@click.argument("session", required=False, expose_value=False)
def open_() -> None:
    """Open the window, and a SESSION in it.

    SESSION can also be a link stemmata://…, or a file or - (standard input), which are imported. If a window of the
    same archive is already open, that window opens the session.
    """
    raise click.UsageError("Unexpected arguments. Use `stemmata open` or `stemmata open SESSION`.")


program.add_command(open_)
for _command in (
    *archive.COMMANDS,
    *transcript.COMMANDS,
    *context.COMMANDS,
    *branches.COMMANDS,
    *hand_off.COMMANDS,
    *chat.COMMANDS,
    *desktop.COMMANDS,
):
    program.add_command(_command)


def main(argv: Sequence[str], opener: ArchiveOpener) -> int:
    """Run one command. Exit codes: 0 done, 1 known error, 2 wrong usage, 3 done, but some input was skipped."""
    prepare()
    cli = CommandContext(opener)
    try:
        result = _run(argv, cli)
    except OutputClosedError:
        return EXIT_DONE
    except click.exceptions.Abort:
        err("Aborted.")
        return EXIT_KNOWN_ERROR
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        err(shown.getvalue().rstrip())
        return EXIT_USAGE
    except KnownError as error:
        report(error)
        return EXIT_KNOWN_ERROR
    finally:
        cli.close()
    return result if isinstance(result, int) else EXIT_DONE


def _run(argv: Sequence[str], cli: CommandContext) -> object:
    """Run the command with click, which prints help itself and exits when its reader closes stdout."""
    try:
        return program.main(list(argv), prog_name="stemmata", standalone_mode=False, obj=cli)
    except SystemExit:
        discard_stdout()
        raise OutputClosedError from None
    except UnicodeEncodeError as error:
        raise KnownError("The arguments are not valid UTF-8. Nothing was changed.") from error
    except OSError as error:
        discard_stdout()
        raise KnownError(f"{error.strerror or error}. The output may be incomplete.") from error

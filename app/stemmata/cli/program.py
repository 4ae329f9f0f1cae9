"""The program `stemmata` as a set of commands, and what its exit codes mean."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import click

from stemmata import __version__
from stemmata.cli import archive, branches, chat, context, transcript
from stemmata.cli.desk import DONE, KNOWN_ERROR, USAGE, Desk, GlobalCommand, GlobalGroup, Opener
from stemmata.cli.output import ReaderGone, err, let_go, prepare, say
from stemmata.domain.errors import KnownError


@click.group(cls=GlobalGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stemmata")
def program() -> None:
    """The session trees of your coding agents and model chats, in one local archive.

    Without a command, or with a session file in its place, the window opens. A SESSION is an id, a unique prefix of
    one, a session file (read, never stored), or the word latest.
    """


@click.command("open", cls=GlobalCommand)
@click.argument("session", required=False, expose_value=False)
def open_() -> None:
    """Open the window, there a SESSION: also a file, which is imported, or a link stemmata://…

    Where a window over the same archive is open already, that one opens it.
    """
    raise click.UsageError("The window could not be asked: write `stemmata open` or `stemmata open SESSION`.")


program.add_command(open_)
for _command in (*archive.COMMANDS, *transcript.COMMANDS, *context.COMMANDS, *branches.COMMANDS, *chat.COMMANDS):
    program.add_command(_command)


def main(argv: Sequence[str], opener: Opener) -> int:
    """Run one command. Exit codes: 0 done, 1 known error, 2 usage, 3 done with some input left out."""
    prepare()
    desk = Desk(opener)
    try:
        result = _run(argv, desk)
    except ReaderGone:
        return DONE
    except click.exceptions.Abort:
        err("Aborted.")
        return KNOWN_ERROR
    except click.ClickException as error:
        told = StringIO()
        error.show(told)
        err(told.getvalue().rstrip())
        return USAGE
    except KnownError as error:
        say(error)
        return KNOWN_ERROR
    finally:
        desk.close()
    return result if isinstance(result, int) else DONE


def _run(argv: Sequence[str], desk: Desk) -> object:
    """Help and the like are printed by click, which ends the process by itself when nobody reads them."""
    try:
        return program.main(list(argv), prog_name="stemmata", standalone_mode=False, obj=desk)
    except SystemExit:
        let_go()
        raise ReaderGone from None
    except UnicodeEncodeError as error:
        raise KnownError("What was given is no text in UTF-8. Nothing was changed.") from error
    except OSError as error:
        let_go()
        raise KnownError(f"{error.strerror or error}. What was to be written may be incomplete.") from error

"""What every command works with: options, services, output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from stemmata.cli import output
from stemmata.domain.entries.session_facts import Session, SessionTree
from stemmata.domain.errors import UnreadableSourceError
from stemmata.services.services import Services

DONE, KNOWN_ERROR, USAGE = 0, 1, 2
PARTLY = 3  # some of the input was passed over


T = TypeVar("T")


class Opened(Protocol):
    """Services over one archive, to be closed."""

    @property
    def services(self) -> Services: ...

    @property
    def settings(self) -> Path: ...  # the file

    @property
    def settings_problem(self) -> str: ...  # "" for none

    @property
    def hides_connections(self) -> bool: ...  # whether that may be about whom to ask

    def close(self) -> None: ...


class Opener(Protocol):
    """How the program is started: opens the archive, or a temporary one for a single file."""

    def open(self, store: Path | None, profile: Path | None) -> Opened: ...

    def temporary(self, profile: Path | None) -> Opened: ...


@dataclass(frozen=True)
class Subject:
    """The session a command is about. `temporary`: it was read from a file and is not in the archive."""

    services: Services
    skeleton: SessionTree
    ids: Sequence[str]  # source ids by index in the tree
    temporary: bool

    @property
    def session(self) -> Session:
        return self.skeleton.session

    def index(self, id: str | None) -> int | None:
        """Index of the entry with this id or unique prefix; of the leaf for None. Raises NotFoundError."""
        tree = self.skeleton.tree
        if id is None:
            return tree.get(self.session.leaf)
        return tree.index(self.services.entries.key(self.session.key, id).result())


class Desk:
    """Opens archives when they are first needed and closes them at the end."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._opened: list[Opened] = []
        self._services: Services | None = None
        self._has_told_settings = False
        self.options: dict[str, Any] = {}

    @property
    def as_json(self) -> bool:
        return bool(self.options.get("as_json"))

    @property
    def services(self) -> Services:
        if self._services is None:
            opened = self._opener.open(self.options.get("store"), self.options.get("profile"))
            self._services = self._taken(opened).services
        return self._services

    @property
    def settings(self) -> Path:
        """The file that is in force."""
        return next(opened.settings for opened in self._opened)

    @property
    def hides_connections(self) -> bool:
        """Whether settings were passed over that may say whom to ask."""
        return any(opened.hides_connections for opened in self._opened)

    def subject(self, name: str) -> Subject:
        """The session that a SESSION argument means. Raises NotFoundError, UnreadableSourceError."""
        path = Path(name)
        if path.is_file():
            return self._from_file(path)
        session = self.wait(self.services.sessions.find(name))
        return self._subject(self.services, session.key, temporary=False)

    def wait(self, future: Future[T]) -> T:
        """The result of work on the db thread."""
        return future.result()

    def _from_file(self, path: Path) -> Subject:
        opened = self._taken(self._opener.temporary(self.options.get("profile")))
        report = self.wait(opened.services.importing.import_paths([path.absolute()]))
        if not report.sessions:
            reason = report.skipped_files[0].reason if report.skipped_files else f"{path} holds no session."
            raise UnreadableSourceError(reason)
        return self._subject(opened.services, report.sessions[0].key, temporary=True)

    def _taken(self, opened: Opened) -> Opened:
        """To be closed at the end. What is wrong with the settings is said once: they are the same for all."""
        self._opened.append(opened)
        if opened.settings_problem and not self._has_told_settings:
            self._has_told_settings = True
            output.say(opened.settings_problem)
        return opened

    def _subject(self, services: Services, key: int, *, temporary: bool) -> Subject:
        skeleton = self.wait(services.sessions.open(key))
        ids = self.wait(services.entries.ids(key))
        return Subject(services, skeleton, ids, temporary)

    def close(self) -> None:
        for opened in reversed(self._opened):
            opened.close()

    # -- output -----------------------------------------------------------------------------------------------

    def answer(self, document: Callable[[], dict[str, Any]], text: Callable[[], Iterable[str]]) -> None:
        """Print the document with --json, else the lines."""
        if self.as_json:
            output.document(document())
        else:
            for line in text():
                output.out(line)

    def note(self, text: str) -> None:
        """A diagnostic, on stderr; nothing with --quiet."""
        if not self.options.get("quiet"):
            output.err(text)


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

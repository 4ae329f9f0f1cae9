"""The objects that every command uses: options, services, output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from stemmata.cli import output
from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.services.services import Services

EXIT_DONE, EXIT_KNOWN_ERROR, EXIT_USAGE = 0, 1, 2
EXIT_PARTIAL = 3  # some of the input was skipped


T = TypeVar("T")


class OpenedArchive(Protocol):
    """An open archive with its services; the caller closes it."""

    @property
    def services(self) -> Services:
        """The services over the archive."""
        ...

    @property
    def settings(self) -> Path:
        """The settings file."""
        ...

    @property
    def settings_problem(self) -> str:
        """The problem of the settings file, or ""."""
        ...

    @property
    def hides_connections(self) -> bool:
        """Whether the problem may concern connections or the choice of the default one."""
        ...

    def close(self) -> None:
        """Stop the services and close the archive."""
        ...


class ArchiveOpener(Protocol):
    """Open the archive, or a temporary archive for a single file. `bootstrap` implements it."""

    def open(self, store: Path | None, profile: Path | None) -> OpenedArchive:
        """Open the archive of the profile, or the one in `store`."""
        ...

    def temporary(self, profile: Path | None) -> OpenedArchive:
        """Open an empty archive that is deleted when it is closed."""
        ...


@dataclass(frozen=True)
class CommandSubject:
    """The session that a command works on. `temporary`: it was read from a file and is not in the archive."""

    services: Services
    session_tree: SessionTree
    ids: Sequence[str]  # source ids by index in the tree
    temporary: bool

    @property
    def session(self) -> Session:
        """The session's properties."""
        return self.session_tree.session

    def index(self, id: str | None) -> int | None:
        """Return the tree index of an entry by id or unique prefix, or of the leaf for None. Raises NotFoundError."""
        tree = self.session_tree.tree
        if id is None:
            return tree.get(self.session.leaf)
        return tree.index(self.services.entries.key(self.session.key, id).result())


class CommandContext:
    """Open archives when they are first needed and close them at the end."""

    def __init__(self, opener: ArchiveOpener) -> None:
        self._opener = opener
        self._opened: list[OpenedArchive] = []
        self._services: Services | None = None
        self._has_reported_settings = False
        self.options: dict[str, Any] = {}

    @property
    def as_json(self) -> bool:
        """Whether to print JSON."""
        return bool(self.options.get("as_json"))

    @property
    def services(self) -> Services:
        """The services over the archive, opened on first use."""
        if self._services is None:
            opened = self._opener.open(self.options.get("store"), self.options.get("profile"))
            self._services = self._track(opened).services
        return self._services

    @property
    def settings(self) -> Path:
        """The settings file in force."""
        return next(opened.settings for opened in self._opened)

    @property
    def hides_connections(self) -> bool:
        """Whether ignored settings may concern connections or the choice of the default one."""
        return any(opened.hides_connections for opened in self._opened)

    def subject(self, name: str, *, changes: bool = False) -> CommandSubject:
        """Return the session that a SESSION argument names: one of the archive, or the one in a file.

        `changes`: the command changes the session. Raises NotFoundError and UnreadableSourceError, and KnownError for
        a session file that would be changed.
        """
        path = Path(name)
        if path.is_file():
            if changes:
                raise KnownError("A session file cannot be changed. Import it first, then use the session's id.")
            return self._from_file(path)
        session = self.wait(self.services.sessions.find(name))
        return self._subject(self.services, session.key, temporary=False)

    def wait(self, future: Future[T]) -> T:
        """Return the result of work on the db thread."""
        return future.result()

    def _from_file(self, path: Path) -> CommandSubject:
        opened = self._track(self._opener.temporary(self.options.get("profile")))
        report = self.wait(opened.services.importing.import_paths([path.absolute()]))
        if not report.sessions:
            reason = report.skipped_files[0].reason if report.skipped_files else f"{path} contains no session."
            raise UnreadableSourceError(reason)
        if len(report.sessions) > 1:
            raise KnownError(
                f"{path} holds {len(report.sessions)} sessions. Import it first, then use a session's id."
            )
        return self._subject(opened.services, report.sessions[0].key, temporary=True)

    def _track(self, opened: OpenedArchive) -> OpenedArchive:
        """Register an archive for closing, and report the problem of the settings the first time."""
        self._opened.append(opened)
        if opened.settings_problem and not self._has_reported_settings:
            self._has_reported_settings = True
            output.report(opened.settings_problem)
        return opened

    def _subject(self, services: Services, key: int, *, temporary: bool) -> CommandSubject:
        session_tree = self.wait(services.sessions.open(key))
        ids = self.wait(services.entries.ids(key))
        return CommandSubject(services, session_tree, ids, temporary)

    def close(self) -> None:
        """Close the archives."""
        for opened in reversed(self._opened):
            opened.close()

    # -- output -----------------------------------------------------------------------------------------------

    def answer(self, document: Callable[[], dict[str, Any]], text: Callable[[], Iterable[str]]) -> None:
        """Print the document with --json, else the lines of text."""
        if self.as_json:
            output.document(document())
        else:
            for line in text():
                output.out(line)

    def note(self, text: str) -> None:
        """Print a diagnostic on stderr, unless --quiet is given."""
        if not self.options.get("quiet"):
            output.err(text)


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in (None, False, 0):
        context.ensure_object(CommandContext).options[str(parameter.name)] = value


GLOBAL_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--store", type=click.Path(path_type=Path), envvar="STEMMATA_STORE", expose_value=False, callback=_keep,
        help="Archive file.",
    ),
    click.option(
        "--profile", type=click.Path(path_type=Path), envvar="STEMMATA_PROFILE", expose_value=False, callback=_keep,
        help="Folder with settings, archive and logs.",
    ),
    click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=_keep, help="Print one JSON document."
    ),
    click.option("--quiet", is_flag=True, expose_value=False, callback=_keep, help="Print only results and errors."),
    click.option("-v", "--verbose", count=True, expose_value=False, callback=_keep, help="Print more on stderr."),
)  # fmt: skip


class GlobalCommand(click.Command):
    """A command that also accepts the global options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _add_globals(self)


# Names that other programs give to a command, and its name here. Click suggests only names with a similar spelling.
_OTHER_NAMES = {
    "list": "sessions", "ls": "sessions", "cat": "show", "log": "show", "find": "search", "grep": "search",
    "run": "open", "resume": "resume-command",
}  # fmt: skip


class GlobalGroup(click.Group):
    """The program, with global options before and after the command."""

    command_class = GlobalCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _add_globals(self)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. An argument that looks like a file gets an error message about files.

        A name that other programs use gets one with the command's name here.
        """
        if args and args[0] not in self.commands and ("." in args[0] or "/" in args[0]):
            problem = "a folder; use stemmata import" if Path(args[0]).is_dir() else "neither a file nor a command"
            if not Path(args[0]).is_file():
                raise click.UsageError(f"“{args[0]}” is {problem}.", ctx)
            raise click.UsageError("A file must be the only argument: stemmata FILE.", ctx)
        if args and (meant := _OTHER_NAMES.get(args[0])):
            raise click.UsageError(f"No such command '{args[0]}'. Did you mean '{meant}'?", ctx)
        return super().resolve_command(ctx, args)


def _add_globals(command: click.Command) -> None:
    for option in GLOBAL_OPTIONS:
        option(command)


def pass_cli(function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the CommandContext to a command as its first argument."""
    return click.pass_obj(function)

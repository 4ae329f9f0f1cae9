"""The services over one archive, without a window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stemmata.services.notices import Notices
from stemmata.services.sessions.sessions import Sessions
from stemmata.store.archive import SqliteArchive
from stemmata.system.settings.settings import LoadedSettings

if TYPE_CHECKING:
    from stemmata.services.services import Services


# The rooms that `parts` imports, first those that others import: a window loads their modules one by one.
ROOMS = """
    domain.text domain.entries domain.context domain.search domain.compaction.digest domain.compaction.summary
    domain.compaction domain.requests domain.chat domain.compare domain.navigator
    services.ports services.compaction services.context services.tools services.settings services.sessions
    services.importing services.chat services.search
    formats.shared formats.pi formats.claude_code formats.openclaw formats.markdown formats.json
    providers.shared providers.anthropic providers.openai providers.mcp system.models system.settings system.following
""".split()


class TemporaryFolder(Protocol):
    """A temporary folder that is deleted with the core."""

    def cleanup(self) -> None:
        """Delete the folder with its contents."""


class Core:
    """The services over one archive.

    `memory` is the folder of the memory tool, `models` the folder of the cached model lists. The list of sessions
    needs only `sessions` and `notices`; the other services are loaded when `services` is first used.
    """

    def __init__(
        self,
        store: SqliteArchive,
        loaded: LoadedSettings,
        memory: Path,
        models: Path | None = None,
        folder: TemporaryFolder | None = None,
    ) -> None:
        self.store, self.folder = store, folder
        self.settings = loaded.path
        self.settings_problem = "" if loaded.problem is None else str(loaded.problem)
        self.hides_connections = loaded.hides_connections
        self.notices = Notices()
        self.sessions = Sessions(store, self.notices)
        self._loaded, self._memory = loaded, memory
        self._models = models or loaded.path.parent / "models"

    @property
    def rooms(self) -> Sequence[str]:
        """The rooms that the services are made of, those first that others import."""
        return ROOMS

    @cached_property
    def services(self) -> Services:
        """All services over the archive."""
        from stemmata.bootstrap.parts import all_services  # imported late, see decision 26

        return all_services(self.store, self.sessions, self._loaded, self._models, self._memory)

    def close(self) -> None:
        """Stop the running work, finish queued writes and close the archive; a temporary archive is deleted."""
        if "services" in vars(self):
            self.services.close()
        self.store.close()
        if self.folder is not None:
            self.folder.cleanup()


def open_core(path: Path, loaded: LoadedSettings, cache: Path | None = None, *, wait: bool = True) -> Core:
    """Return the services over the archive in this file, which is created if it does not exist.

    `cache` is a folder. Without `wait`, errors are raised by `store.wait()`.
    """
    archive = SqliteArchive(path, wait=wait)
    return Core(archive, loaded, path.parent / "memory", cache / "models" if cache else None)

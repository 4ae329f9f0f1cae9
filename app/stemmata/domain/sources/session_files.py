"""Session files of a tool on this machine: those that were found, and those that the tool will delete."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Discovered:
    """The session files of one tool that were found on this machine and can be imported.

    `is_of_project`: the folder is that of a project, which is followed only when a person names it.
    """

    source: str
    name: str  # the tool's name, for people
    folder: str
    files: tuple[str, ...]
    size: int  # bytes
    is_of_project: bool = False


@dataclass(frozen=True, slots=True)
class CleanUp:
    """The clean-up of a tool, which deletes session files in `folder` that were not changed for a number of days.

    `days` is this number. `files` are the session files that are there now.
    """

    source: str
    name: str  # the tool's name, for people
    days: int
    folder: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndangeredFiles:
    """Session files that a tool may soon delete and that the archive lacks, in part or altogether.

    The files that may be deleted first come first; `first` is the time (ns) from which the first one may be.
    """

    source: str
    name: str
    days: int
    folder: str
    files: tuple[str, ...]
    first: int

    def only(self, files: tuple[str, ...]) -> EndangeredFiles:
        """Return the value with these files in place of all."""
        return replace(self, files=files)

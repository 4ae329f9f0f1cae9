"""Folders whose sessions are imported as they grow: which they are, and how it goes with each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

SEPARATOR = ";"  # between the folders of the setting


class Way(Enum):
    """How changes in a followed folder are noticed, or why they are not."""

    TOLD = "told"  # by the system
    NETWORK = "network"  # it is looked through again and again: a network tells nothing
    LIMIT = "limit"  # the same, because the system watches no more folders for us
    GONE = "gone"
    REFUSED = "refused"  # it may not be read


@dataclass(frozen=True, slots=True)
class Followed:
    """A folder as it was named, and how it goes with it now."""

    folder: str
    way: Way

    @property
    def is_followed(self) -> bool:
        return self.way not in (Way.GONE, Way.REFUSED)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a look at the followed folders showed: files that may have changed, and how it goes with each folder."""

    files: tuple[str, ...] = ()
    folders: tuple[Followed, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowingNews:
    """Something to tell the person. `about`: a folder or a file, "" for the archive; `bad`: until told otherwise."""

    about: str
    text: str
    bad: bool = False


def folders_of(setting: str) -> tuple[str, ...]:
    """The folders that the setting names, each once."""
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in setting.split(SEPARATOR)))))


def setting_of(folders: Iterable[str]) -> str:
    return f"{SEPARATOR} ".join(folders)


def changed_setting(setting: str, folders: Iterable[str], *, on: bool) -> str:
    """The setting with these folders in it, or without them."""
    named, before = dict.fromkeys(folders), folders_of(setting)
    if on:
        return setting_of(dict.fromkeys([*before, *named]))
    return setting_of(folder for folder in before if folder not in named)

"""The ports for the documentation, and for the files by which a desktop knows the program."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class DesktopFiles(Protocol):
    """The files of this user's desktop. Both methods read and write files: call them on a thread of their own."""

    def install(self) -> Path:
        """Write the files and return the folder that contains them; written again, they are brought up to date.

        Raises KnownError when the program is installed for all users, or when a file cannot be written.
        """

    def remove(self) -> int:
        """Remove the files and return how many there were. Raises KnownError when a file cannot be removed."""


class Documentation(Protocol):
    """The pages of the documentation."""

    def page(self, name: str) -> Path:
        """Return the HTML file of a page; it may be written first. Raises KnownError when it cannot be."""

"""The ports to the system: the files of the desktop, the pages of the documentation, regular expressions."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from stemmata.domain.search.needle import Needle


class DesktopFiles(Protocol):
    """The files of this user's desktop. Both methods read and write files: call them on a separate thread."""

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


class PatternSource(Protocol):
    """Makes needles of regular expressions that end in any case."""

    def __call__(self, pattern: str, *, case: bool, word: bool, patient: bool) -> Needle:
        """Return the needle that finds a pattern, in any case unless `case`, as whole words with `word`.

        A `patient` needle is for another thread than that of the window: it raises KnownError when a search takes too
        long. A needle that is not patient finds nothing after such a search. Raises KnownError for a pattern that is
        invalid or too large.
        """
        ...

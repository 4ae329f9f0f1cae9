"""The port for regular expressions."""

from __future__ import annotations

from typing import Protocol

from stemmata.domain.search.needle import Needle


class PatternSource(Protocol):
    """Makes needles of regular expressions that end in any case."""

    def __call__(self, pattern: str, *, case: bool, word: bool, patient: bool) -> Needle:
        """Return the needle that finds a pattern, in any case unless `case`, as whole words with `word`.

        A `patient` needle is for another thread than that of the window: it raises KnownError when a search takes
        too long. The other kind finds nothing from then on. Raises KnownError for a pattern that is wrong or too
        large.
        """
        ...

"""Ids of the records of one pi file: those they carry, made unique, and those that are made for version 1."""

from __future__ import annotations

import hashlib
from typing import Any


class PiIds:
    """Claims must come in file order: what an id resolves to is the newest entry that bore it up to then."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._claimed: set[str] = set()
        self._times: dict[str, int] = {}  # an id borne more than once → how many unique ones were made of it
        self._made: dict[int, str] = {}  # record count → id made for it

    def claim(self, id: str) -> str:
        """The id, or when it is taken one made of it: `x`, `x~2`, `x~3`."""
        if id not in self._claimed:
            self._claimed.add(id)
            return id
        number = self._times.get(id, 1) + 1
        while (unique := f"{id}~{number}") in self._claimed:
            number += 1
        self._times[id] = number
        self._claimed.add(unique)
        return unique

    @property
    def are_unique(self) -> bool:
        """Whether no id was borne more than once so far."""
        return not self._times

    def is_claimed(self, id: str) -> bool:
        return id in self._claimed

    def resolve(self, id: str) -> str:
        """The stored id of the entry that a record names."""
        return f"{id}~{self._times[id]}" if id in self._times else id

    def make(self, index: int) -> str:
        """An id for the record with this count: the same at every reading of the file.

        Eight hex characters of a hash of session and count, more when those are taken.
        """
        digest = hashlib.sha256(f"{self._session}:{index}".encode("utf-8", "surrogatepass")).hexdigest()
        free = (digest[:size] for size in range(8, 65) if digest[:size] not in self._claimed)
        self._made[index] = id = self.claim(next(free, digest))
        return id

    def made(self, index: int) -> str | None:
        """The id made for an earlier record."""
        return self._made.get(index)


def carried(value: Any) -> str | None:
    """An id as a record carries it: strings as they are, whole numbers as text, nothing else."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None

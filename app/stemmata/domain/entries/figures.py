"""Numbers of tokens: how each is known, and their short form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class FigureKind(IntEnum):
    """How a number is known, strongest first. A total takes the weakest kind of its parts."""

    REPORTED = 0
    COUNTED = 1
    ESTIMATED = 2
    UNKNOWN = 3

    @property
    def text(self) -> str:
        """The kind as a word, as the output in JSON has it."""
        return self.name.lower()

    @property
    def mark(self) -> str:
        """The sign before a number of this kind: `≈` estimated, `=` counted, none for a reported one."""
        return _MARKS.get(self, "")


_MARKS = {FigureKind.COUNTED: "= ", FigureKind.ESTIMATED: "≈ "}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of tokens and how it is known. `value` is None exactly when the kind is UNKNOWN."""

    value: int | None
    kind: FigureKind

    @classmethod
    def reported(cls, value: int) -> Figure:
        """Return a figure that a provider reported."""
        return cls(value, FigureKind.REPORTED)

    @classmethod
    def counted(cls, value: int) -> Figure:
        """Return a figure that the provider counted when it was asked."""
        return cls(value, FigureKind.COUNTED)

    @classmethod
    def estimated(cls, value: int) -> Figure:
        """Return an estimated figure."""
        return cls(value, FigureKind.ESTIMATED)

    def __add__(self, other: Figure) -> Figure:
        kind = max(self.kind, other.kind)
        if self.value is None or other.value is None:
            return UNKNOWN
        return Figure(self.value + other.value, kind)


UNKNOWN = Figure(None, FigureKind.UNKNOWN)


def abbreviated_count(count: int) -> str:
    """Return a count in short form: 950, 1.2k, 124.6k, 1.9M (one decimal from a thousand on)."""
    if count < 1000:
        return str(count)
    if count < 999_950:
        return f"{count / 1000:.1f}k"
    return f"{count / 1_000_000:.1f}M"

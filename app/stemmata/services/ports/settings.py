"""The ports for settings: the settings file and its schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stemmata.domain.settings.settings import Preferred, Value


class SettingSpec(Protocol):
    """A setting as data.

    `key` is `section.name`; numbers lie between `least` and `most`, words are among `choices`.
    """

    @property
    def key(self) -> str:
        """The key of the setting, of the form `section.name`."""

    @property
    def section(self) -> str:
        """The section of the file."""

    @property
    def name(self) -> str:
        """The name in its section."""

    @property
    def title(self) -> str:
        """The title in the settings dialog, in English."""

    @property
    def doc(self) -> str:
        """The help text."""

    @property
    def least(self) -> int:
        """The smallest valid number."""

    @property
    def most(self) -> int:
        """The largest valid number."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The valid words; empty for other types."""

    @property
    def names(self) -> str:
        """The object that a text names: "folders", "connection", "font" or "code font"; "" for any other text."""

    @property
    def is_table(self) -> bool:
        """Whether the value is a table of names that the user chooses, each with one of `choices`."""
        ...

    @property
    def optional(self) -> bool:
        """Whether the setting may be unset; its value is then None."""
        ...

    @property
    def default(self) -> Value | None:
        """The value when the setting is not in the file."""


class SettingsFile(Protocol):
    """The settings file, which users edit too. Blocks: not for the GUI thread."""

    @property
    def schema(self) -> Sequence[SettingSpec]:
        """Every setting, in the order of the documentation."""

    def read(self) -> Preferred:
        """Read the file and return its values and problems."""

    def change(self, key: str, value: Value | None) -> Preferred:
        """Write a setting; None removes it. Raises KnownError and changes nothing when the value is invalid."""
        ...

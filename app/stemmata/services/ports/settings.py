"""What settings need from the world: the file they are in, and what may stand there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stemmata.domain.settings.settings import Preferred, Value


class SettingSpec(Protocol):
    """One setting as data. `key` is `section.name`; a number lies between `least` and `most`, words are `choices`."""

    @property
    def key(self) -> str: ...

    @property
    def section(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def doc(self) -> str: ...

    @property
    def least(self) -> int: ...

    @property
    def most(self) -> int: ...

    @property
    def choices(self) -> tuple[str, ...]: ...

    @property
    def optional(self) -> bool:
        """Whether it may be unset; then its value is None."""
        ...

    @property
    def default(self) -> Value | None: ...


class SettingsFile(Protocol):
    """The settings in a file that people edit too. Blocks: not for the GUI thread."""

    @property
    def schema(self) -> Sequence[SettingSpec]: ...

    def read(self) -> Preferred: ...

    def change(self, key: str, value: Value | None) -> Preferred:
        """None takes the setting out. Raises KnownError, and changes nothing, for what cannot be written."""
        ...

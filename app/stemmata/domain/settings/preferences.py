"""The settings in force, as values that cross threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stemmata.domain.settings.settings import ChatSettings as ChatSettings
from stemmata.domain.settings.settings import CompactionSettings

Value = bool | int | str


@dataclass(frozen=True, slots=True)
class Preferred:
    """`values` by `section.name`, None where nothing is set. `problem` says what of the file is passed over."""

    values: Mapping[str, Value | None]
    compaction: CompactionSettings
    shortcuts: Mapping[str, str]  # keys by the id of an action, "" for none
    problem: str = ""
    chat: ChatSettings = field(default_factory=ChatSettings)

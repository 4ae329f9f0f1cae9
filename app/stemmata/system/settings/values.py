"""The settings with their defaults, as they hold where there is no file: all that the first window needs of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from stemmata.domain.settings.settings import ChatSettings, CompactionSettings


class WindowSettings(NamedTuple):
    theme: str = "system"
    font_scale: int = 100
    language: str = "system"
    enter_sends: bool = True


class SourceSettings(NamedTuple):
    follow_these_folders: str = ""


class Settings(NamedTuple):
    window: WindowSettings = WindowSettings()
    compaction: CompactionSettings = CompactionSettings()
    chat: ChatSettings = ChatSettings()
    sources: SourceSettings = SourceSettings()
    shortcuts: Mapping[str, str] = MappingProxyType({})  # keys by the id of an action

"""Reading and changing the settings while the program runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from stemmata.domain.context.breakdown import CompactionSettings
from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.domain.settings.settings import ChatSettings, Preferred, Value
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.settings import SettingsFile, SettingSpec

FOLLOWED = "sources.follow_these_folders"


class Preferences:
    """The file is read and written where the archive is: on the db thread, never on the window's.

    `adopt` puts the compaction settings in force, `adopt_chat` those of chatting, `adopt_followed` the folders that
    are followed; they are called on that thread.
    """

    def __init__(
        self,
        archive: Archive,
        file: SettingsFile,
        notices: Notices,
        adopt: Callable[[CompactionSettings], bool],
        adopt_chat: Callable[[ChatSettings], None] = lambda _settings: None,
        adopt_followed: Callable[[str], None] = lambda _setting: None,
    ) -> None:
        self._archive = archive
        self._file = file
        self._notices = notices
        self._adopt, self._adopt_chat, self._adopt_followed = adopt, adopt_chat, adopt_followed

    @property
    def schema(self) -> Sequence[SettingSpec]:
        """Every setting, in the order of the documentation; those of one section stand together."""
        return self._file.schema

    def read(self) -> Future[Preferred]:
        """What the file says now, which somebody may have edited; it is in force from here on."""
        return self._in_force(self._archive.read(lambda _reader: self._file.read()))

    def change(self, key: str, value: Value | None) -> Future[Preferred]:
        """Write one setting, None to take it out. Fails with a KnownError that says why nothing was changed."""
        return self._in_force(self._archive.read(lambda _reader: self._file.change(key, value)))

    def _in_force(self, preferred: Future[Preferred]) -> Future[Preferred]:
        return then(preferred, self._take)

    def _take(self, preferred: Preferred) -> Preferred:
        self._adopt_chat(preferred.chat)
        self._adopt_followed(str(preferred.values.get(FOLLOWED) or ""))
        if self._adopt(preferred.compaction):
            self._notices.publish(ChangeSet(Change.SETTINGS))
        return preferred

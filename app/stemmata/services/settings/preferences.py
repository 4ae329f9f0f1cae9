"""Reading and changing settings at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.settings.settings import ChatSettings, CompactionSettings, Preferred, SearchSettings, Value
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.settings import SettingsFile, SettingSpec

FOLLOWED = "sources.follow_these_folders"


class Preferences:
    """Reads and changes the settings file on the db thread, never on the GUI thread.

    `adopt` makes the compaction settings effective, `adopt_chat` the settings of the chat, `adopt_followed` the
    followed folders, `adopt_search` the settings of the search; all are called on the db thread.
    """

    def __init__(
        self,
        archive: Archive,
        file: SettingsFile,
        notices: Notices,
        adopt: Callable[[CompactionSettings], bool],
        adopt_chat: Callable[[ChatSettings], None] = lambda _settings: None,
        adopt_followed: Callable[[str], None] = lambda _setting: None,
        adopt_search: Callable[[SearchSettings], None] = lambda _settings: None,
    ) -> None:
        self._archive = archive
        self._file = file
        self._notices = notices
        self._adopt, self._adopt_chat, self._adopt_followed = adopt, adopt_chat, adopt_followed
        self._adopt_search = adopt_search

    @property
    def schema(self) -> Sequence[SettingSpec]:
        """Every setting, in the order of the documentation, grouped by section."""
        return self._file.schema

    def read(self) -> Future[Preferred]:
        """Read the file, which the user may have edited, and make its settings effective."""
        return self._in_force(self._archive.read(lambda _reader: self._file.read()))

    def change(self, key: str, value: Value | None) -> Future[Preferred]:
        """Write a setting; None removes it. Fails with a KnownError that says why nothing was changed."""
        return self._in_force(self._archive.read(lambda _reader: self._file.change(key, value)))

    def _in_force(self, preferred: Future[Preferred]) -> Future[Preferred]:
        return then(preferred, self._take)

    def _take(self, preferred: Preferred) -> Preferred:
        self._adopt_chat(preferred.chat)
        self._adopt_search(preferred.search)
        self._adopt_followed(str(preferred.values.get(FOLLOWED) or ""))
        if self._adopt(preferred.compaction):
            self._notices.publish(ChangeSet(Change.SETTINGS))
        return preferred

"""What other processes write to the archive: another window of this program, or an import by command."""

from __future__ import annotations

from concurrent.futures import Future

from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive

ANYTHING = Change.SESSIONS | Change.ENTRIES | Change.LEAF | Change.MARKS


class Watching:
    def __init__(self, archive: Archive, notices: Notices) -> None:
        self._archive, self._notices = archive, notices

    def look(self) -> Future[bool]:
        """Publish a change when somebody else wrote since the last look. What was written is not known."""
        return then(self._archive.changed_elsewhere(), lambda changed: self._tell(changed=changed))

    def _tell(self, *, changed: bool) -> bool:
        if changed:
            self._notices.publish(ChangeSet(ANYTHING))
        return changed

"""The exact request a provider would be sent at an entry: the one a run sends."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.session_facts import Skeleton
from stemmata.domain.requests.payloads import APIS, payload_of
from stemmata.services.chat.next_request import messages_of
from stemmata.services.chat.options import RunOptions, Wish, level_of
from stemmata.services.ports.archive import Archive, ArchiveReader

PROVIDERS = APIS


class Requests:
    def __init__(self, archive: Archive, options: RunOptions) -> None:
        self._archive, self._options = archive, options

    def payload(self, skeleton: Skeleton, entry: int | None, provider: str) -> Future[dict[str, Any]]:
        """The body that would be sent. `entry` is an index; an empty context fails with NothingToDoError."""
        projection = context_at(skeleton.tree, entry)
        wish = Wish(level=level_of(projection))

        def job(reader: ArchiveReader) -> dict[str, Any]:
            asked = self._options.asked(projection, provider)
            options = self._options.of(reader, skeleton.session, projection, *asked, wish)
            return payload_of(provider, messages_of(reader, projection), options, reader.blob)

        return self._archive.read(job)

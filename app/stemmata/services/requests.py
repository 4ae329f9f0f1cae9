"""The exact request a provider would be sent at an entry."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from stemmata.domain.context import context_at
from stemmata.domain.payloads import APIS, payload_of
from stemmata.domain.requests import RequestOptions
from stemmata.domain.sessions import Skeleton, whole_entry
from stemmata.services.ports import Archive, ArchiveReader

PROVIDERS = APIS


class Requests:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def payload(self, skeleton: Skeleton, entry: int | None, provider: str) -> Future[dict[str, Any]]:
        """The body that would be sent. `entry` is an index; an empty context fails with NothingToDoError."""
        projection = context_at(skeleton.tree, entry)
        named, _, model = projection.model.partition("/")
        options = RequestOptions(model=model, provider=named)

        def job(reader: ArchiveReader) -> dict[str, Any]:
            keys = [skeleton.tree.key(message.entry) for message in projection.messages]
            rows, bodies = reader.rows(keys), reader.bodies(keys)
            messages = [
                (whole_entry(rows[key], bodies[key]), message.form)
                for key, message in zip(keys, projection.messages, strict=True)
            ]
            return payload_of(provider, messages, options, reader.blob)

        return self._archive.read(job)

"""The source of a session that is no part of a file: a line of JSON for each record, composed by the reader."""

from __future__ import annotations

from typing import Any

from stemmata.domain.entries.entry import Record
from stemmata.domain.sources.reading import Raw
from stemmata.domain.text.json_text import compact_json


class ComposedSource:
    """Composes the lines of one session."""

    def __init__(self) -> None:
        self._offset = 0

    def line(self, record: Any) -> tuple[Raw, Record]:
        """Return the bytes of the next line, and the place of the record in the source."""
        data = compact_json(record).encode("utf-8", "replace") + b"\n"
        raw, place = Raw(self._offset, data), Record(self._offset, len(data) - 1)
        self._offset += len(data)
        return raw, place

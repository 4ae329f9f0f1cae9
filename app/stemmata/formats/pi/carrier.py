"""Write a session that `pi --session` continues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.pi.header import NEWEST
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.serialise import iso
from stemmata.formats.pi.writer import PiWriter


class PiCarrier:
    """Writes sessions that pi resumes. pi knows compactions, so the whole path has the context of the model in it."""

    extents = (Extent.WHOLE, Extent.BRIEF)

    def place(self, document: HandOffDocument, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the path of the new file, in the folder of the session's working folder, as pi names both."""
        sessions = Pi().folders(home, environment)[0].path
        folder = re.sub(r"[/\\:]", "-", document.cwd.lstrip("/\\"))
        moment = re.sub(r"[:.]", "-", iso(document.time))
        return sessions / f"--{folder}--" / f"{moment}_{document.id}.jsonl"

    def lines(self, document: HandOffDocument) -> Iterator[bytes]:
        """Yield the lines of the file."""
        if document.path is not None:
            yield from PiWriter().export(document.path)
            return
        moment = iso(document.time)
        header = {"type": "session", "version": NEWEST, "id": document.id, "timestamp": moment, "cwd": document.cwd}
        yield compact_json(header).encode("utf-8", "replace") + b"\n"
        for number, message in enumerate(document.messages):
            text = plain_text([block for block in message.blocks if isinstance(block, Text)])
            record = {
                "type": "message",
                "id": f"{number:08x}",
                "parentId": f"{number - 1:08x}" if number else None,
                "timestamp": moment,
                "message": {"role": "user", "content": text, "timestamp": document.time // 1_000_000},
            }
            yield compact_json(record).encode("utf-8", "replace") + b"\n"

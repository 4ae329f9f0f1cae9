"""Recognise Windsurf's transcripts (`~/.windsurf/transcripts`) and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Skipped
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import SourceLines, object_in
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, first_records, mapping, text
from stemmata.formats.windsurf.step import entries_of, has_ended, is_prompt, is_step

_HEAD = 1 << 16  # bytes in which the first command may name the folder
_RUNNING = "waits for a step that is still running, and will be read when that has ended"
_MOST = 200  # steps that are looked at for the folder


class Windsurf(SingleFileFormat):
    """The reader of Windsurf's transcripts."""

    name = "windsurf"

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is a step with a type, a status and the fields of its type."""
        return any(map(is_step, first_records(head)))

    def folders(self, home: Path, _environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of the transcripts, the same on every system."""
        return (SessionFolder(home / ".windsurf" / "transcripts", deep=False),)

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start, for Windsurf writes the file anew.

        A step that has not ended is held back with the steps behind it, because its fields still change. After a
        further prompt it counts as abandoned and is read as it is.
        """
        lines = SourceLines(path)
        above: str | None = None
        held: list[Entry] = []
        running: list[int] = []  # numbers of the lines that are held back
        yield Begin(SessionInfo(source=self.name, source_id=path.stem, cwd=_folder(path)))
        for part in lines:
            if isinstance(part, Raw):
                yield part
                continue
            try:
                found = object_in(part)
            except BadLineError as error:
                yield Skipped(part.number, str(error))
                continue
            if not is_step(found):
                yield Skipped(part.number, "not a step of Windsurf")
                continue
            if is_prompt(found):
                yield from held
                held, running = [], []
            if running or not has_ended(found):
                running.append(part.number)
            for entry in entries_of(f"line {part.number}", found, part.record):
                held.append(replace(entry, parent=above))
                above = entry.id
            if not running:
                yield from held
                held = []
        yield from (Skipped(number, _RUNNING) for number in running)
        leaf = held[0].parent if held else above
        yield End(leaf, leaf_known=True, checkpoint=lines.checkpoint({}))


def _folder(path: Path) -> str:
    """Return the folder in which the first command ran; "" when no command is near the start."""
    with open_source(path) as file, known_read_errors(path):
        found: list[Any] = first_records(file.read(_HEAD), _MOST)
    folders = (text(mapping(mapping(one).get("run_command")).get("cwd")) for one in found)
    return next(filter(None, folders), "")

"""Recognise Factory Droid's logs (`~/.factory/sessions/<project>/<session>.jsonl`) and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, ReadEvent, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.droid.records import START, message
from stemmata.formats.shared.facts_beside import beside_changed, content_of, fingerprint
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.message_log import Message, MessageLog
from stemmata.formats.shared.source_file import open_source
from stemmata.formats.shared.values import first_records, instant, mapping, text

_FOLDER = ".factory"
_SETTINGS = ".settings.json"  # ending of the file beside a log, which has the model and the tokens of the session
_HEAD = 1 << 16  # bytes of the file that are searched for the start of the session
_UNTITLED = "New Session"  # the title of a session before its first message
_OF_START = frozenset({"cwd", "title", "sessionTitle", "session"})
_FACTS = ("owner", "version", "hostId")


class Droid(SingleFileFormat):
    """The reader of Factory Droid's sessions."""

    name = "droid"

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether one of the first records starts a session of Droid, or is a message in Droid's folder.

        Messages of pi have the same form, but its files have a record of the type `session`.
        """
        found = [mapping(record) for record in first_records(head)]
        if any(one.get("type") == START and one.keys() & _OF_START for one in found):
            return True
        types = [one.get("type") for one in found if "message" in one or one.get("type") == "session"]
        return _FOLDER in path.parts and "message" in types and "session" not in types

    def folders(self, home: Path, _environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder that has a folder for each project."""
        return (SessionFolder(home / _FOLDER / "sessions"),)

    def main_file(self, path: Path) -> Path | None:
        """Return the log that a file with settings belongs to."""
        main = path.with_name(path.name.removesuffix(_SETTINGS) + ".jsonl")
        return main if path.name.endswith(_SETTINGS) and main.is_file() else None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the settings of the session changed."""
        return beside_changed(known, self.name, [_settings(path)])

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start, because Droid rewrites the first line."""
        beside, damaged = fingerprint([_settings(path)]), list[str]()
        settings = mapping(content_of(_settings(path), damaged))
        info, lines = _info(path, settings), SourceLines(path)

        def read_line(record: dict[str, Any], line: Line) -> Message | str:
            if record.get("type") == START:
                return ""
            return message(text(record.get("id")) or f"line {line.number}", record)

        log = MessageLog(lines, read_line)
        yield Begin(info)
        yield from log.events()
        yield from (Skipped(0, reason) for reason in damaged)
        yield End(log.leaf, leaf_known=True, checkpoint=lines.checkpoint({self.name: beside}), damaged=log.is_damaged)


def _settings(path: Path) -> Path:
    return path.with_name(path.stem + _SETTINGS)


def _info(path: Path, settings: Mapping[str, Any]) -> SessionInfo:
    with open_source(path) as file:
        found = [mapping(record) for record in first_records(file.read(_HEAD))]
    start = next((one for one in found if one.get("type") == START), {})
    older = mapping(start.get("session"))
    titles = (text(one) for one in (start.get("sessionTitle"), start.get("title"), older.get("title")))
    details = {key: start[key] for key in _FACTS if key in start}
    details |= {key: settings[key] for key in ("model", "tokenUsage") if key in settings}
    times = (instant(one.get("timestamp")) for one in found)
    return SessionInfo(
        source=Droid.name,
        source_id=text(start.get("id")) or text(older.get("id")) or path.stem,
        title=next((one for one in titles if one and one != _UNTITLED), ""),
        cwd=text(start.get("cwd")),
        created_at=next(filter(None, times), 0),
        details=compact_json(details) if details else "",
    )

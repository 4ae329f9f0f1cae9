"""Recognise Copilot CLI's logs (`~/.copilot/session-state/<session>/events.jsonl`) and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.session_facts import SessionInfo
from stemmata.domain.entries.source_facts import Begin, Checkpoint, End, Raw, ReadEvent, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.copilot_cli.chain import Chain
from stemmata.formats.shared.format import Folder, SingleFileFormat
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.source_file import open_source
from stemmata.formats.shared.values import BadLineError, first_records, instant, mapping, parse_object, text

_HEAD = 1 << 16  # bytes in which the start of the session stands
_KEYS = frozenset({"type", "data", "parentId"})
_FACTS = ("copilotVersion", "vscodeVersion", "producer")


class CopilotCli(SingleFileFormat):
    """The reader of Copilot CLI's sessions."""

    name = "copilot-cli"

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is an event: a dotted type, its data, and the event before it."""
        return any(map(_is_event, first_records(head)))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        """Return the folder that has a folder for each session."""
        named = environment.get("COPILOT_HOME", "")
        return (Folder((Path(named) if named else home / ".copilot") / "session-state"),)

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start of the log, because a rewind rewrites the log."""
        lines, chain = SourceLines(path), Chain()
        yield Begin(_info(path))
        for part in lines:
            if isinstance(part, Raw):
                yield part
                continue
            found = _taken(chain, part)
            if isinstance(found, Entry):
                yield found
            elif found:
                yield Skipped(part.number, found)
        yield End(chain.leaf, leaf_known=True, title=chain.title, checkpoint=lines.checkpoint({}))


def _is_event(record: Any) -> bool:
    found = mapping(record)
    return found.keys() >= _KEYS and "." in text(found["type"]) and isinstance(found["data"], dict)


def _taken(chain: Chain, line: Line) -> Entry | str:
    try:
        return chain.take(parse_object(line.data), line)
    except BadLineError as error:
        return str(error) if line.complete else f"{error}: the file ends inside this line"


def _info(path: Path) -> SessionInfo:
    with open_source(path) as file:
        found = [mapping(record) for record in first_records(file.read(_HEAD))]
    start = next((mapping(one.get("data")) for one in found if one.get("type") == "session.start"), {})
    context = mapping(start.get("context"))
    details = {key: start[key] for key in _FACTS if key in start}
    details |= {key: value for key, value in context.items() if key != "cwd"}
    named = path.parent.name if path.name == "events.jsonl" else path.stem
    return SessionInfo(
        source=CopilotCli.name,
        source_id=text(start.get("sessionId")) or named,
        cwd=text(context.get("cwd")),
        created_at=instant(start.get("startTime")),
        details=compact_json(details) if details else "",
    )

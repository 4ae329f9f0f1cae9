"""Recognise Kiro CLI's logs (`~/.kiro/sessions/cli/<session>.jsonl`) and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, ReadEvent, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.kiro.records import is_message, is_record, record_message
from stemmata.formats.shared.facts_beside import beside_changed, content_of, fingerprint
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.message_log import Message, MessageLog
from stemmata.formats.shared.values import first_records, instant, mapping, text


class Kiro(SingleFileFormat):
    """The reader of Kiro CLI's sessions."""

    name = "kiro"

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is a message of Kiro: a version, a kind in words, and its data."""
        return any(is_message(mapping(record)) for record in first_records(head))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of the sessions; the environment can name another one."""
        named = environment.get("KIRO_HOME", "")
        return (SessionFolder((Path(named) if named else home / ".kiro") / "sessions" / "cli"),)

    def main_file(self, path: Path) -> Path | None:
        """Return the log that a file of facts belongs to."""
        main = path.with_suffix(".jsonl")
        return main if path.suffix == ".json" and path.parent.name == "cli" and main.is_file() else None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the facts of the session changed."""
        return beside_changed(known, self.name, [_facts(path)])

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start, because a line may repeat an earlier one."""
        beside, damaged = fingerprint([_facts(path)]), list[str]()
        facts = mapping(content_of(_facts(path), damaged))
        lines = SourceLines(path)

        def read_line(record: dict[str, Any], line: Line) -> Message | str:
            return record_message(line.number, record) if is_record(record) else "not a record of Kiro CLI"

        log = MessageLog(lines, read_line)
        yield Begin(_info(path, facts))
        yield from log.events()
        yield from (Skipped(0, reason) for reason in damaged)
        yield End(
            log.leaf, leaf_known=True, title=text(facts.get("title")),
            checkpoint=lines.checkpoint({self.name: beside}), damaged=log.is_damaged,
        )  # fmt: skip


def _facts(path: Path) -> Path:
    return path.with_suffix(".json")


def _info(path: Path, facts: Mapping[str, Any]) -> SessionInfo:
    state = mapping(mapping(facts.get("session_state")).get("rts_model_state"))
    found = {"updated_at": facts.get("updated_at"), "model": mapping(state.get("model_info")).get("model_id")}
    details = {key: value for key, value in found.items() if value}
    return SessionInfo(
        source=Kiro.name,
        source_id=text(facts.get("session_id")) or path.stem,
        cwd=text(facts.get("cwd")),
        created_at=instant(facts.get("created_at")),
        parent_source_id=text(facts.get("parent_session_id")),
        details=compact_json(details) if details else "",
    )

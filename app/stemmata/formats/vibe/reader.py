"""Recognise Mistral Vibe's logs (`~/.vibe/logs/session/<session>/messages.jsonl`) and read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, ReadEvent, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.facts_beside import beside_changed, content_of, fingerprint
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.message_log import Message, MessageLog
from stemmata.formats.shared.values import first_records, instant, mapping, text
from stemmata.formats.vibe.messages import is_message, message

_MESSAGES, FACTS = "messages.jsonl", "meta.json"
# Vibe finds a session by the first letters of its id. They are in the name of the folder, too, so that the session is
# the same one before its facts are written.
_SHORT = 8
_FOLDER = re.compile(r"_\d{8}_\d{6}_([0-9a-f]{8})\Z")
_KEPT = ("git_commit", "git_branch", "end_time", "stats")


class Vibe(SingleFileFormat):
    """The reader of Mistral Vibe's sessions."""

    name = "vibe"

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether one of the first records is a message with an id, but without a type.

        In a folder of the tool, a message needs no id: versions before 2.0 wrote none.
        """
        found = [mapping(record) for record in first_records(head)]
        messages = [one for one in found if is_message(one) and not one.keys() & {"type", "tool_name"}]
        return any(one.keys() & {"message_id", "tool_call_id"} for one in messages) or (
            bool(messages) and path.name == _MESSAGES and bool(_short_id(path))
        )

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder that has a folder for each session; the environment can name another one."""
        named = environment.get("VIBE_HOME", "")
        return (SessionFolder((Path(named) if named else home / ".vibe") / "logs" / "session"),)

    def main_file(self, path: Path) -> Path | None:
        """Return the messages that a file of facts belongs to."""
        main = path.with_name(_MESSAGES)
        return main if path.name == FACTS and main.is_file() else None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the facts of the session changed."""
        return beside_changed(known, self.name, _facts(path))

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start, because a line may repeat an earlier one."""
        beside, damaged = fingerprint(_facts(path)), list[str]()
        facts = mapping(content_of(path.with_name(FACTS), damaged)) if path.name == _MESSAGES else {}
        lines = SourceLines(path)

        def read_line(record: dict[str, Any], line: Line) -> Message | str:
            return message(line.number, record) if is_message(record) else "not a message of Mistral Vibe"

        log = MessageLog(lines, read_line)
        yield Begin(_info(path, facts))
        yield from log.events()
        yield from (Skipped(0, reason) for reason in damaged)
        title, named = text(facts.get("title")), facts.get("title_source") == "manual"
        yield End(
            log.leaf, leaf_known=True, title=title, named=named and bool(title),
            checkpoint=lines.checkpoint({self.name: beside}), damaged=log.is_damaged,
        )  # fmt: skip


def _short_id(path: Path) -> str:
    """Return the beginning of the session's id, with which the name of its folder ends; "" for another folder."""
    found = _FOLDER.search(path.parent.name) if path.name == _MESSAGES else None
    return found[1] if found is not None else ""


def _facts(path: Path) -> list[Path]:
    """Return the file of facts beside the messages. A copy of the messages under another name has no such file."""
    return [path.with_name(FACTS)] if path.name == _MESSAGES else []


def _info(path: Path, facts: Mapping[str, Any]) -> SessionInfo:
    id = text(facts.get("session_id"))[:_SHORT] or _short_id(path)
    details = {key: facts[key] for key in _KEPT if facts.get(key)}
    if model := text(facts.get("model")) or text(mapping(facts.get("config")).get("active_model")):
        details["model"] = model
    folder = mapping(facts.get("environment")).get("working_directory")
    return SessionInfo(
        source=Vibe.name,
        source_id=id or (path.parent.name if path.name == _MESSAGES else path.stem),
        cwd=text(folder),
        created_at=instant(facts.get("start_time")),
        parent_source_id=text(facts.get("parent_session_id"))[:_SHORT],
        details=compact_json(details) if details else "",
    )

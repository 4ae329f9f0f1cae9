"""Claude Code (`~/.claude/projects`): recognising its session files, and reading them with their subagents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions import Checkpoint, ReadEvent, SessionInfo, Skipped
from stemmata.formats.claude_code_agents import (
    agent_files,
    have_changed,
    is_agent_file,
    main_file_of,
    meta_of,
    source_id_of,
)
from stemmata.formats.claude_code_reading import SOURCE, Reading, details_of
from stemmata.formats.claude_code_records import FACTS, MESSAGES, NODES
from stemmata.formats.claude_code_restart import WORTH, Restart
from stemmata.formats.claude_code_skeleton import Skeleton
from stemmata.formats.format import Folder
from stemmata.formats.json_lines import first_records
from stemmata.formats.lines import resume
from stemmata.formats.pi import expanded
from stemmata.formats.source_file import identity
from stemmata.formats.values import text


class ClaudeCode:
    """`worth`: bytes of a file before the place where a reading may begin anew that make it worth while."""

    name = SOURCE
    title = "Claude Code"

    def __init__(self, worth: int = WORTH) -> None:
        self._worth = worth

    def sniff(self, head: bytes, _path: Path) -> bool:
        """By any of the first records; a first line too long to be held is known by the fields it begins with."""
        records = first_records(head, limit=100)
        if records:
            return any(map(_is_line, records))
        return b'"parentUuid"' in head and b'"sessionId"' in head

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        named = environment.get("CLAUDE_CONFIG_DIR", "")
        config = expanded(named, home) if named else home / ".claude"
        return (Folder(config / "projects"),)

    def main_of(self, path: Path) -> Path | None:
        """Files of subagents come with their session's file, if that is still there."""
        main = main_file_of(path)
        return main if main is not None and os.path.isfile(main) else None

    def is_part(self, path: Path) -> bool:
        return self.main_of(path) is not None

    def has_grown_aside(self, path: Path, known: Checkpoint) -> bool:
        return have_changed(path, known.state)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        state = resume(path, since)
        resumed = since if state is not None else None
        reading = _behind_restart(path, resumed, state) or Reading(path, resumed)
        reading.require_entries()
        if is_agent_file(path):
            yield from _agent(path, reading, None)
            return
        info = _info(path, reading)
        agents, seen, notes = _agents(path, (state or {}).get("agents"))
        yield from reading.conversation(info, notes)
        restart = reading.restart(self._worth)
        yield reading.end(info.title, {"agents": seen, **({"restart": restart.state} if restart else {})})
        yield from reading.sidechains(info)
        for file in agents:
            yield from _agent(file, Reading(file), reading.skeleton)


def _behind_restart(path: Path, since: Checkpoint | None, state: Any) -> Reading | None:
    """A reading of the end of the file alone, where that will do."""
    if since is None or since.whole or is_agent_file(path):
        return None
    restart = Restart.of(state.get("restart"), since.offset)
    reading = Reading(path, since, restart) if restart is not None else None
    return reading if reading is not None and reading.stands_alone else None


def _is_line(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind in ("user", "assistant") and "message" in record:
        return any(key in record for key in ("sessionId", "uuid", "timestamp"))
    if kind == "summary":
        return "leafUuid" in record
    known = isinstance(kind, str) and (kind in FACTS or kind in NODES - MESSAGES)
    return known and any(key in record for key in ("sessionId", "uuid", "messageId", "attachment"))


def _info(path: Path, reading: Reading) -> SessionInfo:
    """Claude Code names the file after the session. A copy under another name is another session here."""
    facts = reading.skeleton.facts
    first = facts.first.get("sessionId", "")
    parent = facts.forked_from or (first if path.stem in facts.sessions else "")
    return SessionInfo(
        source=SOURCE,
        source_id=path.stem,
        title=facts.title(reading.skeleton.known),
        cwd=facts.first.get("cwd", ""),
        created_at=reading.created_at(),
        parent_source_id=parent if parent != path.stem else "",
        details=details_of(reading.skeleton, {}),
    )


def _agents(path: Path, known: Any) -> tuple[list[Path], dict[str, list[int]], list[Skipped]]:
    """Files of subagents to read, the size and time of each by name, and those that cannot be read.

    `known`: sizes and times at an earlier reading; what has not changed since is passed over.
    """
    changed, seen, notes = [], {}, []
    for file in agent_files(path):
        name = str(file.relative_to(path.parent))
        try:
            size, time, _ = identity(file)
        except KnownError as error:
            notes.append(Skipped(0, f"{name}: {error}"))
            continue
        seen[name] = [size, time]
        if size and not (isinstance(known, dict) and known.get(name) == seen[name]):
            changed.append(file)
    return changed, seen, notes


def _agent(path: Path, reading: Reading, main: Skeleton | None) -> Iterator[ReadEvent]:
    """A subagent's file as a session. Read for itself it gets a checkpoint, with its main session it does not."""
    meta = meta_of(path)
    facts = reading.skeleton.facts
    agent = facts.first.get("agentId") or path.stem.removeprefix("agent-")
    call = text(meta.get("toolUseId"))
    if main is not None:
        call = main.spawned.get(agent) or call or main.task_call(reading.first_record())
    source_id = source_id_of(path, facts.first.get("sessionId", ""))
    info = SessionInfo(
        source=SOURCE,
        source_id=source_id,
        title=text(meta.get("description"))[:500],
        cwd=facts.first.get("cwd", ""),
        created_at=reading.created_at(),
        parent_source_id=source_id.partition("/")[0],
        details=details_of(reading.skeleton, {**meta, "agentId": agent, **({"toolCall": call} if call else {})}),
    )
    yield from reading.conversation(info)
    yield reading.end(info.title, {} if main is None else None)
    yield from reading.sidechains(info)

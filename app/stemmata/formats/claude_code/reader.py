"""Recognise Claude Code's session files (`~/.claude/projects`) and read them with their subagents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, Skipped, SourceShape
from stemmata.formats.claude_code.line_index import LineIndex
from stemmata.formats.claude_code.reading import SOURCE, ClaudeCodeReading, details_of
from stemmata.formats.claude_code.records import FACTS, MESSAGES, NODES
from stemmata.formats.claude_code.resume_point import MIN_SKIPPED, ResumePoint
from stemmata.formats.pi.reader import expanded
from stemmata.formats.shared.format import SessionFolder
from stemmata.formats.shared.lines import resume
from stemmata.formats.shared.source_file import identity, known_read_errors, open_source, session_files
from stemmata.formats.shared.values import BadLineError, first_records, mapping, parse_object, text

_PREFIX = "agent-"
_JOURNAL = "journal.jsonl"  # a workflow's journal in the folder of its agents; not a transcript
_FOLDER = "subagents"
_META_LIMIT = 1 << 20  # bytes


def is_agent_file(path: Path) -> bool:
    """Return whether the path is the transcript of a subagent."""
    return path.name.startswith(_PREFIX) or main_file_of(path) is not None


def main_file_of(path: Path) -> Path | None:
    """Return the session file that a file in a `subagents` folder belongs to; None for any other file."""
    if _FOLDER not in path.parts:  # quick test first: of thousands of files, few are in such a folder
        return None
    for folder in path.parents:
        if folder.name == _FOLDER and folder.parent.name:
            return folder.parent.parent / f"{folder.parent.name}.jsonl"
    return None


def agent_files(path: Path) -> list[Path]:
    """Return the files of a session's subagents, sorted. Links are not followed."""
    return [file for file in session_files(path.with_suffix("") / _FOLDER) if file.name != _JOURNAL]


def agents_changed(path: Path, state: str) -> bool:
    """Return whether a readable subagent file was added or changed since the reader's state was saved."""
    if not os.path.isdir(path.with_suffix("") / _FOLDER):
        return False
    try:
        known = mapping(mapping(json.loads(state)).get("agents"))
    except ValueError:
        return True
    for file in agent_files(path):
        with suppress(OSError):  # the file has disappeared or is not accessible: nothing can be read
            found = file.lstat()
            seen = known.get(str(file.relative_to(path.parent))) == [found.st_size, found.st_mtime_ns]
            if not seen and os.access(file, os.R_OK):
                return True
    return False


def source_id_of(path: Path, session: str) -> str:
    """Return `<session>/agent-<id>` for a subagent's file.

    `session` is the session id in its lines, used for a file outside a session's folder.
    """
    main = main_file_of(path)
    return f"{session if main is None else main.stem}/{path.stem}"


def meta_of(path: Path) -> dict[str, Any]:
    """Return the content of the `.meta.json` beside an agent's file; {} when it is missing or damaged."""
    try:
        with open_source(path.with_suffix(".meta.json")) as file, known_read_errors(path):
            return parse_object(file.read(_META_LIMIT))
    except (KnownError, BadLineError):
        return {}


class ClaudeCode:
    """The reader of Claude Code's sessions.

    `min_skipped` is the number of bytes that resuming must skip to be used at all.
    """

    name = SOURCE
    shape = SourceShape.LOG

    def __init__(self, min_skipped: int = MIN_SKIPPED) -> None:
        self._min_skipped = min_skipped

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether any of the first records is Claude Code's.

        A file whose first line is too long for `head` is recognised by the field names in the line's beginning.
        """
        records = first_records(head, limit=100)
        if records:
            return any(map(_is_line, records))
        return b'"parentUuid"' in head and b'"sessionId"' in head

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of the projects, and the one that versions of the summer of 2025 used."""
        named, moved = environment.get("CLAUDE_CONFIG_DIR", ""), environment.get("XDG_CONFIG_HOME", "")
        if named:
            return (SessionFolder(expanded(named, home) / "projects"),)
        older = (expanded(moved, home) if moved else home / ".config") / "claude"
        return SessionFolder(home / ".claude" / "projects"), SessionFolder(older / "projects")

    def main_file(self, path: Path) -> Path | None:
        """Return the session file of a subagent's file, if it exists: subagents are imported with their session."""
        main = main_file_of(path)
        return main if main is not None and os.path.isfile(main) else None

    def is_companion(self, path: Path) -> bool:
        """Return whether the file is a subagent's transcript whose session file exists."""
        return self.main_file(path) is not None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether a subagent's file was added or changed since the checkpoint."""
        return agents_changed(path, known.state)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of the session, its sidechains and its changed subagents."""
        state = resume(path, since)
        reading = _resumed_reading(path, since, state) or ClaudeCodeReading(path)
        reading.require_entries()
        if is_agent_file(path):
            yield from _agent(path, reading, None)
            return
        yield from self._session(path, reading, _AgentFiles(path, state or {}))

    def read_start(self, path: Path, size: int) -> Iterator[ReadEvent]:
        """Yield the events of the first `size` bytes, as if the file had no more bytes and there were no subagents'
        files. If there are subagents' files, the next reading starts from the beginning, since it has to find the
        calls that began the subagents.
        """
        reading = ClaudeCodeReading(path, end=size)
        reading.require_entries()
        yield from _agent(path, reading, None) if is_agent_file(path) else self._session(path, reading, None)

    def _session(self, path: Path, reading: ClaudeCodeReading, agents: _AgentFiles | None) -> Iterator[ReadEvent]:
        info = _info(path, reading)
        yield from reading.conversation(info, agents.notes if agents is not None else ())
        spawned = agents.placed(reading.index) if agents is not None else []
        has_agents = agents is None and any(agent_files(path))
        resume_point = reading.resume_point(self._min_skipped) if not has_agents else None
        state = agents.state if agents is not None else {}
        yield reading.end(info, {**state, **({"restart": resume_point.state} if resume_point else {})})
        yield from reading.sidechains(info)
        for file, agent in spawned:
            yield from _agent(file, agent, agents)


def _resumed_reading(path: Path, since: Checkpoint | None, state: Any) -> ClaudeCodeReading | None:
    """Return a reading that starts at the stored resume point; None when the whole file must be read."""
    if since is None or state is None or is_agent_file(path):
        return None
    resume_point = ResumePoint.of(state.get("restart"), since.offset)
    reading = ClaudeCodeReading(path, since, resume_point) if resume_point is not None else None
    return reading if reading is not None and reading.equals_full_read else None


def _is_line(record: Any) -> bool:
    """Return whether the record is a line of Claude Code."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind in ("user", "assistant") and "message" in record:
        return any(key in record for key in ("sessionId", "uuid", "timestamp"))
    if kind == "summary":
        return "leafUuid" in record
    known = isinstance(kind, str) and (kind in FACTS or kind in NODES - MESSAGES)
    return known and any(key in record for key in ("sessionId", "uuid", "messageId", "attachment"))


def _info(path: Path, reading: ClaudeCodeReading) -> SessionInfo:
    """Return the session's properties.

    The file name is the session id, so a copy under another name is another session.
    """
    facts = reading.index.facts
    first = facts.first.get("sessionId", "")
    parent = facts.forked_from or (first if path.stem in facts.sessions else "")
    return SessionInfo(
        source=SOURCE,
        source_id=path.stem,
        title=facts.title(reading.index.known),
        named=bool(facts.custom_title),
        cwd=facts.first.get("cwd", ""),
        created_at=reading.created_at(),
        parent_source_id=parent if parent != path.stem else "",
        details=details_of(reading.index, {}),
    )


class _AgentFiles:
    """The files of a session's subagents, compared with the state that the previous reading left.

    `notes` report files that cannot be read.
    """

    def __init__(self, path: Path, state: Mapping[str, Any]) -> None:
        self._folder = path.parent
        self._known = mapping(state.get("agents"))
        self._calls = {name: call for name, call in mapping(state.get("calls")).items() if isinstance(call, str)}
        self._seen: dict[str, list[int]] = {}
        self.notes: list[Skipped] = []
        self._files: list[Path] = []
        for file in agent_files(path):
            try:
                size, time, _ = identity(file)
            except KnownError as error:
                self.notes.append(Skipped(0, f"{self._name(file)}: {error}"))
                continue
            self._seen[self._name(file)] = [size, time]
            if size:
                self._files.append(file)

    @property
    def state(self) -> dict[str, Any]:
        """Sizes and times of the files, and the call that spawned each one."""
        return {"agents": self._seen, "calls": self._calls}

    def placed(self, main: LineIndex) -> list[tuple[Path, ClaudeCodeReading]]:
        """Return files to import: those that changed, and those whose spawning call is known only now."""
        out = []
        for file in self._files:
            name, call = self._name(file), self._calls.get(self._name(file), "")
            changed = self._known.get(name) != self._seen[name]
            if changed or (not call and main.prompts) or _call_in(main, file, call) != call:
                reading = ClaudeCodeReading(file)
                self._place(name, file, reading, main)
                if changed or self._calls.get(name, "") != call:
                    out.append((file, reading))
        return out

    def _place(self, name: str, file: Path, reading: ClaudeCodeReading, main: LineIndex) -> None:
        call = _call_in(main, file, "", reading) or text(meta_of(file).get("toolUseId")) or self._calls.get(name)
        call = call or main.task_call(reading.first_record())
        if call:
            self._calls[name] = call

    def call_of(self, file: Path) -> str:
        """Return the id of the call that spawned the subagent of this file; "" when it is unknown."""
        return self._calls.get(self._name(file), "")

    def _name(self, file: Path) -> str:
        return str(file.relative_to(self._folder))


def _call_in(main: LineIndex, file: Path, call: str, reading: ClaudeCodeReading | None = None) -> str:
    """Return the call that spawned the subagent according to the session's tool results, else `call`."""
    agent = file.stem.removeprefix("agent-") if reading is None else _agent_id(file, reading)
    return main.spawned.get(agent) or call


def _agent_id(path: Path, reading: ClaudeCodeReading) -> str:
    return reading.index.facts.first.get("agentId") or path.stem.removeprefix("agent-")


def _agent(path: Path, reading: ClaudeCodeReading, agents: _AgentFiles | None) -> Iterator[ReadEvent]:
    """Yield a subagent's file as a session.

    A file read on its own gets a checkpoint; a file read with its main session (`agents` given) does not.
    """
    meta = meta_of(path)
    facts = reading.index.facts
    call = text(meta.get("toolUseId")) if agents is None else agents.call_of(path)
    source_id = source_id_of(path, facts.first.get("sessionId", ""))
    agent = _agent_id(path, reading)
    info = SessionInfo(
        source=SOURCE,
        source_id=source_id,
        title=text(meta.get("description"))[:500],
        cwd=facts.first.get("cwd", ""),
        created_at=reading.created_at(),
        parent_source_id=source_id.partition("/")[0],
        details=details_of(reading.index, {**meta, "agentId": agent, **({"toolCall": call} if call else {})}),
    )
    yield from reading.conversation(info)
    yield reading.end(info, {} if agents is None else None)
    yield from reading.sidechains(info)

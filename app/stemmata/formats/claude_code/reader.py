"""Claude Code (`~/.claude/projects`): recognising its session files, and reading them with their subagents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from stemmata.domain.entries.session_facts import Checkpoint, ReadEvent, SessionInfo, Skipped
from stemmata.domain.errors import KnownError
from stemmata.formats.claude_code.reading import SOURCE, Reading, details_of
from stemmata.formats.claude_code.records import FACTS, MESSAGES, NODES
from stemmata.formats.claude_code.restart import WORTH, Restart
from stemmata.formats.claude_code.skeleton_pass import Skeleton
from stemmata.formats.pi.reader import expanded
from stemmata.formats.shared.format import Folder
from stemmata.formats.shared.lines import resume
from stemmata.formats.shared.source_file import identity, open_source, reading, session_files
from stemmata.formats.shared.values import BadLineError, first_records, mapping, parse_object, text

_PREFIX = "agent-"
_JOURNAL = "journal.jsonl"  # of a workflow, among the files of its agents; no transcript
_FOLDER = "subagents"
_META_LIMIT = 1 << 20  # bytes


def is_agent_file(path: Path) -> bool:
    return path.name.startswith(_PREFIX) or main_file_of(path) is not None


def main_file_of(path: Path) -> Path | None:
    """The session file that a file in a `subagents` folder belongs to; None for any other file."""
    for folder in path.parents:
        if folder.name == _FOLDER and folder.parent.name:
            return folder.parent.parent / f"{folder.parent.name}.jsonl"
    return None


def agent_files(path: Path) -> list[Path]:
    """The files of a session's subagents, sorted, whatever their names. Links are not followed."""
    return [file for file in session_files(path.with_suffix("") / _FOLDER) if file.name != _JOURNAL]


def have_changed(path: Path, state: str) -> bool:
    """Whether there are others than the reader's state of a session file knows, or they are not as it knows them."""
    if not os.path.isdir(path.with_suffix("") / _FOLDER):
        return False
    try:
        known = mapping(mapping(json.loads(state)).get("agents"))
    except ValueError:
        return True
    for file in agent_files(path):
        with suppress(OSError):  # gone again, or it may not be read: nothing to be had
            found = file.lstat()
            seen = known.get(str(file.relative_to(path.parent))) == [found.st_size, found.st_mtime_ns]
            if not seen and os.access(file, os.R_OK):
                return True
    return False


def source_id_of(path: Path, session: str) -> str:
    """`<session>/agent-<id>`; `session` is what the lines name, for a file that lies in no session's folder."""
    main = main_file_of(path)
    return f"{session if main is None else main.stem}/{path.stem}"


def meta_of(path: Path) -> dict[str, Any]:
    """What the `.meta.json` beside an agent's file says; nothing when there is none or it is damaged."""
    try:
        with open_source(path.with_suffix(".meta.json")) as file, reading(path):
            return parse_object(file.read(_META_LIMIT))
    except (KnownError, BadLineError):
        return {}


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
        reading = _behind_restart(path, since, state) or Reading(path)
        reading.require_entries()
        if is_agent_file(path):
            yield from _agent(path, reading, None)
            return
        info = _info(path, reading)
        agents = _Agents(path, state or {})
        yield from reading.conversation(info, agents.notes)
        spawned = agents.placed(reading.skeleton)
        restart = reading.restart(self._worth)
        yield reading.end(info.title, {**agents.state, **({"restart": restart.state} if restart else {})})
        yield from reading.sidechains(info)
        for file, agent in spawned:
            yield from _agent(file, agent, agents)


def _behind_restart(path: Path, since: Checkpoint | None, state: Any) -> Reading | None:
    """A reading of the end of the file alone, where that will do."""
    if since is None or state is None or is_agent_file(path):
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


class _Agents:
    """The files of a session's subagents. `state` is what an earlier reading left: what has not changed is not read.

    `notes` are about files that cannot be read.
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
        """Sizes and times, and which call spawned which."""
        return {"agents": self._seen, "calls": self._calls}

    def placed(self, main: Skeleton) -> list[tuple[Path, Reading]]:
        """Those that have changed, or of which the session says now which call spawned them."""
        out = []
        for file in self._files:
            name, call = self._name(file), self._calls.get(self._name(file), "")
            changed = self._known.get(name) != self._seen[name]
            if changed or (not call and main.prompts) or _call_in(main, file, call) != call:
                reading = Reading(file)
                self._place(name, file, reading, main)
                if changed or self._calls.get(name, "") != call:
                    out.append((file, reading))
        return out

    def _place(self, name: str, file: Path, reading: Reading, main: Skeleton) -> None:
        call = _call_in(main, file, "", reading) or text(meta_of(file).get("toolUseId")) or self._calls.get(name)
        call = call or main.task_call(reading.first_record())
        if call:
            self._calls[name] = call

    def call_of(self, file: Path) -> str:
        return self._calls.get(self._name(file), "")

    def _name(self, file: Path) -> str:
        return str(file.relative_to(self._folder))


def _call_in(main: Skeleton, file: Path, call: str, reading: Reading | None = None) -> str:
    """The call that spawned the subagent, as the session's results tell; else the one that is known."""
    agent = file.stem.removeprefix("agent-") if reading is None else _agent_id(file, reading)
    return main.spawned.get(agent) or call


def _agent_id(path: Path, reading: Reading) -> str:
    return reading.skeleton.facts.first.get("agentId") or path.stem.removeprefix("agent-")


def _agent(path: Path, reading: Reading, agents: _Agents | None) -> Iterator[ReadEvent]:
    """A subagent's file as a session. Read for itself it gets a checkpoint, with its main session it does not."""
    meta = meta_of(path)
    facts = reading.skeleton.facts
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
        details=details_of(reading.skeleton, {**meta, "agentId": agent, **({"toolCall": call} if call else {})}),
    )
    yield from reading.conversation(info)
    yield reading.end(info.title, {} if agents is None else None)
    yield from reading.sidechains(info)

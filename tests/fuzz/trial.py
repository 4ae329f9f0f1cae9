"""One trial: files are read, imported, read again and written out. What must hold whatever stands in them."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

from stemmata.bootstrap.core import Core, open_core
from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.requests.apis import API_NAMES
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent, Repaired, Skipped, UnusedPart
from stemmata.domain.sources.report import ImportReport
from stemmata.formats.registry import FormatRegistry, standard_formats
from stemmata.formats.shared.zip_archive import ZIP
from stemmata.system.settings.settings import load
from tests.fakes import (
    aider,
    amp,
    cline,
    codex,
    continue_dev,
    copilot_cli,
    crush,
    cursor_cli,
    gemini,
    goose,
    json_export,
    librechat,
    llm,
    message_logs,
    opencode,
    qwen,
    vscode_chat,
    windsurf,
    zed,
)
from tests.fuzz.archives import documents_of
from tests.fuzz.good import Said
from tests.fuzz.seeds import Files

_REPEATED = re.compile(
    r"^(\d+) lines? occurs? twice|^Line \d+: Duplicates an earlier|^Duplicates an earlier .*?kept once\. (\d+) more"
)

_DATABASES = ("opencode", "llm", "librecode", "zed", "cursor", "goose", "crush", "hermes")  # one file, many sessions
# one file, many sessions
_EXPORTS = ("chatgpt", "claude-ai", "open-webui", "aider", "librechat", "grok", "ai-studio")

_CLINES = ("cline", "roo-code", "kilo-code")
_BY_LINE = {
    "vscode-chat": vscode_chat.kinds,
    "cursor-cli": cursor_cli.kinds,
    "qwen": qwen.kinds,
    "windsurf": windsurf.kinds,
    "goose": goose.kinds,
    "json": json_export.kinds,
    "droid": message_logs.kinds,
    "vibe": message_logs.kinds,
    "kiro": message_logs.kinds,
}

LIMIT = 2.0  # seconds of processor time that reading the files may take

T = TypeVar("T")


@dataclass
class Outcome:
    """The outcome of a trial.

    `faults` are violated rules; `refused` are files that were not imported, with reasons.
    """

    faults: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    entries: int = 0
    skipped: int = 0  # lines
    said: Said = field(default_factory=Said)
    told: int = 0  # remarks of the readings: what was skipped, repaired or not used
    good: int = 0  # records that were not spoilt
    lost: int = 0  # good records that are in no entry
    slowest: float = 0  # seconds of processor time of the longest reading


class HangError(Exception):
    """A reading took too much processor time."""


@contextmanager
def time_limit(seconds: float = LIMIT) -> Iterator[None]:
    """Raise HangError in the block when it has used so much processor time; only the main thread can do so."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGVTALRM"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _hang(*_: object) -> None:
    raise HangError(f"more than {LIMIT:g} s of processor time")


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(
            _where(record.exc_info[1]) if record.exc_info and record.exc_info[1] else record.getMessage()
        )


class Trial:
    """One import in a folder of its own. `grow`: the file is imported cut first, and then whole."""

    def __init__(self, folder: Path, files: Files, main: str, *, grow: Random | None = None) -> None:
        self._folder, self._files, self._main, self._grow = folder, files, main, grow
        self._source = folder / "source"
        self._formats: FormatRegistry = standard_formats(folder / "home", {})
        self.outcome = Outcome()

    def read(self) -> Outcome:
        """Only read the files."""
        shutil.rmtree(self._folder, ignore_errors=True)
        for name, data in self._files.items():
            path = self._source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for path in self._guarded("found", lambda: self._formats.expand(self._source)[0]) or ():
            self._guarded("read", partial(self._timed, path))
        return self.outcome

    def faults_of(self, path: Path) -> list[str]:
        """Read one file below the folder `source`; return what is unaccounted for."""
        self.outcome = Outcome()
        self._guarded("read", partial(self._timed, path))
        return self.outcome.faults

    def run(self) -> Outcome:
        """Read, import and write the files."""
        self.read()
        with self._listening():
            core = open_core(self._folder / "archive" / "a.db", load(self._folder / "none.toml"))
            try:
                self._guarded("imported", lambda: self._archive(core))
            finally:
                core.close()
        return self.outcome

    def _fault(self, text: str) -> None:
        if text not in self.outcome.faults:
            self.outcome.faults.append(text)

    def _guarded(self, what: str, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - any at all is a fault
            self._fault(f"{what}: {_where(error)}")
            return None

    @contextmanager
    def _listening(self) -> Iterator[None]:
        handler, logger = _Log(), logging.getLogger("stemmata")
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            for text in handler.told:
                self._fault(f"logged: {text}")

    # -- the reader alone -------------------------------------------------------------------------------------

    def _timed(self, path: Path) -> None:
        start = time.process_time()
        try:
            with time_limit():
                self._read(path)
        finally:
            self.outcome.slowest = max(self.outcome.slowest, time.process_time() - start)
            self.outcome.told += str(path.relative_to(self._source)) in self.outcome.refused

    def _read(self, path: Path) -> None:
        try:
            format = self._formats.identify(path)
            events = list(self._formats.read(path, format, None))
            self.outcome.said.add(events)
            self.outcome.told += sum(isinstance(event, Skipped | Repaired | UnusedPart) for event in events)
        except KnownError as error:
            self.outcome.refused[str(path.relative_to(self._source))] = str(error)
            return
        if format in _DATABASES and path.suffix != ".jsonl":
            self._outcome_of_database(path, format, events)
        elif format not in _EXPORTS:
            self._account(path, format, events)
        elif any(isinstance(event, Begin) for event in events):
            self._account_for_parts(path, format, events)
        else:
            self.outcome.refused[str(path.relative_to(self._source))] = "no session"

    def _outcome_of_database(self, path: Path, format: str, events: list[ReadEvent]) -> None:
        """Every line or message is an entry or was skipped; every message of opencode's tables has a line."""
        if not any(isinstance(event, Begin) for event in events):
            self.outcome.refused[str(path.relative_to(self._source))] = "no session"
        self.outcome.entries += sum(isinstance(event, Entry) for event in events)
        self.outcome.skipped += sum(isinstance(event, Skipped) for event in events)
        lost = {"zed": zed.lost, "goose": goose.lost, "crush": crush.lost}.get(format, llm.lost)
        for what in opencode.lost(path, events) if format == "opencode" else lost(events):
            self._fault(f"{format}: {what}")

    def _account_for_parts(self, path: Path, format: str, events: list[ReadEvent]) -> None:
        """Every session's bytes are a part of the file, and every entry's record lies in them."""
        data, part = path.read_bytes(), b""
        data = b"\n".join(inner for _, inner in documents_of(data)) if data.startswith(ZIP) else data
        for event in events:
            match event:
                case Raw(data=part) if part not in data:
                    self._fault(f"{format}: bytes that are not in the file")
                case Entry(record=record) if record is not None:
                    self.outcome.entries += 1
                    if record.offset + record.size > len(part):
                        self._fault(f"{format}: a record behind the end of its session")
                case UnusedPart(damaged=True):
                    self.outcome.skipped += 1
        lost = {"aider": aider.lost, "librechat": librechat.lost}.get(format)
        for what in lost(data, events) if lost is not None else ():
            self._fault(f"{format}: {what[:100]}")

    def _account(self, path: Path, format: str, events: list[ReadEvent]) -> None:
        """Every line is an entry, was skipped for a reason, or is known to make no entry; all bytes are kept."""
        session, raw = -1, bytearray()
        seen: set[tuple[int, int]] = set()
        skipped: set[int] = set()
        others = 0
        for event in events:
            match event:
                case Begin(info=info):
                    session += 1
                    details = json.loads(info.details) if info.details else {}
                    others += sum(details.get("otherLines", {}).values()) if format == "claude-code" else 0
                case Entry(record=record) if record is not None:
                    seen.add((session, record.offset))
                case Skipped(line=line):
                    skipped.add(line if line else -len(skipped) - 1)
                case Repaired(what=what):
                    found = _REPEATED.search(what)
                    others += int(found[1] or found[2] or 1) if found else 0
                case Raw(data=data) if session == 0:
                    raw += data
        data = path.read_bytes()
        if format == "codex":
            self._outcome_of_codex(path, events, bytes(raw))
            return
        if bytes(raw) != data:
            self._fault(f"{format}: {len(raw)} bytes kept of {len(data)}")
        if format == "gemini":
            self._outcome_of_gemini(data, events, skipped)
            return
        if format == "copilot-cli":
            self._outcome_of_copilot_cli(data, events)
            return
        if format in (*_CLINES, "amp", "continue"):
            self._outcome_of_document(data, format, events)
            return
        if format in _BY_LINE:
            self._outcome_by_line(data, format, events)
            return
        self.outcome.entries += len(seen)
        self.outcome.skipped += len(skipped)
        if min(skipped, default=0) >= 0:
            lines = sum(_lines_of(file) for file in [path, *self._parts(path, format)])
            header = format != "claude-code" and lines > len(seen) + len(skipped) + others
            if lines != len(seen) + len(skipped) + others + header:
                self._fault(f"{format}: of {lines} lines {len(seen)} + {len(skipped)} + {others} are accounted for")

    def _outcome_of_codex(self, path: Path, events: list[ReadEvent], raw: bytes) -> None:
        """Check that each line of a Codex file that makes no entry is of a known kind."""
        counts, lost = codex.kinds(path, events)
        self.outcome.entries += counts.total()
        for what in lost:
            self._fault(f"codex: {what}")
        if path.suffix != ".zst" and raw != path.read_bytes():
            self._fault(f"codex: {len(raw)} bytes kept of {path.stat().st_size}")

    def _outcome_of_gemini(self, data: bytes, events: list[ReadEvent], skipped: set[int]) -> None:
        """A line is a message that is there, changes others, or was skipped; a document has only messages."""
        self.outcome.entries += sum(isinstance(event, Entry) for event in events)
        self.outcome.skipped += len(skipped)
        for what in gemini.lost(data, [event.id for event in events if isinstance(event, Entry)], skipped):
            self._fault(f"gemini: {what}")

    def _outcome_of_copilot_cli(self, data: bytes, events: list[ReadEvent]) -> None:
        """A line is an entry, was skipped, or is bookkeeping that has a name."""
        counts, lost = copilot_cli.kinds(data, events)
        self.outcome.entries += counts["entry"]
        self.outcome.skipped += counts["skipped"]
        for what in lost:
            self._fault(f"copilot-cli: {what}")

    def _outcome_of_document(self, data: bytes, format: str, events: list[ReadEvent]) -> None:
        """Each message is an entry or was skipped."""
        self.outcome.entries += sum(isinstance(event, Entry) for event in events)
        self.outcome.skipped += sum(isinstance(event, Skipped) for event in events)
        lost = {"amp": amp.lost, "continue": continue_dev.lost}.get(format, cline.lost)
        for what in lost(data, events):
            self._fault(f"{format}: {what}")

    def _outcome_by_line(self, data: bytes, format: str, events: list[ReadEvent]) -> None:
        """Each line is an entry, has a known part in one, or was skipped."""
        counts, lost = _BY_LINE[format](data, events)
        self.outcome.entries += counts["entry"]
        self.outcome.skipped += counts["skipped"]
        for what in lost:
            self._fault(f"{format}: {what}")

    def _parts(self, path: Path, format: str) -> list[Path]:
        if format != "claude-code":
            return []
        return [file for file in (path.with_suffix("") / "subagents").rglob("*.jsonl") if file.stat().st_size]

    # -- the archive ------------------------------------------------------------------------------------------

    def _archive(self, core: Core) -> None:
        if self._grow is not None:
            self._import_cut(core, self._grow)
        report = self._import(core)
        left_out = {str(Path(file.path).relative_to(self._source)) for file in report.skipped_files}
        if left_out != self.outcome.refused.keys() and self._grow is None:
            self._fault(f"read alone {list(self.outcome.refused)} are left out, imported {list(left_out)}")
        for file in self._source.rglob("*"):
            os.utime(file)
        again = self._import(core)
        if any(session.new_entries for session in again.sessions):
            self._fault("imported a second time, there is something new")
        for problem in core.services.sessions.check().result():
            self._fault(f"the archive is not sound: {problem}")
        for session in core.services.sessions.all().result():
            self._guarded("written", partial(self._write, core, session.key))

    def _import(self, core: Core) -> ImportReport:
        return core.services.importing.import_paths([self._source]).result()

    def _import_cut(self, core: Core, random: Random) -> None:
        path = self._source / self._main
        data = path.read_bytes()
        path.write_bytes(data[: random.randrange(len(data) + 1)])
        self._import(core)
        path.write_bytes(data)

    def _write(self, core: Core, key: int) -> None:
        services = core.services
        written = {name: services.exporting.to_bytes(key, name).result() for name in services.exporting.names}
        json.loads(written["json"])
        session_tree = services.sessions.open(key).result()
        for provider in API_NAMES:
            with suppress(NothingToDoError):  # an empty context
                at = session_tree.tree.get(session_tree.session.leaf)
                services.requests.payload(session_tree, at, provider).result()
        path = self._folder / "written.jsonl"
        path.write_bytes(written["pi"])
        events = self._formats.read(path, "pi", None)
        entries = sum(isinstance(event, Entry) for event in events)
        if entries < len(session_tree.tree):
            self._fault(f"written as pi, {entries} of {len(session_tree.tree)} entries come back")


def _lines_of(path: Path) -> int:
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    return sum(1 for line in data.split(b"\n") if line.strip())


def _where(error: BaseException) -> str:
    """The error and the innermost place of the program it passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "stemmata" in frame.filename]
    at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} {str(error)[:100]} at {at}"

"""What became of the records of a file: entries, parts of them, bookkeeping of named kinds, or skipped."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from stemmata.bootstrap.core import open_core
from stemmata.domain.entries.entry import Entry, Record
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent, Skipped, UnusedPart
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.values import BadLineError, mapping, parse, text
from stemmata.system.settings.settings import load
from tests.fuzz.trial import Trial

# tools in whose own window a person can go to every branch; the others show one
SHOW_ALL = ("pi", "chatgpt", "claude-ai", "open-webui", "librechat", "grok")
_LISTS = ("mapping", "chat_messages", "messages", "history", "requests", "responses")  # of messages in a document
_DUMPS = {  # a table of a dump → the name that the tool gives its database
    "threads": "threads.db", "session_entries": "librecode.db", "part": "opencode.db", "chat": "webui.db",
    "messages": "sessions.db",
}  # fmt: skip


@dataclass
class FileAccount:
    """The records of one file. `refused` is the reason why it holds no session."""

    name: str
    refused: str = ""
    format: str = ""
    sessions: int = 0
    records: int = 0
    entries: int = 0
    bookkeeping: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    shown_branches: int = 0
    branches: int = 0
    tokens: int = 0  # of all requests: sent and written
    models: list[str] = field(default_factory=list)
    start: str = ""
    end: str = ""


def accounts_of(folder: Path) -> Iterator[FileAccount]:
    """Yield the accounts of the files below a folder. The files of each of its subfolders are imported together."""
    parts = sorted(path for path in folder.iterdir() if path.is_dir())
    beside = sorted(path for path in folder.iterdir() if path.is_file())
    for part in parts:
        yield from _imported(part, part.name)
    if beside:
        with TemporaryDirectory() as made:
            for path in beside:
                shutil.copy(path, made)
            yield from _imported(Path(made), "")


def _imported(folder: Path, name: str) -> Iterator[FileAccount]:
    with TemporaryDirectory() as made:
        trial = Trial(Path(made), {}, "")
        source = Path(made, "source")
        shutil.copytree(folder, source)
        _load_dumps(source)
        files, refused = _session_files(source, Path(made))
        core = open_core(Path(made, "archive", "a.db"), load(Path(made, "none.toml")))
        with closing(core):
            core.services.importing.import_paths([source, *files]).result()
            sessions = core.services.sessions.all().result()
            for path in files:
                yield _account(trial, path, str(Path(name, path.relative_to(source))), sessions)
        for path, reason in refused.items():
            yield FileAccount(str(Path(name, path.relative_to(source))), refused=_shortened(reason, path))


def _shortened(reason: str, path: Path) -> str:
    """Return the reason without the path, and without the list of all tools."""
    return reason.replace(f"{path} ", "").partition(" Supported:")[0]


def _load_dumps(source: Path) -> None:
    """Load dumps of databases, each into a folder of its own, under the name that the tool gives its database."""
    for dump in sorted(source.rglob("*.sql")):
        found = sqlite3.connect(":memory:", isolation_level=None)
        with closing(found), suppress(sqlite3.Error):
            found.executescript(dump.read_text())
            tables = [name for (name,) in found.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            named = next((_DUMPS[name] for name in _DUMPS if name in tables), "unknown.db")
            path = dump.with_suffix("") / named
            path.parent.mkdir(exist_ok=True)
            found.execute("VACUUM INTO ?", (str(path),))


def _session_files(source: Path, home: Path) -> tuple[list[Path], dict[Path, str]]:
    """Return the files that hold sessions, and the others with the reasons why they hold none."""
    formats = standard_formats(home, {})
    found: list[Path] = []
    refused: dict[Path, str] = {}
    for path in sorted(one for one in source.rglob("*") if one.is_file()):
        try:
            main = formats.session_file(path)
            if main is not None and main != path:
                refused[path] = f"belongs to {main.name}."
                continue
            formats.identify(path)
            found.append(path)
        except KnownError as error:
            refused[path] = str(error)
    return found, refused


def _account(trial: Trial, path: Path, name: str, sessions: Sequence[Session]) -> FileAccount:
    formats = standard_formats(path.parent, {})
    out = FileAccount(name, format=formats.identify(path))
    try:
        events = list(formats.read(path, out.format, None))
    except KnownError as error:
        return FileAccount(name, refused=_shortened(str(error), path))
    out.lost = trial.faults_of(path)
    for part in _by_source(events):
        _count_records(out, part)
    _count_entries(out, events)
    ids = {event.info.source_id for event in events if isinstance(event, Begin)}
    mine = [one for one in sessions if one.source_id in ids and one.source == _source_of(events)]
    out.sessions = len(ids)
    out.branches = sum(one.branches for one in mine)
    out.shown_branches = out.branches if out.format in SHOW_ALL else sum(one.branches > 0 for one in mine)
    return out


def _source_of(events: Sequence[ReadEvent]) -> str:
    return next((event.info.source for event in events if isinstance(event, Begin)), "")


def _by_source(events: Sequence[ReadEvent]) -> Iterator[list[ReadEvent]]:
    """Yield the events of each session, with those of the sessions whose entries stand in the same bytes."""
    parts: list[list[ReadEvent]] = []
    for event in events:
        if isinstance(event, Begin):
            parts.append([])
        if parts:
            parts[-1].append(event)
    for at, part in enumerate(parts):
        if any(isinstance(event, Raw) for event in part):
            beside = []
            for other in parts[at + 1 :]:
                if any(isinstance(event, Raw) for event in other):
                    break
                beside += other
            yield part + beside


def _count_records(out: FileAccount, events: Sequence[ReadEvent]) -> None:
    """Count the records of one session, and name those that make no entry."""
    raw = b"".join(event.data for event in events if isinstance(event, Raw))
    made = sorted({(one.offset, one.size) for one in _records(events)})
    skipped = [event for event in events if isinstance(event, Skipped)]
    out.skipped += [f"line {one.line}: {one.reason}" if one.line else one.reason for one in skipped]
    out.skipped += [f"{event.where}: {event.reason}" for event in events if isinstance(event, UnusedPart)]
    listed = max(len(_chunks(raw)), *(len(places(raw, key)) for key in _LISTS))
    if listed and not _is_log(raw):
        out.records += listed
        if rest := listed - len(made) - len(skipped) if len(made) > 1 else 0:
            out.bookkeeping["a node without a message"] += max(rest, 0)
        return
    lines, seen = {one.line for one in skipped}, set[str]()
    end, offset = 0, 0
    waiting = iter([*made, (len(raw) + 1, 0)])
    start, size = next(waiting)
    for number, line in enumerate(raw.split(b"\n"), 1):
        at, offset = offset, offset + len(line) + 1
        if not line.strip():
            continue
        out.records += 1
        is_part = at < end
        while start < offset:
            is_part, end = True, max(end, start + size)
            start, size = next(waiting)
        kind, id = _kind_of(line)
        if not is_part and number not in lines:
            out.bookkeeping["a line that occurs twice" if id and id in seen else kind] += 1
        seen.add(id)


def _chunks(raw: bytes) -> dict[str | int, tuple[int, int]]:
    """Return the places of the messages of a chat of Google AI Studio, whose list is inside another object."""
    around = b'{"file":'
    at, size = places(around + raw + b"}", "file").get("chunkedPrompt", (len(around), 0))
    return places(raw[at - len(around) :][:size], "chunks")


def _records(events: Sequence[ReadEvent]) -> Iterator[Record]:
    for event in events:
        if isinstance(event, Entry) and event.record is not None:
            yield event.record


def _is_log(raw: bytes) -> bool:
    first = raw.partition(b"\n")[0]
    try:
        return isinstance(parse(first), dict) and raw.count(b"\n") > 1
    except BadLineError:
        return False


def _kind_of(line: bytes) -> tuple[str, str]:
    """Return what the line calls itself, its type and that of its content, and its id."""
    try:
        found = mapping(parse(line))
    except BadLineError:
        return "a line that is not JSON", ""
    inner = mapping(found.get("payload") or found.get("message"))
    names = [text(found.get("type")), text(found.get("subtype")), text(inner.get("type") or inner.get("role"))]
    if b'"functionResponse"' in line:
        names.append("results that another line has")
    if "kind" in found and "k" in found:
        names.append(f"a change of {'/'.join(str(step) for step in found['k'] if isinstance(step, str))}")
    named = "/".join(name for name in names if name)
    return named or f"a line with {next(iter(found), 'nothing')}", text(found.get("uuid"))


def _count_entries(out: FileAccount, events: Sequence[ReadEvent]) -> None:
    entries = [event for event in events if isinstance(event, Entry)]
    out.entries = len(entries)
    out.tokens = sum(entry.usage.sent + entry.usage.output for entry in entries if entry.usage is not None)
    out.models = list(dict.fromkeys(entry.model for entry in entries if entry.model))[:3]
    times = sorted(entry.time for entry in entries if entry.time > 0)
    if times:
        out.start, out.end = _day(times[0]), _day(times[-1])


def _day(time: int) -> str:
    return f"{datetime.fromtimestamp(time // 1_000_000_000, UTC):%Y-%m-%d %H:%M}"

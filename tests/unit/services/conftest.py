"""Services over a real archive and real formats, with a clock that only moves when it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.sessions.session import SessionTree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.formats.registry import standard_formats
from stemmata.services.notices import Notices
from stemmata.services.services import Services
from stemmata.services.sessions.sessions import Sessions
from stemmata.store.archive import SqliteArchive
from stemmata.system.settings.settings import SettingsFile
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.scripted_provider import ScriptedBench, ScriptedProvider, Tools
from tests.unit.services.compacting import LONG


@dataclass
class Ticking:
    """A clock that advances by a nanosecond per call, and counts up ids."""

    time: int = 1_700_000_000_000_000_000
    ids: int = 0

    def now(self) -> int:
        self.time += 1
        return self.time

    def new_id(self) -> str:
        self.ids += 1
        return f"{self.ids:08x}"


@dataclass
class Bench:
    """The services, and the changes that they published."""

    services: Services
    archive: SqliteArchive
    folder: Path
    published: list[ChangeSet] = field(default_factory=list)

    def imported(self, lines: list[dict[str, object]], name: str = "s.jsonl") -> SessionTree:
        """A pi session with these records, imported and opened."""
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        report = self.services.importing.import_paths([path]).result()
        assert report.skipped_files == ()
        return self.services.sessions.open(report.sessions[0].key).result()

    def reopened(self, session_tree: SessionTree) -> SessionTree:
        return self.services.sessions.open(session_tree.session.key).result()

    def id_of(self, key: int | None) -> str | None:
        return None if key is None else self.services.entries.rows([key]).result()[key].id

    def key(self, session_tree: SessionTree, id: str) -> int:
        return self.services.entries.key(session_tree.session.key, id).result()


@pytest.fixture
def server(anthropic_server: AnthropicServer) -> AnthropicServer:
    """The model that the chats of these tests ask, over the real SDK."""
    return anthropic_server


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    store = SqliteArchive(tmp_path / "archive" / "archive.db")
    settings = CompactionSettings(keep_recent_tokens=30, tool_prune_threshold=50, tool_keep_threshold=10)
    services = Services(
        Sessions(store, Notices()),
        lambda: standard_formats(tmp_path / "home", {}),
        lambda: Catalogue({"m": Model("m", 1000)}),
        settings,
        Ticking(),
        lambda: SettingsFile(tmp_path / "settings.toml"),
    )
    made = Bench(services, store, tmp_path)
    services.notices.subscribe(made.published.append)
    yield made
    store.close()


@pytest.fixture
def chat(bench: Bench) -> Iterator[ScriptedBench]:
    """The same services with a provider of scripted replies."""
    connection = Connection(name="local", base_url="http://127.0.0.1:9", model="m")
    yield ScriptedBench(bench.services, bench.archive, ScriptedProvider(connection), Tools())
    bench.services.close()


Records = Callable[..., list[dict[str, object]]]


@pytest.fixture
def talk() -> Records:
    """Records of a pi v3 session: `talk("id", ("1", None, "user", "text"), …)`; a role may also be a kind."""

    def records(id: str, *rows: tuple[str, str | None, str, str]) -> list[dict[str, object]]:
        header = {"type": "session", "version": 3, "id": id, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}
        return [header, *(_record(at, *row) for at, row in enumerate(rows))]

    return records


def _record(at: int, id: str, parent: str | None, role: str, text: str) -> dict[str, object]:
    stamp = f"2026-01-01T00:{at // 60:02}:{at % 60:02}.000Z"
    base: dict[str, object] = {"type": "message", "id": id, "parentId": parent, "timestamp": stamp}
    message: dict[str, object] = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": at}
    if role == "assistant":
        message |= {
            "provider": "p",
            "model": "m",
            "stopReason": "stop",
            "usage": {"input": 1, "totalTokens": 100 + at},
        }
    elif role == "call":
        call = {"type": "toolCall", "id": f"call-{id}", "name": "read", "arguments": {"path": text}}
        message |= {"role": "assistant", "content": [call], "provider": "p", "model": "m", "stopReason": "toolUse"}
    elif role == "toolResult":
        message |= {"toolCallId": f"call-{parent}", "toolName": "read", "isError": False}
    return base | {"message": message}


@pytest.fixture
def long(bench: Bench, talk: Records) -> SessionTree:
    """A session of three turns with a tool call each, with many words."""
    rows = []
    for at in range(1, 13, 4):
        rows += [
            (str(at), str(at - 1) if at > 1 else None, "user", f"{LONG} {at}"),
            (str(at + 1), str(at), "call", f"src/file{at}.py"),
            (str(at + 2), str(at + 1), "toolResult", LONG),
            (str(at + 3), str(at + 2), "assistant", f"Done with {at}."),
        ]
    return bench.imported(talk("s", *rows))

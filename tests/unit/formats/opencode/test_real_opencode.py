"""opencode itself, run against a made-up model on this machine: what it lists is shown, and what it hides as well.

Skipped where the environment does not ask for it (`REAL_PROGRAMS=1`), and where the program is not installed or does
not start.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.entry import Kind
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.real_programs import needs
from tests.fakes.waiting import PATIENCE, until
from tests.unit.formats.opencode.reading import Read, read

PROGRAM = shutil.which("opencode")
AFTER = 1 << 62  # ns: nothing is held back
LISTENING = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")

pytestmark = needs("opencode", "opencode-ai")


class Model(LoopbackServer):
    """Answers each request with its number."""

    def answer(self, exchange: Exchange) -> None:
        if exchange.request.is_listing:
            exchange.send_json(200, {"data": []})
            return
        exchange.open_stream()
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        for choice in (
            {"delta": {"role": "assistant", "content": f"Answer {len(self.requests)}."}, "finish_reason": None},
            {"delta": {}, "finish_reason": "stop"},
        ):
            told = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "usage": usage}
            exchange.event("", {**told, "choices": [{"index": 0, **choice}]})
        exchange.write(b"data: [DONE]\n\n")
        exchange.close_stream()


class Program:
    """The running program, asked through its API."""

    def __init__(self, home: Path, model: Model) -> None:
        self.database = home / "data" / "opencode" / "opencode.db"
        folder = home / "project"
        folder.mkdir(parents=True)
        options = {"baseURL": f"{model.url}/v1", "apiKey": "none"}
        limits = {"m": {"name": "m", "limit": {"context": 32_000, "output": 4_000}}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": options, "models": limits}
        settings = {"autoupdate": False, "share": "disabled", "model": "fake/m", "small_model": "fake/m"}
        config = home / "config" / "opencode" / "opencode.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({**settings, "provider": {"fake": provider}}))
        folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], **folders}
        environment |= {f"OPENCODE_DISABLE_{name}": "1" for name in off}
        assert PROGRAM is not None
        self._log = home / "log.txt"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [PROGRAM, "serve", "--port", "0", "--hostname", "127.0.0.1"], cwd=folder, env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self._url = ""

    def wait(self) -> None:
        """Wait until it listens; skip the test when it does not start here."""

        def is_ready() -> bool:
            found = LISTENING.search(self._log.read_text("utf-8", "replace"))
            self._url = found[1] if found is not None else ""
            return bool(self._url) or self._process.poll() is not None

        until(is_ready)
        if not self._url:
            pytest.skip(f"opencode does not start here: {self._log.read_text('utf-8', 'replace')[-300:]}")

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"null")

    def new(self, **facts: str) -> str:
        return str(self.ask("/session", facts)["id"])

    def say(self, session: str, text: str) -> str:
        """Send a prompt and wait for its reply; returns the id of the prompt."""
        body = {"parts": [{"type": "text", "text": text}], "model": {"providerID": "fake", "modelID": "m"}}
        return str(self.ask(f"/session/{session}/message", body)["info"]["parentID"])

    def listed(self, session: str) -> list[str]:
        """Return the messages that the program lists, without those that a revert hides."""
        hidden = (self.ask(f"/session/{session}").get("revert") or {}).get("messageID", "~")
        found = (one["info"]["id"] for one in self.ask(f"/session/{session}/message"))
        return [id for id in found if id < hidden]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    with Model() as model:
        made = Program(tmp_path / "home", model)
        try:
            made.wait()
            yield made
        finally:
            made.close()


def path_of(one: Read) -> list[str]:
    path, at = [], one.end.leaf
    while at is not None:
        path.append(at)
        at = one.entries[at].parent
    return path[::-1]


def test_what_it_lists_is_the_path_and_what_it_hides_is_there(program: Program) -> None:
    main = program.new(title="Main")
    first, second, third = (program.say(main, text) for text in ("one", "two", "three"))
    fork = str(program.ask(f"/session/{main}/fork", {"messageID": third})["id"])
    program.say(fork, "other")
    child = program.new(parentID=main)
    program.say(child, "as a subagent")
    program.ask(f"/session/{main}/revert", {"messageID": third})
    reverted = read(program.database, now=AFTER).sessions[main]
    assert path_of(reverted) == program.listed(main)
    assert third in reverted.entries
    program.say(main, "instead")
    program.ask(f"/session/{main}/summarize", {"providerID": "fake", "modelID": "m"})
    program.say(main, "after it")

    found = read(program.database, now=AFTER)
    one, copy = found.sessions[main], found.sessions[fork]
    assert found.unused == []
    assert all(session.skipped == [] for session in found.sessions.values())
    assert path_of(one) == program.listed(main)
    assert third not in program.listed(main)
    assert one.said(third) == "three"
    assert one.entries[str(one.entries[third].parent)].parent == second
    assert [entry.kind for entry in one.entries.values()].count(Kind.COMPACTION) == 1
    assert copy.begin.info.parent_source_id == main
    assert len(path_of(copy)) == len(program.listed(fork))
    assert path_of(copy)[:4] == path_of(one)[:4]
    assert first in copy.entries
    assert found.sessions[f"{main}/{child}"].begin.info.parent_source_id == main

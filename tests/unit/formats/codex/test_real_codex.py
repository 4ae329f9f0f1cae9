"""Codex itself, run against a made-up model on this machine: what it lists is shown, and what it hides as well.

Skipped where the environment does not ask for it (`REAL_PROGRAMS=1`), and where the program is not installed.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.text.json_text import compact_json
from stemmata.store.reader import Reader
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.real_programs import needs
from tests.fakes.waiting import PATIENCE, until
from tests.unit.formats.archived import Archived, archived

pytestmark = needs("codex", "@openai/codex")

COMPACTED, CALLED = "(compacted)", "(a subagent was called)"
SOURCES = ["cli", "vscode", "exec", "appServer", "subAgent", "subAgentThreadSpawn", "subAgentOther", "unknown"]


class Model(LoopbackServer):
    """Answers each request with its number, and a prompt that begins with “Spawn” with the call of a subagent."""

    def answer(self, exchange: Exchange) -> None:
        if exchange.request.is_listing or "/responses" not in exchange.request.path:
            exchange.send_json(200, {"data": [], "models": []})
            return
        exchange.open_stream()
        for event in _reply(len(self.requests), exchange.request.body["input"][-1]):
            exchange.event(event["type"], event)
        exchange.close_stream()


def _reply(number: int, last: Any) -> list[dict[str, Any]]:
    said = {"type": "output_text", "text": f"Answer {number}."}
    item: dict[str, Any] = {"type": "message", "role": "assistant", "id": f"m{number}", "content": [said]}
    if '"text":"Spawn' in compact_json(last):
        named = {"name": "spawn_agent", "namespace": "multi_agent_v1", "arguments": '{"message":"Look there."}'}
        item = {"type": "function_call", "id": f"f{number}", "call_id": f"c{number}", **named}
    usage = {"input_tokens": 100, "output_tokens": 7, "total_tokens": 107}
    return [
        {"type": "response.created", "response": {"id": f"r{number}"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": f"r{number}", "usage": usage}},
    ]


class Program:
    """The running program, asked through its API: JSON-RPC, a message a line."""

    def __init__(self, folder: Path, model: Model) -> None:
        self.home, self._work = folder / ".codex", folder / "work"
        for made in (self.home, self._work):
            made.mkdir(parents=True)
        (self.home / "config.toml").write_text(
            'model = "m"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\n'
            f'base_url = "{model.url}/v1"\nwire_api = "responses"\n[features]\nmulti_agent = true\n'
        )
        self._log = (folder / "log.txt").open("wb")
        self._process = subprocess.Popen(
            [shutil.which("codex") or "codex", "app-server"], cwd=self._work,
            env={"HOME": str(folder), "PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
        )  # fmt: skip
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._ended: dict[str, int] = {}  # thread → its turns that ended
        self._asked = 0
        self._reading = threading.Thread(target=self._read)
        self._reading.start()
        self.ask("initialize", clientInfo={"name": "test", "version": "1"}, capabilities={"experimentalApi": True})

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._reading.join()
        self._process.stdout.close()
        self._log.close()

    def ask(self, method: str, **parameters: Any) -> Any:
        self._asked += 1
        assert self._process.stdin is not None
        asked = {"id": self._asked, "method": method, "params": parameters}
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._answers.get(timeout=PATIENCE)
        assert "result" in answer, answer
        return answer["result"]

    def new(self) -> str:
        return str(self.ask("thread/start", cwd=str(self._work))["thread"]["id"])

    def say(self, thread: str, text: str) -> str:
        """Send a prompt and wait for the end of its turn; returns the turn's id."""
        before = self._ended.get(thread, 0)
        turn = self.ask("turn/start", threadId=thread, input=[{"type": "text", "text": text}])["turn"]
        until(lambda: self._ended.get(thread, 0) > before)
        return str(turn["id"])

    def compact(self, thread: str) -> None:
        before = self._ended.get(thread, 0)
        self.ask("thread/compact/start", threadId=thread)
        until(lambda: self._ended.get(thread, 0) > before)

    def threads(self) -> dict[str, str]:
        """Return the parent of each thread, "" for one that has none. The list itself does not tell it of forks."""
        ids = {one["id"] for one in self.ask("thread/list", sourceKinds=SOURCES)["data"]}
        read = [self.ask("thread/read", threadId=id)["thread"] for id in sorted(ids)]
        return {one["id"]: one["forkedFromId"] or one["parentThreadId"] or "" for one in read}

    def listed(self, thread: str) -> list[str]:
        """Return the texts of a thread, as the program lists them."""
        turns = self.ask("thread/read", threadId=thread, includeTurns=True)["thread"]["turns"]
        return [text for turn in turns for one in turn["items"] if (text := _listed_text(one))]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            if "method" not in told:
                self._answers.put(told)
            elif told["method"] == "turn/completed":
                thread = told["params"]["threadId"]
                self._ended[thread] = self._ended.get(thread, 0) + 1


def _listed_text(item: dict[str, Any]) -> str:
    match item["type"]:
        case "userMessage":
            return "".join(part["text"] for part in item["content"])
        case "agentMessage":
            return str(item["text"])
        case "contextCompaction":
            return COMPACTED
        case other:
            assert other == "collabAgentToolCall", item
            return CALLED


def shown(archive: Archived, thread: str) -> list[str]:
    """Return the texts of prompts and replies on the way to the current entry, and the compactions."""
    session = archive.sessions()[thread]

    def job(reader: Reader) -> list[str]:
        tree, previews = reader.tree(session.key), reader.previews(session.key)
        at, texts = tree.get(session.leaf), []
        while at is not None and at >= 0:
            columns = tree.columns
            kind, role, flags = Kind(columns.kind[at]), Role(columns.role[at]), Flag(columns.flags[at])
            is_said = role in (Role.USER, Role.ASSISTANT) and not flags & (Flag.INJECTED | Flag.HIDDEN)
            text = COMPACTED if kind is Kind.COMPACTION else CALLED if columns.calls[at] else previews[at]
            texts += [text] if is_said or kind is Kind.COMPACTION else []
            at = tree.parents[at]
        return [text for text in reversed(texts) if text]

    return archive.archive.read(job).result()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    with Model() as model:
        made = Program(tmp_path / "codex", model)
        try:
            yield made
        finally:
            made.close()


def test_what_it_lists_is_shown_and_what_it_hides_as_well(program: Program, tmp_path: Path) -> None:
    main = program.new()
    _, second, third = (program.say(main, text) for text in ("One", "Two", "Three"))
    fork = str(program.ask("thread/fork", threadId=main, lastTurnId=second)["thread"]["id"])
    program.say(fork, "Other")
    program.ask("thread/revert", threadId=main, beforeTurnId=third)
    program.say(main, "Instead")
    program.compact(main)
    program.say(main, "After it")
    program.say(main, "Spawn one")
    until(lambda: len(program.threads()) == 3)
    agent = next(iter(program.threads().keys() - {main, fork}))
    until(lambda: len(program.listed(agent)) == 2)
    told, parents = {id: program.listed(id) for id in program.threads()}, program.threads()
    with archived(tmp_path) as archive:
        archive.take(program.home / "sessions")
        sessions = archive.sessions()
        ids = {one.rpartition("/")[2]: one for one in sessions}
        keys = {one.key: id.rpartition("/")[2] for id, one in sessions.items()}
        assert {id: keys.get(sessions[one].parent or 0, "") for id, one in ids.items()} == parents
        said = {id: shown(archive, one) for id, one in ids.items()}
        assert (
            said[main][said[main].index(COMPACTED) - 1] == "Answer 6."
        )  # the summary as the model wrote it, unlisted
        said[main].remove("Answer 6.")
        assert said == told
        assert relation_of(sessions[ids[fork]], sessions[main]) is Relation.FORKED
        assert relation_of(sessions[ids[agent]], sessions[main]) is Relation.SPAWNED
        above = archive.above(main)
        assert "Three" not in told[main]
        assert (above["Three"], above["Instead"]) == ("Answer 2.", "Answer 2.")
        assert above["Answer 3."] == "Three"

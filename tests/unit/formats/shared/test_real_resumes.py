"""Claude Code and Codex themselves continue the sessions that were handed over to them, against a made-up model.

Skipped where the environment does not ask for it (`REAL_PROGRAMS=1`), and where a program is not installed.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.requests.hand_off import Extent
from stemmata.domain.sessions.session import SessionTree
from stemmata.formats.registry import standard_formats
from stemmata.services.chat.handing_off import HandedOff, HandOff
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.real_programs import needs
from tests.unit.services.conftest import Bench, Records, bench, long, talk

__all__ = ["Records", "bench", "long", "talk"]
SECONDS = 300  # a busy machine starts the programs slowly


class Model(LoopbackServer):
    """Answers “pong” in the form of the API that is asked."""

    def answer(self, exchange: Exchange) -> None:
        if exchange.request.is_listing or "count_tokens" in exchange.request.path:
            exchange.send_json(200, {"data": [], "input_tokens": 1})
            return
        exchange.open_stream()
        for event in _REPLIES if "/responses" in exchange.request.path else _MESSAGES:
            exchange.event(str(event["type"]), event)
        exchange.close_stream()

    def longest(self) -> dict[str, Any]:
        """Return the request that holds the whole conversation."""
        bodies = [one.body for one in self.requests if not one.is_listing and "count_tokens" not in one.path]
        return max(bodies, key=lambda body: len(json.dumps(body.get("messages") or body.get("input") or [])))


_MESSAGES: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "pong"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]  # fmt: skip
_REPLIES: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "resp_1"}},
    {
        "type": "response.output_item.done",
        "output_index": 0,
        "item": {
            "type": "message",
            "role": "assistant",
            "id": "m",
            "content": [{"type": "output_text", "text": "pong"}],
        },
    },
    {
        "type": "response.completed",
        "response": {"id": "resp_1", "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}},
    },
]


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as server:
        yield server


def written(bench: Bench, long: SessionTree, tool: str, extent: Extent, work: Path) -> HandedOff:
    leaf = long.session.leaf
    assert leaf is not None
    work.mkdir()
    asked = HandOff(session=long.session.key, entry=leaf, tool=tool, extent=extent, cwd=str(work))
    return bench.services.handing_off.write(asked).result()


def run(command: list[str], home: Path, work: Path, **environment: str) -> None:
    ran = subprocess.run(
        command,
        cwd=work,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert b"pong" in ran.stdout, (ran.stdout, ran.stderr)


def assert_continues(texts: str, extent: Extent) -> None:
    assert "Done with 9." in texts
    if extent is Extent.WHOLE:
        assert texts.index("Done with 1.") < texts.index("Done with 5.") < texts.index("Done with 9.")
        assert texts.index("src/file9.py") < texts.rindex("ping")


@needs("claude", "@anthropic-ai/claude-code")
@pytest.mark.parametrize("extent", [Extent.WHOLE, Extent.CONTEXT])
def test_claude_code_goes_on(bench: Bench, long: SessionTree, model: Model, tmp_path: Path, extent: Extent) -> None:
    work = tmp_path / "work"
    done = written(bench, long, "claude-code", extent, work)
    told = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    run([*done.command, "--print", "ping"], tmp_path / "home", work, **told)
    assert_continues(json.dumps(model.longest()["messages"]), extent)
    assert len(done.path.read_bytes().splitlines()) > 10, "the program goes on in the same file"


@needs("codex", "@openai/codex")
@pytest.mark.parametrize("extent", [Extent.WHOLE, Extent.CONTEXT])
def test_codex_goes_on(bench: Bench, long: SessionTree, model: Model, tmp_path: Path, extent: Extent) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    config = home / ".codex" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        'model = "m"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\n'
    )
    done = written(bench, long, "codex", extent, work)
    program, *resume = done.command
    run([program, "exec", *resume, "ping", "--skip-git-repo-check"], home, work)
    assert_continues(json.dumps(model.longest()["input"]), extent)


def test_both_are_among_the_tools(tmp_path: Path) -> None:
    assert {"claude-code", "codex", "pi"} == set(standard_formats(tmp_path, {}).carriers())

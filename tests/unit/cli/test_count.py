"""`context --count`: figures that the provider counted, and why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import connect
from tests.fakes.model_server import CountAnswer, ModelServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Refuse
from tests.unit.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "p" / "config"
    folder.mkdir(parents=True)
    monkeypatch.setenv("STEMMATA_PROFILE", str(tmp_path / "p"))
    return folder


@pytest.fixture
def server(folder: Path) -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        connect(folder, server.url, extra=["[chat]", 'system_prompt = "Answer in one sentence."'])
        yield server


def test_the_figures_are_marked_as_counted(run: Run, server: AnthropicServer) -> None:
    run("chat", "new", "Hi")
    document = run("context", "latest", "--count", "--json").json
    for name in ("breakdown", "seen"):
        found = document[name]
        assert (found["total"]["kind"], found["basis"], found["fixed"]) == ("counted", "count", "counted")
        assert found["categories"]["system"]["kind"] == "counted"
        assert found["categories"]["tool_definitions"] == {"value": 0, "kind": "counted"}
        assert found["categories"]["user"]["kind"] == "estimated"
        values = [part["value"] or 0 for part in found["categories"].values()]
        assert sum(values) == found["total"]["value"] > 0
    told = run("context", "latest", "--count").out
    assert "Context  = " in told
    assert "(= counted by the provider; estimates adjusted" in told
    plain = run("context", "latest", "--json").json
    assert (plain["seen"]["total"]["kind"], plain["seen"]["fixed"]) == ("reported", "measured")


def test_a_session_file_can_be_counted(run: Run, server: AnthropicServer, session: Path) -> None:
    assert run("context", session, "--count", "--json").json["seen"]["total"]["kind"] == "counted"
    assert "inferred from the first reported request" in run("context", session).out


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (0, "does not count tokens"),
        (-5, "does not count tokens"),
        (1 << 40, "does not count tokens"),
        (Refuse(404, "Not found"), "does not count tokens"),
        (Refuse(503, "Busy"), "503"),
        ("cut", "fake"),
    ],
)
def test_failures_say_why(run: Run, server: AnthropicServer, answer: CountAnswer, why: str) -> None:
    run("chat", "new", "Hi")
    server.counts = answer
    failed = run("context", "latest", "--count")
    assert (failed.code, failed.out) == (1, "")
    assert why in failed.err


def test_without_a_connection_or_a_count_it_says_so(run: Run, folder: Path, session: Path) -> None:
    failed = run("context", session, "--count")
    assert failed.code == 1
    assert "connect" in failed.err
    with OpenAIServer() as server:
        made: ModelServer = server
        connect(folder, f"{made.url}/v1", "gpt-4o", api="openai-chat")
        assert "Choose a model, or connect one." in run("context", session, "--count").err
        run("chat", "new", "Hi")
        assert "does not count tokens" in run("context", "latest", "--count").err
    wrong = run("context", session, "--count", "--request", "anthropic")
    assert wrong.code == 2
    assert "cannot be combined" in wrong.err


def test_a_failing_count_before_a_message_is_told_on_stderr(run: Run, server: AnthropicServer, folder: Path) -> None:
    connect(folder, server.url, "qwen3:8b", extra=["[[models]]", 'id = "qwen3:8b"', "window = 40960"])
    server.counts = Refuse(503, "Busy")
    run("chat", "new", "Hi")
    told = run("chat", "latest", "x" * 4 * 24_000)
    assert (told.code, told.err.count("could not be counted")) == (0, 1)


def test_what_is_pruned_and_compacted_is_noted(run: Run, server: AnthropicServer, session: Path) -> None:
    run("import", session)
    done = run("compact", "latest", "--keep-recent", "300", "--json").json
    last = run("show", "latest").out
    assert "⚙️ Compacted (" in last
    assert done["entry"]


def test_the_status_shows_the_settings_of_compaction(run: Run, session: Path) -> None:
    run("import", session)
    for arguments in (["status"], ["status", "latest"]):
        told = " ".join(run(*arguments).out.split())
        pruning = "tool results above 8k tokens, keeps 2k tokens, policy auto"
        for words in ("80% of the window", "20k tokens", pruning, "70% of the window"):
            assert words in told
        document = run(*arguments, "--json").json["compaction"]
        assert document["tool_policy"] == "auto"
        assert document["resume_token_budget"] == 70
        assert document["notify"] is True

"""The whole application on an archive of its own, and a pi session with branches to work on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap import build
from stemmata.bootstrap.window import Application
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.transcripts import cards_at_once as cards_at_once
from tests.journeys.chatting import Chat, connect, new_chat
from tests.journeys.person import Person

TURNS = 8
FORK = 2  # the turn after which the other branch leaves

# The tests in which pages, columns, dialogs, sizes or the theme change. The window does this as for a person: in
# turns, behind its old picture (see `Theme.takes_turns`). In other tests all happens in the turn that asks for it.
IN_TURNS = {
    f"test_{name}"
    for name in """
    connecting cursor duplicates elsewhere first_light
    following garbage lineage links memory_flush monkey new_segments one_scale own_models palette_offers preferences
    resets search_results search_typing skills split split_sides starting time_machine toasts tool_consent
    tool_servers turns_of_pages windows workbench_entries
    """.split()
}


@pytest.fixture
def takes_turns(request: pytest.FixtureRequest) -> bool:
    """Whether the windows of the test change in turns."""
    return request.module.__name__.rpartition(".")[2] in IN_TURNS


@pytest.fixture
def application(qtbot: QtBot, tmp_path: Path, takes_turns: bool) -> Iterator[Application]:
    """The application, shown, with its first list of sessions read."""
    application = build(["--profile", str(tmp_path / "profile")])
    application.gui.theme.set_scheme("dark")
    window = application.window
    window.resize(1440, 900)
    with qtbot.waitSignal(application.gui.sessions.listed):
        window.show()
    application.gui.theme.takes_turns = takes_turns
    yield application
    application.close()
    qtbot.wait(1)


@pytest.fixture
def person(application: Application, qtbot: QtBot) -> Person:
    return Person(application, qtbot)


@pytest.fixture
def chat_server() -> Iterator[AnthropicServer]:
    """A model on this machine, at a port of its own."""
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def chat(person: Person, chat_server: AnthropicServer) -> Chat:
    """A new chat with a connection."""
    connect(person, chat_server)
    return new_chat(person)


@pytest.fixture
def restart(
    application: Application, qtbot: QtBot, tmp_path: Path, takes_turns: bool
) -> Iterator[Callable[[], Person]]:
    """Close the application and build it again; nothing is shown yet."""
    made: list[Application] = []

    def again() -> Person:
        application.close()
        made.append(build(["--profile", str(tmp_path / "profile")]))
        made[-1].gui.theme.takes_turns = takes_turns
        return Person(made[-1], qtbot)

    yield again
    for later in made:
        later.close()
    qtbot.wait(1)


@pytest.fixture
def reopened(restart: Callable[[], Person]) -> Callable[[], Person]:
    """Close the window, open it again, and restore its sessions."""

    def again() -> Person:
        person = restart()
        person.window.show()
        person.gui.restore()
        person.until(lambda: person.gui.opened.session_tree is not None)
        return person

    return again


@pytest.fixture
def session_file(tmp_path: Path) -> Path:
    """A pi session: eight turns of a tool call each, and a second branch that leaves the third turn."""
    path = tmp_path / "2025-01-02T03-04-05_demo.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in _lines()), encoding="utf-8")
    return path


def _lines() -> list[dict[str, Any]]:
    header = {"type": "session", "version": 3, "id": "journey-1", "timestamp": _time(0), "cwd": "/home/me/journey"}
    lines: list[dict[str, Any]] = [header]
    parent: str | None = None
    for turn in range(TURNS):
        parent = _turn(lines, parent, f"{turn:02d}", f"Prompt number {turn}: please look at module {turn}.")
        if turn == FORK:
            _turn(lines, parent, "b0", "Another approach: wrap before theming.")
    return lines


def _turn(lines: list[dict[str, Any]], parent: str | None, name: str, prompt: str) -> str:
    call = {"type": "toolCall", "id": f"call_{name}", "name": "read", "arguments": {"path": f"src/module_{name}.py"}}
    messages: list[tuple[str, dict[str, Any]]] = [
        (f"usr000{name}", {"role": "user", "content": prompt}),
        (f"cal000{name}", {"role": "assistant", "content": [call], **_facts("toolUse")}),
        (
            f"res000{name}",
            {
                "role": "toolResult", "toolCallId": call["id"], "toolName": "read", "isError": False,
                "content": [{"type": "text", "text": f"line of module {name}\n" * 700}],
            },
        ),
        (f"ans000{name}", {"role": "assistant", "content": [_text(f"Module {name} is **fine**.")], **_facts("stop")}),
    ]  # fmt: skip
    for id, message in messages:
        line = {"type": "message", "id": id, "parentId": parent, "timestamp": _time(len(lines)), "message": message}
        lines.append(line)
        parent = id
    assert parent is not None
    return parent


def _facts(stop: str) -> dict[str, Any]:
    return {"provider": "anthropic", "model": "claude-opus-4-5", "stopReason": stop, "api": "anthropic-messages"}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _time(number: int) -> str:
    return f"2025-01-02T03:{number // 60:02d}:{number % 60:02d}.000Z"

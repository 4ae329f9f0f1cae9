"""A session near the trigger of automatic compaction, at a strict fake server that also writes the summaries."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.run import AutoCompacting, CompactionStage, Noticed, RunState
from stemmata.domain.compaction.summary.sections import Section
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.settings.settings import CompactionSettings
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app
from tests.fakes.script import Event, Reply, Say, Step
from tests.fakes.scripted_provider import Tools
from tests.fakes.waiting import PATIENCE

WINDOW = 20_000  # tokens; the trigger is 8,000, and a request fits with its longest reply up to 11,808
LARGE = 200_000  # tokens; what the server takes while the session is filled
SUMMARY = "\n\n".join(f"## {section.value}\n\nAbout {section.name.lower()}." for section in Section)
ANSWER = Reply(blocks=(Say("A long answer. " * 280),))  # about 1,050 tokens
RULE = "Never use tabs in this project."
WRITES = "You write summaries"  # how the request for a summary begins


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of compactions, prunings, requests for summaries, notes and notices, on any branch."""

    compacted: int
    pruned: int
    paid: int
    notes: str
    notices: str
    state: RunState


class CompactionScene:
    """`summaries` are the answers to requests for a summary, in order; then the model writes a valid one."""

    def __init__(self, folder: Path, server: AnthropicServer, chat: ChatApp, tools: Tools) -> None:
        self.folder, self.server, self.chat, self.tools = folder, server, chat, tools
        self.summaries: list[Step] = []
        self.asked_for_summary = threading.Event()
        self.written = 0  # requests for a summary
        self.survived: Outcome | None = None  # of the process that opened the archive after this one was killed
        self._held, self._go_on = False, threading.Event()
        self.session = chat.session()
        self.set_window(WINDOW)

    # -- what is set up ---------------------------------------------------------------------------------------

    def set_window(self, window: int | None, **facts: Any) -> None:
        """Set the window that the program knows of the model."""
        prices = {"input_price": 3_000_000, "output_price": 15_000_000} | facts
        self.chat.services.catalogue = Catalogue({MODEL: Model(MODEL, window, **prices)})
        self.chat.services.contexts.adopt(self.chat.services.catalogue)

    def settings(self, **facts: Any) -> None:
        contexts = self.chat.services.contexts
        contexts.settings = contexts.settings._replace(**facts)

    def fill(self, exchanges: int) -> None:
        """Add entries of about 1,070 tokens each, none of which is compacted."""
        settings = self.chat.services.contexts.settings
        self.settings(enabled=False)
        for at in range(exchanges):
            self.server.script(ANSWER)
            self.say(f"{RULE} Step {at}." if not at else f"Do step {at}.")
        self.chat.services.contexts.settings = settings
        self.chat.events.clear()
        self.server.requests.clear()

    def answer(self, payload: Mapping[str, Any]) -> Step:
        """Answer requests without a script."""
        if WRITES not in str(payload.get("system", "")):
            return Reply(blocks=(Say("Done."),))
        self.written += 1
        self.asked_for_summary.set()
        if self._held:
            self._held = False
            return Reply(blocks=(Say(SUMMARY),), twist=self._wait)
        return self.summaries.pop(0) if self.summaries else Reply(blocks=(Say(SUMMARY),))

    def hold(self) -> None:
        """Hold the next summary back until `release`."""
        self._held = True

    def release(self) -> None:
        """Send the summary that was held back."""
        self._go_on.set()

    def _wait(self, event: Event) -> list[Event]:
        assert self._go_on.wait(PATIENCE)
        return [event]

    # -- what is done -----------------------------------------------------------------------------------------

    def say(self, text: str = "Go on.") -> None:
        """Send a message, and wait for the reply and the work after it."""
        self.chat.say(self.session, text)
        self.settle()

    def settle(self) -> None:
        self.chat.runs.settled().result(PATIENCE)

    def awaited(self) -> None:
        """Wait until a countdown runs."""
        self.chat.wait(lambda: any(_is_awaited(event) for event in self.chat.events))

    @contextmanager
    def survivor(self) -> Iterator[ChatApp]:
        """Return another process that opens the archive as a kill of this one would leave it."""
        folder = self.folder.parent / "killed"
        self.chat.archive.read(lambda _reader: None).result()  # nothing is being written
        shutil.copytree(self.folder, folder)
        with chat_app(folder, self.server.url, tools=self.tools) as other:
            ports = replace(other.services.chat_ports, is_alive=lambda _owner: False)
            other.services.__dict__["chat_ports"] = ports
            yield other

    # -- what came of it --------------------------------------------------------------------------------------

    def outcome(self, chat: ChatApp) -> Outcome:
        """Return the counts in the archive and among a program's watchers."""
        tree = chat.services.sessions.open(self.session).result().tree
        return Outcome(
            sum(1 for _ in tree.of_kind(Kind.COMPACTION)),
            sum(1 for _ in tree.of_kind(Kind.TOOL_PRUNE)),
            self.written,
            "\n".join(told for told in chat.told(self.session) if told.startswith("custom: ")),
            "\n".join(event.text for event in chat.events if isinstance(event, Noticed)),
            chat.runs.state(self.session),
        )

    @property
    def compactions(self) -> int:
        return self.outcome(self.chat).compacted

    @property
    def notes(self) -> str:
        return self.outcome(self.chat).notes

    def sent(self) -> str:
        """The messages of the last request that was no request for a summary."""
        bodies = [request.body for request in self.server.requests if b"count_tokens" not in request.path.encode()]
        return str([body["messages"] for body in bodies if WRITES not in str(body.get("system", ""))][-1])

    def replies(self) -> int:
        return sum(1 for row, _ in self.chat.path(self.session) if row.role is Role.ASSISTANT)

    def last(self) -> str:
        """The last text of the conversation."""
        said = [plain_text(body.blocks) for row, body in self.chat.path(self.session) if row.role is Role.ASSISTANT]
        return said[-1]


def _is_awaited(event: object) -> bool:
    return isinstance(event, AutoCompacting) and event.stage is CompactionStage.AWAITED


@contextmanager
def compaction_scene(folder: Path) -> Iterator[CompactionScene]:
    """A connected program without a window, a server, and an empty session."""
    found: list[CompactionScene] = []

    def talks(payload: Mapping[str, Any]) -> Any:
        return found[0].answer(payload)

    home, tools = folder / "home", Tools()
    home.mkdir()
    with AnthropicServer(talks=talks, window=LARGE) as server, chat_app(home, server.url, tools=tools) as chat:
        server.lists = False  # the window is known from the catalogue alone
        chat.services.contexts.settings = CompactionSettings()
        found.append(CompactionScene(home, server, chat, tools))
        yield found[0]

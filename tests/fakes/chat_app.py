"""The whole program without its window, connected to a fake server: real SDK, real wire, real archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from stemmata.bootstrap.core import Core, open_core
from stemmata.domain.settings.settings import ChatSettings
from stemmata.providers.registry import ProviderRegistry
from stemmata.services.ports.providers import Toolbox
from stemmata.system.settings.settings import load
from tests.fakes.chat_bench import ChatBench

MODEL = "claude-haiku-3-5"  # the plain one of the fakes: no thinking, takes the beginning of a reply
QUICK = ChatSettings(longest_wait=0, cache_ttl="off")  # tries again at once


class ChatApp(ChatBench):
    def __init__(self, core: Core) -> None:
        super().__init__(core.services, core.store)
        self.core = core


def connect(
    folder: Path, url: str, model: str = MODEL, variable: str = "", api: str = "anthropic", extra: Sequence[str] = ()
) -> Path:
    """A settings file with this one connection; `extra` are more lines of it."""
    path = folder / "settings.toml"
    lines = ["[[connections]]", 'name = "fake"', f'api = "{api}"', f'base_url = "{url}"', f'model = "{model}"']
    lines += [f'variable = "{variable}"'] if variable else []
    lines += extra
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@contextmanager
def chat_app(
    folder: Path,
    url: str,
    *,
    chat: ChatSettings = QUICK,
    stall: float = 90.0,
    tools: Toolbox | None = None,
    model: str = MODEL,
    variable: str = "",
    api: str = "anthropic",
    extra: Sequence[str] = (),
) -> Iterator[ChatApp]:
    core = open_core(folder / "archive.db", load(connect(folder, url, model, variable, api, extra)), folder)
    try:
        core.services.adopt_chat(chat)
        chat_ports = core.services.chat_ports
        connections = replace(chat_ports.connections, providers=lambda: ProviderRegistry(stall))
        core.services.__dict__["chat_ports"] = replace(
            chat_ports, connections=connections, tools=tools or chat_ports.tools
        )
        yield ChatApp(core)
    finally:
        core.close()

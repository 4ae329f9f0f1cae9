"""The worked examples of the documentation are put in place as they stand there, and run."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import BlockDone, Fault, ProviderError, ReplyEnded, StreamEvent
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role, Usage
from stemmata.domain.requests import apis
from stemmata.domain.requests.request import RequestOptions
from stemmata.domain.sources.reading import Begin, End, Raw, Skipped
from stemmata.formats.registry import FORMATS, FormatRegistry
from stemmata.providers import registry
from stemmata.system.loop import IoLoop
from tests.architecture.sources import ROOT
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.fakes.waiting import PATIENCE

BLOCK = re.compile(r"^```(python|jsonl)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEAD = re.compile(r"# app/(stemmata/\S+)\n(.*)", re.DOTALL)


class Page:
    """A page whose modules can be imported as if they were part of the program."""

    def __init__(self, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.blocks = BLOCK.findall((ROOT / "docs" / name).read_text(encoding="utf-8"))
        self._before = set(sys.modules)
        for language, text in self.blocks:
            found = HEAD.match(text)
            if language == "python" and found:
                path = folder / found[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(found[2], encoding="utf-8")
        for package in ("formats", "providers", "domain/requests"):
            module = importlib.import_module(f"stemmata.{package.replace('/', '.')}")
            monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder / "stemmata" / package)])
        importlib.invalidate_caches()

    def rows(self) -> list[str]:
        """The blocks of code that are put into an existing module."""
        return [text for language, text in self.blocks if language == "python" and not HEAD.match(text)]

    def close(self) -> None:
        for name in set(sys.modules) - self._before:
            module = sys.modules[name]
            if not str(getattr(module, "__file__", None) or "").startswith(str(ROOT)) and "stemmata." in name:
                del sys.modules[name]


@pytest.fixture
def page(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    made = Page(request.param, tmp_path, monkeypatch)
    yield made
    made.close()


def module(name: str) -> ModuleType:
    return importlib.import_module(f"stemmata.{name}")


@pytest.mark.parametrize("page", ["how-to-add-a-format.md"], indirect=True)
def test_the_added_format_is_found_and_read(page: Page, tmp_path: Path) -> None:
    [sample] = [text for language, text in page.blocks if language == "jsonl"]
    path = tmp_path / "home" / ".jotter" / "tea.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(sample + "no note\n", encoding="utf-8")
    jotter = module("formats.jotter.format").JOTTER
    names = {"JOTTER": jotter, **{format.name.upper().replace("-", "_"): format for format in FORMATS}}
    [row] = page.rows()
    formats = FormatRegistry(eval(row.partition("=")[2], names), tmp_path / "home", {})
    assert [(found.source, found.name) for found in formats.discover()] == [("jotter", "Jotter")]
    assert formats.identify(path) == "jotter"
    events = list(formats.read(path, "", None))
    assert isinstance(events[0], Begin)
    assert isinstance(events[-1], End)
    assert (events[0].info.source_id, events[0].info.cwd) == ("s1", "/home/ann/tea")
    entries = [event for event in events if isinstance(event, Entry)]
    assert [(entry.id, entry.parent, entry.role, entry.blocks) for entry in entries] == [
        ("a", None, Role.USER, (Text("Which tea?"),)),
        ("b", "a", Role.ASSISTANT, (Text("Sencha."),)),
    ]
    assert [event.line for event in events if isinstance(event, Skipped)] == [4]
    assert b"".join(event.data for event in events if isinstance(event, Raw)) == path.read_bytes()


class ParrotServer(LoopbackServer):
    """Repeats the last message of the request, or sends an error that it is tired."""

    def answer(self, exchange: Exchange) -> None:
        assert exchange.request.path == "/v1/speak"
        exchange.open_stream()
        for word in exchange.request.body["lines"][-1]["text"].split():
            exchange.event("", {"type": "word", "text": f"{word} "})
        if exchange.request.body["most"] == 1:
            exchange.event("", {"type": "error", "message": "The parrot is tired."})
        else:
            exchange.event("", {"type": "end", "used": {"in": 3, "out": 2}})
        exchange.close_stream()


@pytest.mark.parametrize("page", ["how-to-add-a-provider.md"], indirect=True)
def test_the_added_provider_answers(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    api, provider = page.rows()
    builder, parrots = module("domain.requests.parrot"), module("providers.parrot")
    added = eval(api, {"Api": apis.Api, "parrot_payload": builder.parrot_payload})
    monkeypatch.setattr(apis, "APIS", (*apis.APIS, added))
    monkeypatch.setattr(registry, "PROVIDERS", {**registry.PROVIDERS, **eval(f"{{{provider}}}", vars(parrots))})
    loop = IoLoop()

    async def asked(most: int) -> list[StreamEvent]:
        payload = apis.payload_of(
            "parrot", [(said, Form.WHOLE)], RequestOptions(model="grey", max_tokens=most), no_blob
        )
        assert added.reply_limit(payload) == most
        opened = registry.ProviderRegistry(5.0).open(
            Connection(name="p", api="parrot", base_url=f"{server.url}/v1"), "k"
        )
        try:
            return [event async for event in opened.stream(payload)]
        finally:
            await opened.close()

    said = Entry(id="1", role=Role.USER, blocks=(Text("Pretty Polly"),))
    try:
        with ParrotServer() as server:
            events = loop.run(asked(100)).result(PATIENCE)
            with pytest.raises(ProviderError, match="The parrot is tired") as caught:
                loop.run(asked(1)).result(PATIENCE)
    finally:
        loop.close()
    assert [event.block for event in events if isinstance(event, BlockDone)] == [Text("Pretty Polly ")]
    assert isinstance(events[-1], ReplyEnded)
    assert events[-1].usage == Usage(input=3, output=2)
    assert caught.value.begun
    assert caught.value.fault is not Fault.CONNECTION


def no_blob(_digest: str) -> Any:
    return None

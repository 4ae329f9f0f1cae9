"""For any tree and any options, the strict fake servers accept the request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.context.projection import Form, context_at
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.apis import payload_of
from stemmata.domain.requests.message_normalizer import normalize
from stemmata.domain.requests.model_abilities import THINKING_LEVELS
from stemmata.domain.requests.request import RequestOptions, ToolDefinition
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.fake_models import FakeModel
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Refuse
from tests.strategies import DIGEST, IMAGE, entry_lists

PDF = b"%PDF-1.7 short"
TOOLS = ((), (ToolDefinition("read", "Reads."), ToolDefinition("an odd tool!")))
SAMPLE_FILES = 12  # of each kind
ASKED = (
    ("claude-opus-4-5", "anthropic"),
    ("claude-sonnet-5-5", "anthropic"),
    ("gpt-5.5", "openai-chat"),
    ("gpt-5.5", "openai-responses"),
    ("gpt-5.5", "openai-codex-responses"),
)
LARGEST_SAMPLE = 8_000_000  # bytes


@pytest.fixture(scope="module")
def anthropic() -> Iterator[AnthropicServer]:
    with AnthropicServer(checks_signatures=False) as server:
        yield server


@pytest.fixture(scope="module")
def openai() -> Iterator[OpenAIServer]:
    with OpenAIServer(checks_signatures=False) as server:
        yield server


def blob(digest: str) -> bytes | None:
    return {DIGEST: IMAGE, "0" * 64: PDF}.get(digest)


def offered(model: FakeModel) -> OfferedModel:
    return OfferedModel(
        id=model.id,
        most_output=model.most_output,
        takes_images=model.takes_images,
        takes_pdfs=model.takes_pdfs,
        thinks=bool(model.levels),
        levels=model.levels,
        thinking=model.thinking,
    )


def options_for(models: tuple[FakeModel, ...]) -> st.SearchStrategy[RequestOptions]:
    """Draw options of a request, for models with and without facts from their server."""

    def made(model: FakeModel, knows: bool, **wishes: Any) -> RequestOptions:
        knows = knows or not model.takes_images  # by its id alone a model is taken to see
        facts = offered(model) if knows else None
        if not knows:  # then nobody can know how long a reply may be
            wishes["max_tokens"] = min(wishes["max_tokens"], 8192)
        return RequestOptions(model=model.id, provider="anthropic", facts=facts, **wishes)

    return st.builds(
        made,
        st.sampled_from(models),
        st.booleans(),
        system=st.sampled_from(("", "Be brief.")),
        tools=st.sampled_from(TOOLS),
        max_tokens=st.sampled_from((256, 8192, 100_000)),
        thinking=st.sampled_from(("", "minimal", "odd", *THINKING_LEVELS)),
        cache=st.sampled_from(("", "5m", "1h")),
        prefill=st.sampled_from(("", "So far I have \n", " ")),
    )


def contexts_of(entries: list[Entry]) -> Iterator[list[tuple[Entry, Form]]]:
    tree = Tree.from_entries(entries)
    for at in range(len(tree)):
        messages = [(entries[found.entry], found.form) for found in context_at(tree, at).messages]
        if normalize(messages):
            yield messages


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.no_cover
def test_anthropics_rules_accept_every_request(damaged: bool, anthropic: AnthropicServer) -> None:
    @given(entry_lists(damaged=damaged, min_size=1), options_for(anthropic.models))
    def check(entries: list[Entry], options: RequestOptions) -> None:
        for messages in contexts_of(entries):
            payload = payload_of("anthropic", messages, options, blob)
            taken = anthropic.checked(json.dumps(payload).encode())
            assert not isinstance(taken, Refuse), taken.message

    check()


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "openai-codex-responses"])
@pytest.mark.no_cover
def test_openais_rules_accept_every_request(api: str, openai: OpenAIServer) -> None:
    @given(entry_lists(damaged=True, min_size=1), options_for(openai.models))
    @settings(max_examples=60)
    def check(entries: list[Entry], options: RequestOptions) -> None:
        for messages in contexts_of(entries):
            payload = payload_of(api, messages, options, blob)
            taken = openai.checked(json.dumps(payload).encode(), api)
            assert not isinstance(taken, Refuse), taken.message

    check()


# -- real sessions --------------------------------------------------------------------------------------------


def sample_sessions(samples: Path) -> Iterator[list[Entry]]:
    from stemmata.formats.registry import standard_formats

    formats = standard_formats(samples, {})
    for folder in sorted(path for path in samples.iterdir() if path.is_dir()):
        files = sorted(path for path in folder.rglob("*.json*") if path.stat().st_size < LARGEST_SAMPLE)
        for path in files[:SAMPLE_FILES]:
            with suppress(KnownError):
                entries = [event for event in formats.read(path, "", None) if isinstance(event, Entry)]
                if entries:
                    yield entries


def test_requests_from_real_sessions_are_accepted(
    samples: Path, anthropic: AnthropicServer, openai: OpenAIServer
) -> None:
    tried = 0
    for entries in sample_sessions(samples):
        tree = Tree.from_entries(entries)
        for at in {len(tree) // 3, len(tree) * 2 // 3, len(tree) - 1}:
            messages = [(entries[found.entry], found.form) for found in context_at(tree, at).messages]
            if not normalize(messages):
                continue
            for model, api in ASKED:
                options = RequestOptions(model=model, thinking="high", cache="1h", tools=TOOLS[1])
                raw = json.dumps(payload_of(api, messages, options, blob)).encode()
                taken = anthropic.checked(raw) if api == "anthropic" else openai.checked(raw, api)
                assert not isinstance(taken, Refuse), taken.message
                tried += 1
    assert tried > 20

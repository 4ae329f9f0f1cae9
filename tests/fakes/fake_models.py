"""The models that the fake servers offer, and how they count."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

CHARACTERS = 4  # of a token
OF_IMAGE, OF_PAGE = 1_500, 2_500  # tokens of an image, of a PDF


@dataclass(frozen=True, kw_only=True)
class FakeModel:
    id: str
    name: str = ""
    window: int = 200_000
    most_output: int = 64_000
    thinking: tuple[str, ...] = ("adaptive", "disabled")
    levels: tuple[str, ...] = ("low", "medium", "high", "xhigh", "max")
    takes_images: bool = True
    takes_pdfs: bool = True
    takes_prefill: bool = False
    summarises: bool = True  # answers with a signed summary where one is asked for


ADAPTIVE = FakeModel(id="claude-sonnet-5-5", name="Claude Sonnet 5.5")
BUDGETED = FakeModel(
    id="claude-opus-4-5",
    name="Claude Opus 4.5",
    thinking=("enabled", "disabled"),
    levels=("low", "medium", "high"),
    takes_prefill=True,
)
PLAIN = FakeModel(
    id="claude-haiku-3-5",
    name="Claude Haiku 3.5",
    most_output=8_192,
    thinking=("disabled",),
    levels=(),
    takes_prefill=True,
    summarises=False,
)
LOCAL = FakeModel(
    id="qwen3:8b",
    window=40_960,
    most_output=40_960,
    thinking=("enabled", "disabled"),
    levels=(),
    takes_images=False,
    takes_pdfs=False,
    takes_prefill=True,
    summarises=False,
)
MODELS = (ADAPTIVE, BUDGETED, PLAIN, LOCAL)


def tokens_of(value: Any) -> int:
    """Return the tokens of a part of a request: one for four characters of JSON; attachments have fixed sizes."""
    texts: list[int] = []
    attachments = 0
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Mapping):
            attachments += _attachment(found)
            hidden = {"source", "image_url", "file_data", "cache_control"}
            waiting += [part for name, part in found.items() if name not in hidden]
        elif isinstance(found, list | tuple):
            waiting += found
        elif found is not None:
            texts.append(len(found) if isinstance(found, str) else len(json.dumps(found)))
    return -(-sum(texts) // CHARACTERS) + attachments


def _attachment(block: Mapping[str, Any]) -> int:
    match block.get("type"):
        case "image" | "image_url" | "input_image":
            return OF_IMAGE
        case "document" | "file" | "input_file":
            return OF_PAGE
    return 0


def find(models: Iterable[FakeModel], id: str) -> FakeModel | None:
    return next((model for model in models if model.id == id), None)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]

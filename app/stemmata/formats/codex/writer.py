"""Write a session that `codex resume` continues: a rollout in the form of Codex 0.169."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.requests.request import Encoding, IdRule, RequestOptions
from stemmata.domain.requests.responses import responses_payload
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.codex.reader import Codex
from stemmata.formats.pi.serialise import iso

VERSION = "0.169.0"  # the version of Codex that writes lines of this form
ORIGINATOR = "stemmata"
CONFIG = "config.toml"
PROVIDER = "openai"  # Codex's own default
_SECOND = 1_000_000_000  # nanoseconds
_EVENTS = {"user": "user_message", "assistant": "agent_message"}


class CodexCarrier:
    """Writes sessions that Codex resumes."""

    extents = tuple(Extent)

    def __init__(self) -> None:
        self._provider = PROVIDER

    def place(self, document: HandOffDocument, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the path of the new file, in the folder of the day; and note the provider that Codex is set to."""
        sessions = Codex().folders(home, environment)[0].path
        self._provider = _provider(sessions.parent / CONFIG)
        moment = datetime.fromtimestamp(document.time // _SECOND)
        name = f"rollout-{moment:%Y-%m-%dT%H-%M-%S}-{document.id}.jsonl"
        return sessions / f"{moment:%Y}" / f"{moment:%m}" / f"{moment:%d}" / name

    def lines(self, document: HandOffDocument) -> Iterator[bytes]:
        """Yield the lines of the file."""
        moment = iso(document.time)
        meta = {
            "id": document.id,
            "timestamp": moment,
            "cwd": document.cwd,
            "originator": ORIGINATOR,
            "cli_version": VERSION,
            "source": "cli",
            "model_provider": self._provider,
        }
        yield _line(moment, "session_meta", meta)
        _, _, model = document.model.partition("/")
        encoding = Encoding.of(IdRule.OPENAI, RequestOptions(model=model), document.blob)
        for item in responses_payload(document.messages, encoding)["input"]:
            yield _line(moment, "response_item", item)
            said = _said(item)
            if said:
                yield _line(moment, "event_msg", {"type": _EVENTS[item["role"]], "message": said})


def _said(item: Mapping[str, Any]) -> str:
    """Return the text of an item that is a message; "" for other items. Codex shows it only from a separate event."""
    return "\n".join(str(part["text"]) for part in item.get("content", ()) if "text" in part)


def _provider(config: Path) -> str:
    """Return the provider of models that Codex is set to, because Codex lists the sessions of that one only."""
    with suppress(OSError, ValueError):
        named = tomllib.loads(config.read_text("utf-8")).get("model_provider")
        if isinstance(named, str) and named:
            return named
    return PROVIDER


def _line(moment: str, kind: str, payload: Mapping[str, Any]) -> bytes:
    return (
        compact_json({"timestamp": moment, "type": kind, "payload": dict(payload)}).encode("utf-8", "replace") + b"\n"
    )

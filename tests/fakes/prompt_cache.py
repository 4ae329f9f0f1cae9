"""A prompt cache as Anthropic's: exact prefixes up to a marked block, read, written, expired, and what broke them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.fake_models import tokens_of

LEAST = 1_024  # tokens; shorter prefixes are not kept
LOOK_BACK = 20  # blocks before a mark that are compared
LIVES = {"5m": 300.0, "1h": 3600.0}


@dataclass(frozen=True)
class Counted:
    """The tokens of a request in three parts, which add up to its size."""

    input: int
    read: int
    written: int
    written_1h: int


@dataclass(frozen=True)
class _Block:
    part: str  # tools, system or messages
    digest: str  # of everything up to and with this block
    size: int  # tokens of everything up to and with this block
    ttl: str  # "" without a mark


class PromptCache:
    """A fake prompt cache. `clock` returns seconds; a test may stop or advance it."""

    def __init__(self, clock: Callable[[], float], least: int = LEAST) -> None:
        self._clock, self._least = clock, least
        self._until: dict[str, tuple[float, str]] = {}  # when a prefix expires, and its time to live
        self._sent: dict[str, Mapping[str, Any]] = {}  # requests by the id of their answer

    def count(self, payload: Mapping[str, Any]) -> Counted:
        """Read from the cache, then store the marked prefixes."""
        blocks = list(_blocks(payload))
        size = blocks[-1].size if blocks else 0
        marks = [at for at, block in enumerate(blocks) if block.ttl]
        read_to = self._longest_known(blocks, marks)
        read = blocks[read_to].size if read_to >= 0 else 0
        written = written_1h = 0
        now, end = self._clock(), read
        for at in marks:
            if blocks[at].size < self._least:
                continue
            life = LIVES[blocks[at].ttl]
            self._until[blocks[at].digest] = (now + life, blocks[at].ttl)
            grown = max(0, blocks[at].size - end)
            written += grown
            written_1h += grown if blocks[at].ttl == "1h" else 0
            end = max(end, blocks[at].size)
        return Counted(size - read - written, read, written, written_1h)

    def remember(self, answer: str, payload: Mapping[str, Any]) -> None:
        self._sent[answer] = payload

    def miss(self, payload: Mapping[str, Any], previous: str) -> str:
        """Return the part that changed since the request that `previous` answered, in the API's word; "" for none."""
        if previous not in self._sent:
            return "previous_message_not_found"
        before = self._sent[previous]
        if before["model"] != payload["model"]:
            return "model_changed"
        for part in ("system", "tools"):
            if _bare(before.get(part)) != _bare(payload.get(part)):
                return f"{part}_changed"
        earlier, now = _bare(before["messages"]), _bare(payload["messages"])
        return "" if now[: len(earlier)] == earlier else "messages_changed"

    def _longest_known(self, blocks: list[_Block], marks: list[int]) -> int:
        now = self._clock()
        for mark in reversed(marks):
            for at in range(mark, max(-1, mark - LOOK_BACK), -1):
                until, ttl = self._until.get(blocks[at].digest, (0.0, ""))
                if until > now:
                    self._until[blocks[at].digest] = (now + LIVES[ttl], ttl)  # reading renews
                    return at
        return -1


def _blocks(payload: Mapping[str, Any]) -> Iterator[_Block]:
    digest = hashlib.sha256(str(payload.get("model")).encode())
    size = 0
    for part, block in _parts(payload):
        digest.update(json.dumps(_bare(block), sort_keys=True).encode())
        size += tokens_of(block)
        control = block.get("cache_control") or {}
        yield _Block(part, digest.hexdigest(), size, control.get("ttl", "5m") if control else "")


def _parts(payload: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from (("tools", tool) for tool in payload.get("tools", ()))
    system = payload.get("system") or []
    yield from (("system", block) for block in ([{"text": system}] if isinstance(system, str) else system))
    for message in payload["messages"]:
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            yield "messages", {"role": message["role"], **block}


def _bare(value: Any) -> Any:
    """Return the content without cache marks, which are not compared."""
    if isinstance(value, Mapping):
        return {name: _bare(part) for name, part in value.items() if name != "cache_control"}
    return [_bare(part) for part in value] if isinstance(value, list | tuple) else value


def size_of(payload: Mapping[str, Any]) -> int:
    """Return the tokens of the whole request, the same for counting, for the window and for the bill."""
    return sum(tokens_of(block) for _, block in _parts(payload))

"""What breaks a prompt cache: it holds exact beginnings of requests, and a request that begins otherwise misses it.

Requests are compared with the one before by what is kept of that: no server has to say it. The order is the one in
which caches are built: tools, system prompt, messages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

_ASIDE = ("thinking", "reasoning", "reasoning_effort")  # a change of these costs the messages alone


@dataclass(frozen=True, slots=True)
class CachePrefix:
    """What is kept of a request: digests, and how many messages it had."""

    model: str
    tools: str
    system: str
    messages: str
    count: int

    @classmethod
    def of(cls, payload: Mapping[str, Any], count: int | None = None) -> CachePrefix:
        """Of a request in any of the APIs' forms; `count`: of its first messages only."""
        said: Sequence[Any] = payload.get("messages") or payload.get("input") or ()
        first = [message for message in said[:1] if message.get("role") == "system"]  # so Chat Completions has it
        said = said[len(first) :][:count]
        return cls(
            model=_digest([payload.get("model")]),
            tools=_digest(payload.get(name) for name in ("tools", "tool_choice")),
            system=_digest([payload.get("system"), payload.get("instructions"), *first]),
            messages=_digest([*(payload.get(name) for name in _ASIDE), *said]),
            count=len(said),
        )

    @classmethod
    def parse(cls, text: str) -> CachePrefix | None:
        """The inverse of `str`; None for anything else."""
        *digests, count = text.split(":")
        if len(digests) != 4 or not count.isdecimal() or len(count) > 9:
            return None
        model, tools, system, messages = digests
        return cls(model, tools, system, messages, int(count))

    def __str__(self) -> str:
        return ":".join(map(str, astuple(self)))

    def broken_by(self, payload: Mapping[str, Any]) -> str:
        """What differs in this later request: "model", "tools", "system", "messages", or "" when it only goes on."""
        now = CachePrefix.of(payload, self.count)
        for part in ("model", "tools", "system"):
            if getattr(now, part) != getattr(self, part):
                return part
        return "" if (now.count, now.messages) == (self.count, self.messages) else "messages"


def _digest(parts: Iterable[Any]) -> str:
    """Of the parts; nothing is secured by it."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(json.dumps(_unmarked(part), sort_keys=True).encode() + b"\0")
    return digest.hexdigest()[:12]


def _unmarked(part: Any) -> Any:
    """A message or a list of blocks without marks for the cache, which are no part of what is compared."""
    if isinstance(part, list):
        return [_unmarked_block(block) for block in part]
    if isinstance(part, Mapping) and isinstance(part.get("content"), list):
        return {**part, "content": [_unmarked_block(block) for block in part["content"]]}
    return part


def _unmarked_block(block: Any) -> Any:
    if isinstance(block, Mapping) and "cache_control" in block:
        return {name: value for name, value in block.items() if name != "cache_control"}
    return block

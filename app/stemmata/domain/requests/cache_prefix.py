"""What breaks a prompt cache: it holds exact beginnings of requests, and a request that begins otherwise misses it.

Requests are compared with the one before by what is kept of that: no server has to say it. The order is the one in
which caches are built: tools, system prompt, messages.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

_HEAD = ("model", "tools", "system")
_LENGTH = 12  # characters of a digest that are kept
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
    def parse(cls, text: str) -> CachePrefix | None:
        """The inverse of `str`; None for anything else."""
        *digests, count = text.split(":")
        if len(digests) != 4 or not count.isdecimal() or len(count) > 9:
            return None
        model, tools, system, messages = digests
        return cls(model, tools, system, messages, int(count))

    def __str__(self) -> str:
        return ":".join(map(str, astuple(self)))


def compared(payload: Mapping[str, Any], before: CachePrefix | None) -> tuple[CachePrefix, str]:
    """What is kept of a request in any of the APIs' forms, and what of the one before it breaks.

    That is "model", "tools", "system" or "messages", whatever comes first, and "" where it only goes on or there is
    none before it. All that is said is gone through once.
    """
    said: Sequence[Any] = payload.get("messages") or payload.get("input") or ()
    first = [message for message in said[:1] if message.get("role") == "system"]  # so Chat Completions has it
    said = said[len(first) :]
    head = (
        _digest([payload.get("model")]),
        _digest(payload.get(name) for name in ("tools", "tool_choice")),
        _digest([payload.get("system"), payload.get("instructions"), *first]),
    )
    messages, begun = _messages_digests([payload.get(name) for name in _ASIDE], said, before.count if before else 0)
    return CachePrefix(*head, messages, len(said)), "" if before is None else _broken(before, head, begun)


def _broken(before: CachePrefix, head: tuple[str, str, str], begun: str) -> str:
    kept = (before.model, before.tools, before.system)
    differing = (name for name, old, new in zip(_HEAD, kept, head, strict=True) if old != new)
    return next(differing, "" if begun == before.messages else "messages")


def _messages_digests(aside: Iterable[Any], said: Sequence[Any], count: int) -> tuple[str, str]:
    """Of all messages and of the first `count` alone, "" for the latter where there are fewer."""
    digest = _sha1()
    for part in aside:
        digest.update(_packed(part))
    begun = ""
    for at, message in enumerate(said):
        if at == count:
            begun = digest.hexdigest()[:_LENGTH]
        digest.update(_packed(message))
    whole = digest.hexdigest()[:_LENGTH]
    return whole, whole if count == len(said) else begun


def _digest(parts: Iterable[Any]) -> str:
    digest = _sha1()
    for part in parts:
        digest.update(_packed(part))
    return digest.hexdigest()[:_LENGTH]


def _sha1() -> hashlib._Hash:
    return hashlib.sha1(usedforsecurity=False)  # nothing is secured by it


def _packed(part: Any) -> bytes:
    """Bytes that tell parts apart: a long history in a quarter of the time that JSON takes."""
    plain = _unmarked(part)
    try:
        return marshal.dumps(plain, 2)  # without references, which would depend on who else holds a value
    except ValueError:  # a text of a kind of its own
        return json.dumps(plain).encode()


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

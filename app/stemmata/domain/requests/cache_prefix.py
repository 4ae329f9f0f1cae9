"""Finds the part of a request that breaks the provider's prompt cache.

A prompt cache holds exact beginnings of requests, so a request that begins differently misses it. Each request is
compared with digests of the previous request, so that no server has to report the cause. The order is that in which
caches are built: tools, system prompt, messages.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

_HEAD = ("model", "tools", "system")
_LENGTH = 12  # characters of a stored digest
_ASIDE = ("thinking", "reasoning", "reasoning_effort")  # a change of these invalidates only the cached messages


@dataclass(frozen=True, slots=True)
class CachePrefix:
    """The digests of a request's parts, and the number of its messages."""

    model: str
    tools: str
    system: str
    messages: str
    count: int

    @classmethod
    def parse(cls, text: str) -> CachePrefix | None:
        """Return the prefix that `str` printed; None for any other text."""
        *digests, count = text.split(":")
        if len(digests) != 4 or not count.isdecimal() or len(count) > 9:
            return None
        model, tools, system, messages = digests
        return cls(model, tools, system, messages, int(count))

    def __str__(self) -> str:
        return ":".join(map(str, astuple(self)))


def compare_prefix(payload: Mapping[str, Any], before: CachePrefix | None) -> tuple[CachePrefix, str]:
    """Return the digests of a request to any of the APIs, and the first part that differs from the request before.

    The part is "model", "tools", "system" or "messages"; "" when the request only continues the previous one, or is
    the first. Takes one pass over the messages.
    """
    said: Sequence[Any] = payload.get("messages") or payload.get("input") or ()
    first = [
        message for message in said[:1] if message.get("role") == "system"
    ]  # the system prompt in Chat Completions
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
    """Return the digest of all messages, and that of the first `count`, "" when there are fewer."""
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
    return hashlib.sha1(usedforsecurity=False)


def _packed(part: Any) -> bytes:
    """Return bytes that identify the part. `marshal` takes a quarter of the time of JSON for a long history."""
    plain = _unmarked(part)
    try:
        return marshal.dumps(plain, 2)  # version 2 writes no references, which depend on the objects' identity
    except ValueError:  # marshal cannot write subclasses of str
        return json.dumps(plain).encode()


def _unmarked(part: Any) -> Any:
    """Return a message or a list of blocks without cache marks, which are not compared."""
    if isinstance(part, list):
        return [_unmarked_block(block) for block in part]
    if isinstance(part, Mapping) and isinstance(part.get("content"), list):
        return {**part, "content": [_unmarked_block(block) for block in part["content"]]}
    return part


def _unmarked_block(block: Any) -> Any:
    if isinstance(block, Mapping) and "cache_control" in block:
        return {name: value for name, value in block.items() if name != "cache_control"}
    return block

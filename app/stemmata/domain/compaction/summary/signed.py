"""A summary that a provider wrote and signed: its own block, kept as it came and sent back as it came.

Anthropic's Messages API answers a request with `compaction` by one such block. Later requests hold it first, in place
of what it summarises; one that was changed, or stands elsewhere, is refused. What cannot be sent as a block is sent
as the plain text that everybody can read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.chat.connections import ANTHROPIC_URL, Connection, OfferedModel
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.outcomes import details_of
from stemmata.domain.text.json_text import MAX_NESTING, nests_deeper_than
from stemmata.domain.text.phrases import Phrase

BLOCK = "compaction"  # the block's type
DETAIL = "signed"  # its place in the details of a compaction
REFUSED = frozenset(  # how the API calls what it refuses of a block that is sent back
    {
        "compaction_block_ambiguous",
        "compaction_block_misplaced",
        "compaction_content_mismatch",
        "compaction_signature_invalid",
        "compaction_tool_changes_mismatch",
    }
)


@dataclass(frozen=True, slots=True)
class SignedSummary:
    """`block` is the JSON text of the provider's own block. Whoever speaks for another connection cannot use it."""

    connection: str
    model: str
    block: str

    @property
    def content(self) -> Mapping[str, Any]:
        """The block as it is sent; empty when it is none that could be."""
        try:
            block = json.loads(self.block)
            if not isinstance(block, dict) or nests_deeper_than(block, MAX_NESTING):
                return {}
            json.dumps(block, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):  # a lone surrogate is a UnicodeEncodeError
            return {}
        text = block.get("content")
        return block if block.get("type") == BLOCK and isinstance(text, str) and text.strip() else {}

    @property
    def text(self) -> str:
        """What people read of it, "" for nothing: then the provider could not summarise."""
        return str(self.content.get("content", ""))


def to_detail(signed: SignedSummary) -> dict[str, str]:
    """JSON-ready. The block stays a text, so that no writer of JSON can spell its numbers otherwise."""
    return {
        "connection": signed.connection,
        "model": signed.model,
        "block": signed.block,
        "sha256": _digest(signed.block),
    }


def signed_summary(entry: Entry) -> SignedSummary | None:
    """That of a compaction, while nothing was changed: neither the block nor the text that is shown for it."""
    if entry.kind is not Kind.COMPACTION or f'"{DETAIL}"' not in entry.details:
        return None
    kept = details_of(entry.details).get(DETAIL)
    if not isinstance(kept, dict):
        return None
    connection, model, block = (kept.get(name) for name in ("connection", "model", "block"))
    if not (isinstance(connection, str) and isinstance(model, str) and isinstance(block, str)):
        return None
    found = SignedSummary(connection, model, block)
    is_whole = kept.get("sha256") == _digest(block) and found.text and found.text == plain_text(entry.blocks)
    return found if is_whole else None


def is_signed(details: str) -> bool:
    """Whether an entry with these details is a summary that goes back as its provider signed it."""
    return isinstance(details_of(details).get(DETAIL), dict)


def cannot_summarise(connection: Connection, model: str, facts: OfferedModel | None) -> Phrase | None:
    """Why this model does not summarise by itself, None when it does. `facts`: what its server tells of it."""
    told = None if facts is None else facts.summarises
    if connection.api != "anthropic" or (told is None and not is_anthropic(connection)):
        return Phrase(
            "“{0}” does not summarise by itself. Anthropic does, and servers whose list of models says so.",
            connection.name,
        )
    return None if told is not False else Phrase("{0} does not summarise by itself. Choose another model.", model)


def is_anthropic(connection: Connection) -> bool:
    """Whether it goes to Anthropic's own servers."""
    address = connection.base_url.rstrip("/").removesuffix("/v1")
    return connection.api == "anthropic" and address == ANTHROPIC_URL


def _digest(block: str) -> str:
    return hashlib.sha256(block.encode("utf-8", "replace")).hexdigest()

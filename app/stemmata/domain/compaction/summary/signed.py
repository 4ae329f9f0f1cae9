"""Summaries that a provider wrote and signed. The provider's block is stored and sent back unchanged.

Anthropic's Messages API answers a request with `compaction` with such a block. Later requests begin with the block in
place of the summarised messages. The API refuses a block that was changed or is at another position. When the block
cannot be sent, the request contains the summary as plain text.
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
from stemmata.domain.text.json_text import MAX_NESTING, nests_deeper_than
from stemmata.domain.text.phrases import Phrase
from stemmata.domain.tool_calls.outcomes import details_of

BLOCK = "compaction"  # the block's type
DETAIL = "signed"  # the key in the details of a compaction
REFUSED = frozenset(  # error codes with which the API refuses a block that is sent back
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
    """A signed summary. `block` is the JSON text of the provider's block, valid only for this connection."""

    connection: str
    model: str
    block: str

    @property
    def content(self) -> Mapping[str, Any]:
        """The block as it is sent; empty when it cannot be sent."""
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
        """The readable text of the summary; "" when the provider could not summarise."""
        return str(self.content.get("content", ""))


def to_detail(signed: SignedSummary) -> dict[str, str]:
    """Return the summary as data for JSON. The block stays a text, so that writing JSON cannot change its numbers."""
    return {
        "connection": signed.connection,
        "model": signed.model,
        "block": signed.block,
        "sha256": _digest(signed.block),
    }


def signed_summary(entry: Entry) -> SignedSummary | None:
    """Return the signed summary of a compaction; None when it has none, or its block or shown text was changed."""
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
    """Return whether an entry with these details is a summary that its provider signed."""
    return isinstance(details_of(details).get(DETAIL), dict)


def cannot_summarise(connection: Connection, model: str, facts: OfferedModel | None) -> Phrase | None:
    """Return why the provider cannot summarise with this model; None when it can.

    `facts` is the model's entry in the server's list of models, None when unknown.
    """
    can_summarise = None if facts is None else facts.summarises
    if connection.api != "anthropic" or (can_summarise is None and not is_anthropic(connection)):
        return Phrase(
            "“{0}” cannot write signed summaries. Only Anthropic can, and servers whose list of models says so.",
            connection.name,
        )
    return (
        None
        if can_summarise is not False
        else Phrase("{0} cannot write signed summaries. Choose another model.", model)
    )


def is_anthropic(connection: Connection) -> bool:
    """Return whether the connection uses Anthropic's own servers."""
    address = connection.base_url.rstrip("/").removesuffix("/v1")
    return connection.api == "anthropic" and address == ANTHROPIC_URL


def _digest(block: str) -> str:
    return hashlib.sha256(block.encode("utf-8", "replace")).hexdigest()

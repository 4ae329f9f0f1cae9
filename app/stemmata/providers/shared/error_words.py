"""Classifies the error messages of servers as faults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from stemmata.domain.chat.streaming import Fault
from stemmata.domain.compaction.summary.signed import REFUSED
from stemmata.domain.requests.overflow import ErrorClass, classify
from stemmata.domain.requests.thinking import REFUSED as THINKING_REFUSED
from stemmata.domain.text.phrases import template
from stemmata.domain.text.untrusted import MOST_TOKENS, number_within

UNAVAILABLE = "compaction_unavailable"
FAULTS = {UNAVAILABLE: Fault.OVERLOADED}  # other summary errors are refusals

_UNSIGNED = template(
    "{0} refused its own signed summary{1}. Everything is kept. Edit the summary to send it as plain text."
)
WORDS = {
    UNAVAILABLE: template(
        "{0} cannot summarise at the moment{1}. Nothing was changed. Try again later, or use the digest."
    ),
    "compaction_nothing_to_summarize": template(
        "{0} found nothing to summarise{1}. Nothing was changed. Move the cut down, or use the digest."
    ),
    "compaction_incomplete_turn": template(
        "{0} cannot summarise an incomplete turn{1}. Nothing was changed. Move the cut to the start "
        "of a turn, or use the digest."
    ),
    "compaction_too_many_tool_references": template(
        "{0} cannot summarise a conversation with this many tools{1}. Nothing was changed. Let a "
        "model write the summary, or use the digest."
    ),
} | dict.fromkeys(REFUSED, _UNSIGNED)


LONGEST = 10_000  # characters of a message that are examined

# A page is cut after `LONGEST` characters, so that each of these may be without its end.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?:style|script)\b.*?(?:</(?:style|script)>|\Z)|<[^>]*(?:>|\Z)", re.DOTALL | re.IGNORECASE
)
_PAGE = re.compile(r"\s*\ufeff?\s*<")
_TITLE = re.compile(r"<title[^<>]*>([^<]*[^<\s])", re.IGNORECASE)
_MONEY = re.compile(
    r"credit balance|insufficient.?(?:quota|funds|credit|balance)|billing|payment|exceeded your current",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model.{0,120}(?:not found|does ?n[o']t exist|does not exist|not_found|unknown)|(?:no such|unknown) model",
    re.IGNORECASE | re.DOTALL,
)
# Wordings of Anthropic (two) and OpenAI for thinking whose signature they do not accept.
_THINKING = re.compile(
    r"signature.{0,80}thinking|thinking.{0,120}(?:signature|cannot be modified)|encrypted.content.{0,400}verified",
    re.IGNORECASE | re.DOTALL,
)
# Wordings of Anthropic, OpenAI (two) and llama.cpp's server.
_SIZES = (
    re.compile(r"prompt is too long: (?P<tokens>\d+) tokens > (?P<limit>\d+) maximum"),
    re.compile(
        r"maximum context length is (?P<limit>\d+) tokens.*?(?:resulted in|requested) (?P<tokens>\d+)", re.DOTALL
    ),
    re.compile(r"request \((?P<tokens>\d+) tokens\) exceeds the available context size \((?P<limit>\d+) tokens\)"),
)
_BY_TYPE = {
    "overloaded_error": Fault.OVERLOADED,
    "rate_limit_error": Fault.RATE_LIMIT,
    "rate_limit_exceeded": Fault.RATE_LIMIT,
    "api_error": Fault.SERVER,
    "server_error": Fault.SERVER,
    "timeout_error": Fault.SERVER,
    "authentication_error": Fault.KEY,
    "permission_error": Fault.KEY,
    "invalid_api_key": Fault.KEY,
    "billing_error": Fault.MONEY,
    "insufficient_quota": Fault.MONEY,
    "not_found_error": Fault.MODEL,
    "model_not_found": Fault.MODEL,
    "request_too_large": Fault.TOO_LARGE,
    "context_length_exceeded": Fault.OVERFLOW,
    "exceed_context_size_error": Fault.OVERFLOW,
    "invalid_request_error": Fault.REQUEST,
}
_BY_STATUS = {
    401: Fault.KEY,
    402: Fault.MONEY,
    403: Fault.KEY,
    404: Fault.MODEL,
    408: Fault.SERVER,
    409: Fault.SERVER,
    413: Fault.TOO_LARGE,
    429: Fault.RATE_LIMIT,
    503: Fault.OVERLOADED,
    529: Fault.OVERLOADED,
}
_MAY_MEAN_MONEY = frozenset({0, 400, 403, 429})
_MAY_MEAN_OVERFLOW = frozenset({0, 400, 413, 422, 500})


@dataclass(frozen=True, slots=True)
class ServerError:
    """The error that a server reported. `types` are all its names for the error; `status` is 0 inside a stream."""

    message: str
    types: tuple[str, ...] = ()
    status: int = 0
    tokens: int | None = None
    limit: int | None = None

    @classmethod
    def of(cls, body: object, status: int = 0) -> ServerError:
        """Parse an error body: JSON such as {"error": {"type", "code", "message"}} or {"error": "…"}, or text."""
        inner = body
        for name in ("response", "error"):
            if isinstance(inner, Mapping) and inner.get(name):
                inner = inner[name]
        if not isinstance(inner, Mapping):
            return cls(_readable(_text(inner)), (), status)
        details = inner.get("details")
        code = details.get("error_code") if isinstance(details, Mapping) else None
        types = tuple(filter(None, map(_text, (inner.get("type"), inner.get("code"), code))))
        message = _text(inner.get("message")) or _text(inner.get("detail"))
        status = status or number_within(inner.get("code"), 400, 599) or 0  # gateways put the status into the body
        tokens, limit = _sizes(message)
        tokens, limit = tokens or _whole(inner.get("n_prompt_tokens")), limit or _whole(inner.get("n_ctx"))
        return cls(message, types, status, tokens, limit)

    @property
    def code(self) -> str:
        """The error code of a server's own summary, or `THINKING_REFUSED`; "" for any other error."""
        named = next((name for name in self.types if name in WORDS), "")
        if not named and self.status == 400 and _THINKING.search(self.message[:LONGEST]):
            return THINKING_REFUSED
        return named

    @property
    def fault(self) -> Fault:
        """The fault that corresponds to the server's error."""
        if self.code:
            return FAULTS.get(self.code, Fault.REQUEST)
        named = next((_BY_TYPE[name] for name in reversed(self.types) if name in _BY_TYPE), None)
        if named is Fault.OVERFLOW or self._means_overflow(named):
            return Fault.OVERFLOW
        if self.status in _MAY_MEAN_MONEY and _MONEY.search(self.message[:LONGEST]):
            return Fault.MONEY
        if self.status in (0, 400, 422) and _NO_MODEL.search(self.message[:LONGEST]):
            return Fault.MODEL
        if named is not None and named not in (Fault.REQUEST, Fault.SERVER):
            return named
        return self._by_status(named)

    def _means_overflow(self, named: Fault | None) -> bool:
        """Whether the error is an overflow of the window.

        Too many bytes are not an overflow unless tokens are named.
        """
        if self.status not in _MAY_MEAN_OVERFLOW or classify(self.message) is not ErrorClass.OVERFLOW:
            return False
        by_bytes = self.status == 413 or named is Fault.TOO_LARGE
        return not by_bytes or self.tokens is not None

    def _by_status(self, named: Fault | None) -> Fault:
        if self.status in _BY_STATUS:
            return _BY_STATUS[self.status]
        if not self.status:
            return named or Fault.SERVER
        return Fault.SERVER if self.status >= 500 else Fault.REQUEST


def _sizes(message: str) -> tuple[int | None, int | None]:
    found = next((found for pattern in _SIZES if (found := pattern.search(message[:LONGEST]))), None)
    return (_figure(found["tokens"]), _figure(found["limit"])) if found else (None, None)


def _text(value: object) -> str:
    """Return a foreign value as text. It may be of any type, and too deeply nested to print."""
    return value[:LONGEST] if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _readable(text: str) -> str:
    """Return the title of a web page; the text of a page or an XML document without one; any other text as it is."""
    if not _PAGE.match(text):
        return " ".join(text.split())
    title = _TITLE.search(text)
    return " ".join(unescape(title[1] if title else _MARKUP.sub(" ", text)).split())


def _figure(digits: str) -> int | None:
    """Return a number of tokens; None when no window has that size."""
    return _whole(int(digits)) if len(digits) < 20 else None


def _whole(value: object) -> int | None:
    return number_within(value, 1, MOST_TOKENS)

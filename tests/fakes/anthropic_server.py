"""A fake of Anthropic's Messages API on loopback, as strict as the real one.

Tokens follow from the request and overflow from the window; thinking that was not signed here is refused; prompts
are cached as marked; summaries on demand are signed, and taken back as they were.
`python -m tests.fakes.anthropic_server --port 8123` serves until it is interrupted.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from tests.fakes.anthropic_wire import Message, sent
from tests.fakes.compaction_wire import sent_summary
from tests.fakes.fake_models import MODELS, FakeModel, find
from tests.fakes.loopback import Exchange
from tests.fakes.model_server import ModelServer, Settings
from tests.fakes.prompt_cache import LEAST, PromptCache, size_of
from tests.fakes.request_rules import violations
from tests.fakes.request_settings import settings_refused
from tests.fakes.script import Refuse
from tests.fakes.signed_blocks import refused, summarised

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
    529: "overloaded_error",
}
SIGNED = "signed-here-"


def signature_of(thinking: str) -> str:
    return SIGNED + hashlib.sha256(thinking.encode()).hexdigest()[:24]


class AnthropicServer(ModelServer):
    """A strict fake of Anthropic's API. `least_cached`: prompts with fewer tokens are not cached."""

    def __init__(
        self,
        *,
        models: Sequence[FakeModel] = MODELS,
        least_cached: int = LEAST,
        clock: Callable[[], float] = time.monotonic,
        **settings: Unpack[Settings],
    ) -> None:
        self.cache = PromptCache(clock, least_cached)
        super().__init__(models, **settings)

    def answer(self, exchange: Exchange) -> None:
        refused = self._refused(exchange)
        path = exchange.request.path.partition("?")[0]
        if refused is not None:
            self._refuse(exchange, refused)
        elif path == "/v1/models" and self.lists and exchange.request.method == "GET":
            is_beta = "beta=true" in exchange.request.path
            told = self.ways.listed if self.ways.kind else partial(self._listed, beta=is_beta)
            exchange.send_json(200, {"data": self.listed_as(told), "has_more": False})
        elif path == "/v1/messages/count_tokens":
            self._count(exchange)
        elif path == "/v1/messages":
            self._reply(exchange)
        elif not self.ways.answer(exchange, self.models):
            self._refuse(exchange, Refuse(404, f"Not found: {path}"))

    # -- what is let in ---------------------------------------------------------------------------------------

    def _refused(self, exchange: Exchange) -> Refuse | None:
        if self.key and self.keyed(exchange) != self.key:
            return Refuse(401, "invalid x-api-key")
        if "anthropic-version" not in exchange.request.headers and exchange.request.path.startswith("/v1/"):
            return Refuse(400, "anthropic-version: header is required")
        if self.too_large(exchange):
            return Refuse(413, "Request exceeds the maximum size")
        return None

    def checked(
        self, raw: bytes, headers: Mapping[str, str] | None = None, *, counting: bool = False
    ) -> dict[str, Any] | Refuse:
        """Return the body of a request, or the reason why it is refused."""
        try:
            payload = _spelt_out(json.loads(raw))
            model = find(self.models, payload["model"])
            if model is None:
                return Refuse(404, f"model: {payload['model']}")
            unsigned = refused(payload, headers or {}, model)
            if unsigned is not None:
                return unsigned
            found = [
                *settings_refused(payload, model, counting=counting),
                *violations({"max_tokens": 1} | payload, "anthropic"),
            ]
            found += self._foreign_thinking(payload)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return Refuse(400, f"The request body is not valid: {error!r}")
        return Refuse(400, found[0]) if found else dict(payload)

    def _foreign_thinking(self, payload: Mapping[str, Any]) -> list[str]:
        if not self.checks_signatures:
            return []
        return [
            f"messages.{at}: Invalid `signature` in `thinking` block"
            for at, message in enumerate(payload["messages"])
            for block in message["content"]
            if isinstance(block, dict)
            and block.get("type") == "thinking"
            and block["signature"] != signature_of(block["thinking"])
        ]

    def _refuse(self, exchange: Exchange, refuse: Refuse) -> None:
        type = refuse.type or TYPES.get(refuse.status, "api_error")
        details = {"details": {"error_code": refuse.code}} if refuse.code else {}
        error = {"type": type, "message": refuse.message, **details}
        body = {"type": "error", "error": error, "request_id": "req_fake"}
        self.refuse(exchange, refuse, json.dumps(body).encode())

    # -- what is answered -------------------------------------------------------------------------------------

    def _count(self, exchange: Exchange) -> None:
        payload = self.checked(exchange.request.raw, exchange.request.headers, counting=True)
        if not isinstance(payload, Refuse):
            refused = self.sent_count(exchange, {"input_tokens": size_of(payload)})
        else:
            refused = payload
        if refused is not None:
            self._refuse(exchange, refused)

    def _reply(self, exchange: Exchange) -> None:
        payload = self.checked(exchange.request.raw, exchange.request.headers)
        if isinstance(payload, Refuse):
            self._refuse(exchange, payload)
            return
        model = find(self.models, payload["model"])
        assert model is not None
        size, window = size_of(payload), self.window_of(model)
        if size > window:
            self._refuse(exchange, Refuse(400, f"prompt is too long: {size} tokens > {window} maximum"))
            return
        asks_for_summary = payload.get("compaction") is not None
        step = self.next_step(lambda: summarised(payload)) if asks_for_summary else self.answer_for(payload)
        if isinstance(step, Refuse):
            self._refuse(exchange, step)
            return
        message = Message(payload, f"msg_fake{len(self.requests):06}", window - size, signature_of)
        counted = self.cache.count(payload)
        if asks_for_summary:
            sent_summary(exchange, step, message, counted, self.streaming)
            return
        previous = (payload.get("diagnostics") or {}).get("previous_message_id")
        miss = self.cache.miss(payload, previous) if previous else ""
        self.cache.remember(message.id, payload)
        sent(exchange, step, message, counted, miss, self.streaming)

    def _listed(self, model: FakeModel, *, beta: bool = False) -> dict[str, Any]:
        def can(flag: bool) -> dict[str, bool]:
            return {"supported": flag}

        kinds = {kind: can(kind in model.thinking) for kind in ("adaptive", "enabled", "disabled", "between_tools")}
        thinks = bool(set(model.thinking) - {"disabled"})
        efforts = {level: can(level in model.levels) for level in ("low", "medium", "high", "xhigh", "max")}
        return {
            "type": "model",
            "id": model.id,
            "display_name": model.name or model.id,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active",
            "max_input_tokens": self.window_of(model),
            "max_tokens": model.most_output,
            "capabilities": {
                "thinking": can(thinks) | {"types": kinds},
                "effort": can(bool(model.levels)) | efforts,
                "image_input": can(model.takes_images),
                "pdf_input": can(model.takes_pdfs),
                **({"compaction": can(model.summarises) | {"summarize": can(model.summarises)}} if beta else {}),
            },
        }


def _spelt_out(payload: dict[str, Any]) -> dict[str, Any]:
    """Return content as a list of blocks; a string becomes one block of text."""
    for message in payload["messages"]:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
    return payload


def main() -> None:
    from tests.fakes.by_hand import serve

    serve(lambda port, key, talks, ways: AnthropicServer(port=port, key=key, talks=talks, ways=ways))


if __name__ == "__main__":
    main()

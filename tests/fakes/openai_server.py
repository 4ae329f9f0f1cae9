"""A fake of OpenAI's two APIs on loopback, as strict as the real ones, and of local servers that speak them.

`python -m tests.fakes.openai_server --port 8124` serves until it is interrupted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from tests.fakes import chat_wire, responses_wire
from tests.fakes.fake_models import FakeModel, find, tokens_of
from tests.fakes.loopback import Exchange
from tests.fakes.model_server import ModelServer, Settings
from tests.fakes.request_rules import violations
from tests.fakes.script import Refuse

REASONING = FakeModel(id="gpt-5.5", window=400_000, levels=("none", "low", "medium", "high", "xhigh"))
LOCAL = FakeModel(id="qwen3:8b", window=40_960, levels=("low", "medium", "high"), takes_pdfs=False)
PLAIN = FakeModel(id="gpt-4o", window=128_000, most_output=16_384, levels=())
MODELS = (REASONING, PLAIN, LOCAL)

_CODES = {
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    500: ("server_error", None),
    503: ("server_error", None),
}
# what can be said of a request that is only counted
_COUNTED = frozenset(
    "model input instructions tools tool_choice reasoning text truncation parallel_tool_calls conversation "
    "previous_response_id personality".split()
)
_LEAST_CACHED, _STEP = 1_024, 128  # tokens; what is cached grows by steps
_APIS = {
    "/v1/chat/completions": "openai-chat",
    "/v1/responses": "openai-responses",
    "/codex/responses": "openai-codex-responses",
}


def encrypted(item: str) -> str:
    """Return the encrypted content of the reasoning item with this id."""
    return "sealed-here-" + hashlib.sha256(item.encode()).hexdigest()[:24]


class OpenAIServer(ModelServer):
    """A strict fake of OpenAI's API. `thoughts` is the field of thinking in compatible servers; OpenAI has none."""

    def __init__(
        self,
        *,
        models: Sequence[FakeModel] = MODELS,
        thoughts: str = "reasoning_content",
        **settings: Unpack[Settings],
    ) -> None:
        self.thoughts = thoughts
        self._prefixes: set[str] = set()
        super().__init__(models, **settings)

    def answer(self, exchange: Exchange) -> None:
        request = exchange.request
        path = request.path.partition("?")[0]
        if self.key and self.keyed(exchange) != self.key:
            self._refuse(exchange, Refuse(401, f"Incorrect API key provided: {self.keyed(exchange)[:4]}***."))
        elif self.too_large(exchange):
            self._refuse(exchange, Refuse(413, "Request entity too large"))
        elif path in ("/v1/models", "/codex/models") and self.lists and request.method == "GET":
            exchange.send_json(200, {"object": "list", "data": self.listed_as(self.ways.listed)})
        elif path == "/v1/responses/input_tokens":
            self._count(exchange)
        elif path in _APIS:
            self._reply(exchange, _APIS[path])
        elif not self.ways.answer(exchange, self.models):
            self._refuse(exchange, Refuse(404, f"Invalid URL ({request.method} {path})"))

    def checked(self, raw: bytes, api: str, *, counting: bool = False) -> dict[str, Any] | Refuse:
        """Return the body of a request, or the reason why it is refused."""
        try:
            payload = json.loads(raw)
            model = find(self.models, payload["model"])
            if model is None:
                return Refuse(404, f"The model `{payload['model']}` does not exist or you do not have access to it.")
            unknown = sorted(payload.keys() - _COUNTED) if counting else ()
            found = [f"Unknown parameter: '{name}'." for name in unknown]
            found += [*_settings_refused(payload, model), *violations(payload, api), *self._foreign(payload)]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return Refuse(400, f"Invalid request: {error!r}")
        return Refuse(400, found[0]) if found else dict(payload)

    def _count(self, exchange: Exchange) -> None:
        payload = self.checked(exchange.request.raw, "openai-responses", counting=True)
        if not isinstance(payload, Refuse):
            count = {"object": "response.input_tokens", "input_tokens": size_of(payload)}
            refused = self.sent_count(exchange, count)
        else:
            refused = payload
        if refused is not None:
            self._refuse(exchange, refused)

    def _foreign(self, payload: Mapping[str, Any]) -> list[str]:
        items = payload.get("input", ()) if self.checks_signatures else ()
        return [
            f"The encrypted content for item {item['id']} could not be verified."
            for item in items
            if item["type"] == "reasoning" and item["encrypted_content"] != encrypted(item["id"])
        ]

    def _reply(self, exchange: Exchange, api: str) -> None:
        payload = self.checked(exchange.request.raw, api)
        if isinstance(payload, Refuse):
            self._refuse(exchange, payload)
            return
        model = find(self.models, payload["model"])
        assert model is not None
        size, window = size_of(payload), self.window_of(model)
        if size > window:
            self._refuse(exchange, _overflow(size, window, api))
            return
        step = self.answer_for(payload)
        if isinstance(step, Refuse):
            self._refuse(exchange, step)
            return
        send = chat_wire.sent if api == "openai-chat" else responses_wire.sent
        number = len(self.requests)
        send(exchange, step, chat_wire.Asked(payload, number, size, self._cached(payload), self), self.streaming)

    def _cached(self, payload: Mapping[str, Any]) -> int:
        """Return the tokens that were in the cache, which stores every prefix automatically."""
        digest = hashlib.sha256(payload["model"].encode())
        size = known = 0
        fresh: list[str] = []
        parts = [payload.get("tools"), payload.get("instructions"), *(payload.get("messages") or payload["input"])]
        for part in parts:
            digest.update(json.dumps(part).encode())
            size += tokens_of(part)
            if digest.hexdigest() in self._prefixes:
                known = size
            fresh.append(digest.hexdigest())
        self._prefixes.update(fresh)
        return known - known % _STEP if known >= _LEAST_CACHED else 0

    def _refuse(self, exchange: Exchange, refuse: Refuse) -> None:
        type, code = _CODES.get(refuse.status, ("invalid_request_error", None))
        if refuse.type:
            type, code = (
                ("invalid_request_error", refuse.type) if refuse.status == 400 else (refuse.type, refuse.type)
            )
        body = {"error": {"message": refuse.message, "type": type, "param": None, "code": code}}
        self.refuse(exchange, refuse, json.dumps(body).encode())


def size_of(payload: Mapping[str, Any]) -> int:
    """Return the tokens of the whole request."""
    names = ("messages", "input", "instructions", "tools")
    return sum(tokens_of(payload[name]) for name in names if payload.get(name))


def _overflow(size: int, window: int, api: str) -> Refuse:
    if api == "openai-chat":
        text = f"This model's maximum context length is {window} tokens."
        text += f" However, your messages resulted in {size} tokens. Please reduce the length of the messages."
        return Refuse(400, text, "context_length_exceeded")
    text = "Your input exceeds the context window of this model. Please adjust your input and try again."
    return Refuse(400, text, "context_length_exceeded")


def _settings_refused(payload: Mapping[str, Any], model: FakeModel) -> list[str]:
    found = []
    most = payload.get("max_completion_tokens", payload.get("max_output_tokens"))
    if most is not None and (not isinstance(most, int) or not 16 <= most <= model.most_output):
        found.append(f"max_tokens is not acceptable: {most}. This model supports at most {model.most_output}.")
    effort = payload.get("reasoning_effort") or (payload.get("reasoning") or {}).get("effort")
    if effort is not None and effort not in model.levels:
        found.append(f"Unsupported value: 'reasoning.effort' does not support '{effort}' with this model.")
    if "reasoning.encrypted_content" in payload.get("include", ()) and not model.levels:
        found.append("Encrypted content is not supported with this model.")
    return found


def main() -> None:
    from tests.fakes.by_hand import serve

    serve(lambda port, key, talks, ways: OpenAIServer(port=port, key=key, talks=talks, ways=ways))


if __name__ == "__main__":
    main()

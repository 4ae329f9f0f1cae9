"""What the fake servers of models share: who is let in, what is offered, and how a request is turned away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from tests.fakes.fake_models import FakeModel
from tests.fakes.loopback import LARGEST_BODY, Exchange, LoopbackServer
from tests.fakes.own_ways import OwnWays
from tests.fakes.script import Refuse, Reply, Step
from tests.fakes.talker import answer_to

# how a server answers a valid question for a count: truly, with another value, not at all, with a cut, with a refusal
CountAnswer: TypeAlias = Literal["counts", "stall", "cut"] | int | Refuse | None


class Settings(TypedDict, total=False):
    """`key`: the only one that is let in, "" for any. `window` replaces that of every model.

    `checks_signatures` False takes foreign thinking for its own. `talks` answers when the script has come to its
    end. `ways`: the local server that it is, which lists its models in OpenAI's form and tells more.
    """

    port: int
    key: str
    window: int | None
    checks_signatures: bool
    talks: Callable[[Mapping[str, Any]], Reply]
    ways: OwnWays | None


class ModelServer(LoopbackServer):
    def __init__(self, models: Sequence[FakeModel], **settings: Unpack[Settings]) -> None:
        self.key, self.models, self.window = settings.get("key", ""), tuple(models), settings.get("window")
        self.ways = settings.get("ways") or OwnWays()
        self.checks_signatures = settings.get("checks_signatures", True)
        self.lists = True  # else it does not know what it offers
        self.counts: CountAnswer = "counts"
        self._talks = settings.get("talks", answer_to)
        super().__init__(settings.get("port", 0))

    def window_of(self, model: FakeModel) -> int:
        return self.window or model.window

    def keyed(self, exchange: Exchange) -> str:
        """The key that came, where older SDKs put it too."""
        headers = exchange.request.headers
        return headers.get("authorization", "").removeprefix("Bearer ") or headers.get("x-api-key", "")

    def too_large(self, exchange: Exchange) -> bool:
        return len(exchange.request.raw) > LARGEST_BODY

    def answer_for(self, payload: Mapping[str, Any]) -> Step:
        """Return the next scripted answer, else the server's own."""
        return self.next_step(lambda: self._talks(payload))

    def sent_count(self, exchange: Exchange, count: Mapping[str, Any]) -> Refuse | None:
        """Answer a valid question for a count, as `counts` wants it; a refusal is left to the API."""
        told = self.counts
        if isinstance(told, Refuse):
            return told
        if told == "stall":
            exchange.stall()
        elif told == "cut":
            exchange.cut("rst")
        else:
            exchange.send_json(200, dict(count) if told == "counts" else dict(count) | {"input_tokens": told})
        return None

    def listed_as(self, told: Callable[[FakeModel], Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [{"id": model.id, "object": "model", "created": 0} | dict(told(model)) for model in self.models]

    def refuse(self, exchange: Exchange, refuse: Refuse, body: bytes) -> None:
        """Send a refusal. `body` has the API's own form."""
        exchange.send(refuse.status, refuse.body or body, refuse.headers)

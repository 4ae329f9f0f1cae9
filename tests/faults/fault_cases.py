"""Every scripted fault of a server with its expected outcome. The tests check it, and the documentation shows it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stemmata.domain.chat.run import Phase
from stemmata.domain.requests.apis import API_NAMES
from tests.fakes.script import Break, Call, Refuse, Reply, Said, Say, Step, Twist
from tests.fakes.twists import BLOCK_BEGINS, DELTAS, Swapped, before, each, figures, instead, twice

APIS = tuple(api for api in API_NAMES if api != "openai-codex-responses")  # that API has the streams of Responses
NOW = {"retry-after": "0"}
SLOWLY = "One word after another, with a pause before each of them."


@dataclass(frozen=True, kw_only=True)
class FaultCase:
    """A fault and its expected outcome.

    `asked` is the number of requests for a reply. `stored` is the part of the reply that the archive holds: "whole",
    "part", "empty" or "nothing". `problem` is a part of the message, in the window and on the command line. With
    `secure` the address of the connection begins with https; `extra` are further lines of its settings.
    """

    fault: str
    script: tuple[Step, ...] | Callable[[str], tuple[Step, ...]]  # by the name of the API where it differs
    phase: Phase
    asked: int = 1
    stored: str = "nothing"
    problem: str = ""
    offers: tuple[str, ...] = ()
    window: int | None = None  # tokens of the server's models
    before: int = 0  # messages that were exchanged before
    apis: tuple[str, ...] = APIS
    rounds: int = 50  # replies that call tools or pause, at most
    secure: bool = False
    extra: tuple[str, ...] = ()

    @property
    def is_on_the_way(self) -> bool:
        """Whether the connection fails before it reaches the server."""
        return self.secure or bool(self.extra)

    def steps(self, api: str) -> tuple[Step, ...]:
        return self.script(api) if callable(self.script) else self.script

    @property
    def exit_code(self) -> int:
        return 0 if self.phase is Phase.IDLE else 1


REPLY = Reply()
CALL = Call("look_up", {"what": "the answer to everything", "where": "in the book"})
BAD_CALL = Call("look_up", raw='{"what": "the answer')
MOON = json.dumps({"error": {"code": 400, "message": "The moon is full"}}).encode()
REFUSALS = {"anthropic": "refusal", "openai-chat": "content_filter", "openai-responses": "content_filter"}
THINKING_REFUSALS = {
    "anthropic": "messages.1.content.0: Invalid `signature` in `thinking` block",
    "openai-responses": "The encrypted content for item rs_1 could not be verified.",
}
HEADS = ("message_start", "response.created")


def _without_index(data: dict[str, Any]) -> dict[str, Any]:
    return {name: [0] if name in ("index", "output_index") else value for name, value in data.items()}


def _refused_in(fault: str, how: Break, problem: str) -> FaultCase:
    return FaultCase(
        fault=fault, script=(Reply(breaks=how),), phase=Phase.FAILED, problem=problem, offers=("retry",)
    )  # fmt: skip


def _whole(fault: str, *script: Step, asked: int = 2, apis: tuple[str, ...] = APIS) -> FaultCase:
    return FaultCase(fault=fault, script=script, phase=Phase.IDLE, asked=asked, stored="whole", apis=apis)


def _odd(fault: str, make: Callable[[], Twist]) -> FaultCase:
    """Return a case with an odd stream that changes nothing. Each run makes its own twist: twists have state."""
    return FaultCase(
        fault=fault, script=lambda _api: (Reply(twist=make()),), phase=Phase.IDLE, asked=1, stored="whole"
    )


def _ended(fault: str, script: Callable[[str], Step], problem: str, *offers: str, **facts: Any) -> FaultCase:
    return FaultCase(
        fault=fault, script=lambda api: (script(api),), phase=Phase.FAILED, problem=problem, offers=offers, **facts
    )


def _broken(fault: str, how: Break, problem: str, *said: Said) -> FaultCase:
    return FaultCase(
        fault=fault, script=(Reply(breaks=how, blocks=said or REPLY.blocks),), phase=Phase.INTERRUPTED,
        stored="part", problem=problem, offers=("continue", "retry"),
    )  # fmt: skip


def _refused(fault: str, refuse: Refuse, problem: str, *offers: str, times: int = 1) -> FaultCase:
    return FaultCase(
        fault=fault, script=(refuse,) * times, phase=Phase.FAILED, asked=times, problem=problem, offers=offers
    )  # fmt: skip


CASES = (
    FaultCase(
        fault="400: the request exceeds the context window, and no entry can be left out",
        script=(),
        phase=Phase.FAILED,
        problem="One entry has about",
        offers=("cut", "exclude", "summarise", "model", "take-back"),
        window=20,
        apis=("openai-chat", "openai-responses"),
    ),
    FaultCase(
        fault="the server lists a smaller window than the request it counts, and no entry can be left out; not sent",
        script=(),
        phase=Phase.FAILED,
        asked=0,
        problem="One entry has about",
        offers=("cut", "exclude", "summarise", "model", "take-back"),
        window=20,
        apis=("anthropic",),
    ),
    FaultCase(
        fault="400: the request exceeds the context window; it fits after compacting",
        script=(),
        phase=Phase.IDLE,
        asked=2,
        stored="whole",
        window=4000,
        before=6,
    ),
    _refused("400: invalid request", Refuse(400, "no: bad"), "refused the request", "retry", "settings"),
    _whole(
        "400: the signature of a summary is refused; the summary is sent as text",
        Refuse(400, "The `signature` does not verify", code="compaction_signature_invalid"),
        REPLY,
        apis=("anthropic",),
    ),
    FaultCase(
        fault="400: earlier thinking is refused; the request is sent without it",
        script=lambda api: (Refuse(400, THINKING_REFUSALS[api]), REPLY),
        phase=Phase.IDLE,
        asked=2,
        stored="whole",
        apis=tuple(THINKING_REFUSALS),
    ),
    _refused("401: wrong key", Refuse(401, "invalid x-api-key"), "Check the key", "connect", "retry"),
    _refused("402: no credit", Refuse(402, "credit balance is too low"), "no credit", "connect", "retry"),
    _refused("404: unknown model", Refuse(404, "model: claude-none"), "does not know", "model", "retry"),
    _refused("413: request too large", Refuse(413, "Request too large"), "more bytes", "compact", "retry"),
    _whole("429 once, with `retry-after`", Refuse(429, "Slow down", headers=NOW), REPLY),
    _refused("429 at every try", Refuse(429, "Slow down", headers=NOW), "limits the rate", "retry", times=6),
    _whole("500 once", Refuse(500, "Internal"), REPLY),
    _refused("500 at every try", Refuse(500, "Internal"), "internal error", "retry", times=6),
    _whole("529 instead of a stream", Refuse(529, "Overloaded"), REPLY),
    _whole("an overload error in the stream, before the first text",
           Reply(breaks=Break("error", 0), blocks=()), REPLY),
    _broken("an overload error in the stream, after some text", Break("error"), "is overloaded"),
    _whole("the connection is closed (FIN) before the response", Reply(breaks=Break("fin", -1)), REPLY),
    _broken("the connection is closed (FIN) during the reply", Break("fin"), "connection to “fake” was lost"),
    _whole("the connection is reset (RST) before the response", Reply(breaks=Break("rst", -1)), REPLY),
    _broken("the connection is reset (RST) during the reply", Break("rst"), "connection to “fake” was lost"),
    _whole("the server stalls before the response", Reply(breaks=Break("stall", -1)), REPLY),
    _broken("the server stalls during the reply", Break("stall"), "“fake” sent nothing"),
    _broken("the stream ends without a stop reason", Break("eof"), "without a reason"),
    _broken("invalid bytes in the stream", Break("garbage"), "invalid answer"),
    _whole("closed (FIN) after the start of a block, before its text", Reply(breaks=Break("fin", 0)), REPLY),
    _whole("reset (RST) after the start of a block, before its text", Reply(breaks=Break("rst", 0)), REPLY),
    _whole("a stall after the start of a block, before its text", Reply(breaks=Break("stall", 0)), REPLY),
    _refused_in("the stream ends after the start of a block, before its text", Break("eof", 0), "without a reason"),
    _refused_in("invalid bytes after the start of a block, before its text", Break("garbage", 0), "invalid answer"),
    _broken("closed (FIN) within the arguments of a tool call", Break("fin", 2), "was lost", CALL),
    _broken("reset (RST) within the arguments of a tool call", Break("rst", 2), "was lost", CALL),
    _broken("the stream ends within the arguments of a tool call", Break("eof", 2), "without a reason", CALL),
    _whole("a tool call whose arguments are not JSON; its result says so", Reply(blocks=(BAD_CALL,)), REPLY),
    _whole("429 with a `retry-after` that is not a time",
           Refuse(429, "Slow", headers={"retry-after": "soon"}), REPLY),
    _whole("429 with a `retry-after` of minus infinity",
           Refuse(429, "Slow", headers={"retry-after": "-1e400"}), REPLY),
    _refused("403: forbidden", Refuse(403, "Not for you"), "refused the key", "connect", "retry"),
    _refused("422: invalid request", Refuse(422, "no: bad"), "refused the request", "retry", "settings"),
    _refused("502 at every try", Refuse(502, body=b"<html>Bad gateway</html>", headers=NOW), "internal error",
             "retry", times=6),
    _refused("400 with terminal escape sequences in its message", Refuse(400, "\x1b[31mred\x1b[0m\u202e \x07words"),
             "The server says: red words", "retry", "settings"),
    _refused("307: redirect", Refuse(307, headers={"location": "http://elsewhere.invalid/"}),
             "redirects to http://elsewhere.invalid/", "retry", "settings"),
    _refused("an error object with status 200", Refuse(200, body=MOON), "The server says: The moon is full",
             "retry", "settings"),
    _refused("an HTML page with status 200",
             Refuse(200, body=b"<html></html>", headers={"content-type": "text/html"}),
             "a web page in place of a reply", "retry"),
    _refused("JSON that is no reply, with status 200", Refuse(200, body=b'{"id": 1}'), "invalid answer", "retry"),
    _refused("plain text declared as JSON", Refuse(200, body=b"Hello"), "invalid answer", "retry"),
    _ended("an empty stream", lambda _api: Reply(twist=lambda _event: []), "invalid answer", "retry"),
    _ended("a reply with the stop reason of a refusal",
           lambda api: Reply(stop=REFUSALS[api]), "refused to continue", "retry", "model",
           stored="whole"),
    _ended("a reply without blocks", lambda _api: Reply(blocks=()), "is empty", "retry", "model", stored="empty"),
    _ended("a reply that stops because the context window is full",
           lambda _api: Reply(stop="model_context_window_exceeded"),
           "filled the context window", "compact", "retry", stored="whole", apis=("anthropic",)),
    FaultCase(
        fault="a reply that is paused again and again",
        script=(Reply(blocks=(Say("Hm."),), stop="pause_turn"),) * 3,
        phase=Phase.FAILED, asked=3, stored="whole", problem="paused 3 times in a row", offers=("continue",),
        apis=("anthropic",), rounds=3,
    ),
    _whole("a content type other than `text/event-stream`", Reply(kind="text/plain"), asked=1),
    _whole("a reply without usage", Reply(usage=False), asked=1),
    _odd("token counts of more than 64 bits", lambda: figures(10**30)),
    _odd("negative token counts", lambda: figures(-5)),
    _odd("token counts that are NaN", lambda: figures(math.nan)),
    _odd("token counts as strings", lambda: figures("12")),
    _odd("a number of 5,000 digits", lambda: before(DELTAS, ("", '{"type": "n", "n": ' + "9" * 5000 + "}"))),
    _odd("two start events for each block", lambda: twice(BLOCK_BEGINS)),
    _odd("two end events", lambda: twice(("message_delta", "message_stop", "response.completed"))),
    _odd("the start event of the reply after the first block", lambda: Swapped(HEADS, (*BLOCK_BEGINS, *DELTAS))),
    _odd("the first text before the start event of its block", lambda: Swapped(BLOCK_BEGINS, DELTAS)),
    _odd("no start event of the reply", lambda: instead(HEADS)),
    _odd("no start events of blocks", lambda: instead(BLOCK_BEGINS)),
    _odd("events of unknown types", lambda: before(DELTAS, ("new", {"type": "new", "delta": {"a": [1]}}))),
    _odd("events whose JSON is not an object", lambda: before(DELTAS, ("", "[1, 2]"), ("", "7"), ("", "null"))),
    _odd("events that are not UTF-8", lambda: before(DELTAS, ("", b'data: {"type": "n", "t": "\xff\xfe"}\n\n'))),
    _odd("comments and empty events", lambda: before(DELTAS, ("", b": still here\n\n"), ("", b"data:\n\n"))),
    _odd("block indexes that are not numbers", lambda: each(_without_index)),
    _whole("a delta of 30,000 characters", Reply(blocks=(Say("word " * 6_000),), piece=30_000), asked=1),
    FaultCase(fault="https to a server without TLS", script=(), phase=Phase.FAILED, asked=0, secure=True,
              problem="does not speak TLS", offers=("connect", "retry")),
    FaultCase(fault="a missing certificate file", script=(), phase=Phase.FAILED, asked=0,
              problem="The file /no/such/file.pem holds no certificates", offers=("connect", "retry"),
              extra=('ca_file = "/no/such/file.pem"',)),
    FaultCase(fault="a proxy that refuses connections", script=(), phase=Phase.FAILED, asked=0, offers=("retry",),
              problem="its proxy at 127.0.0.1:9 does not answer", extra=('proxy = "http://127.0.0.1:9"',)),
    FaultCase(
        fault="a reply that reaches the output limit",
        script=(Reply(blocks=(Say("word " * 9000),), piece=400),),
        phase=Phase.IDLE,
        stored="whole",
        problem="reached the limit of 8,192 tokens",
        offers=("continue", "limit"),
    ),
    _whole("slow deltas, with pauses shorter than the stall timeout",
           Reply(blocks=(Say(SLOWLY),), delay=0.02), asked=1),
    _whole("very many small deltas without pauses", Reply(blocks=(Say("word " * 4000),), piece=4), asked=1),
)  # fmt: skip

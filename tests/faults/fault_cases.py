"""Every scripted fault of a server, and what is to become of a run: the tests hold it, the documentation shows it."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.runs import Phase
from tests.fakes.script import Break, Refuse, Reply, Say, Step

NOW = {"retry-after": "0"}
SLOWLY = "One word after another, with a pause before each of them."


@dataclass(frozen=True, kw_only=True)
class FaultCase:
    """`asked` is how often the server is asked. `stored` is what the archive holds of the reply: "whole", "part" or
    "nothing". `problem` is a piece of the words that the person reads."""

    fault: str
    script: tuple[Step, ...]
    phase: Phase
    asked: int = 1
    stored: str = "nothing"
    problem: str = ""
    offers: tuple[str, ...] = ()
    window: int | None = None  # tokens of the server's models
    before: int = 0  # messages that were exchanged before


def _whole(fault: str, *script: Step, asked: int = 2) -> FaultCase:
    return FaultCase(fault=fault, script=script, phase=Phase.IDLE, asked=asked, stored="whole")


def _broken(fault: str, how: Break, problem: str) -> FaultCase:
    return FaultCase(
        fault=fault, script=(Reply(breaks=how),), phase=Phase.INTERRUPTED, stored="part", problem=problem,
        offers=("continue", "retry"),
    )  # fmt: skip


def _refused(fault: str, refuse: Refuse, problem: str, *offers: str, times: int = 1) -> FaultCase:
    return FaultCase(
        fault=fault, script=(refuse,) * times, phase=Phase.FAILED, asked=times, problem=problem, offers=offers
    )  # fmt: skip


REPLY = Reply()
CASES = (
    FaultCase(
        fault="400: the request is longer than the window, and nothing can be left out",
        script=(),
        phase=Phase.FAILED,
        problem="longer than the model’s window",
        offers=("compact", "retry"),
        window=20,
    ),
    FaultCase(
        fault="400: the request is longer than the window, and compacting helps",
        script=(),
        phase=Phase.IDLE,
        asked=2,
        stored="whole",
        window=4000,
        before=6,
    ),
    _refused("400: refused as invalid", Refuse(400, "no: bad"), "refused the request", "retry", "settings"),
    _whole(
        "400: a summary is refused that the server once signed, and its text is sent",
        Refuse(400, "The `signature` does not verify", code="compaction_signature_invalid"),
        REPLY,
    ),
    _refused("401: the key is wrong", Refuse(401, "invalid x-api-key"), "Check the key", "connect", "retry"),
    _refused("402: no credit left", Refuse(402, "credit balance is too low"), "no credit", "connect", "retry"),
    _refused("404: no such model", Refuse(404, "model: claude-none"), "does not know", "model", "retry"),
    _refused("413: too many bytes", Refuse(413, "Request too large"), "more bytes", "compact", "retry"),
    _whole("429 with retry-after", Refuse(429, "Slow down", headers=NOW), REPLY),
    _refused("429 again and again", Refuse(429, "Slow down", headers=NOW), "asks to slow down", "retry", times=6),
    _whole("500 once", Refuse(500, "Internal"), REPLY),
    _refused("500 again and again", Refuse(500, "Internal"), "problem of its own", "retry", times=6),
    _whole("529 before the stream", Refuse(529, "Overloaded"), REPLY),
    _whole("529 in the stream, before the first word", Reply(breaks=Break("error", 0), blocks=()), REPLY),
    _broken("529 in the stream, after some words", Break("error"), "is overloaded"),
    _whole("the connection is cut (FIN) before an answer", Reply(breaks=Break("fin", -1)), REPLY),
    _broken("the connection is cut (FIN) in the reply", Break("fin"), "connection to “fake” was lost"),
    _whole("the connection is cut (RST) before an answer", Reply(breaks=Break("rst", -1)), REPLY),
    _broken("the connection is cut (RST) in the reply", Break("rst"), "connection to “fake” was lost"),
    _whole("the server stalls before an answer", Reply(breaks=Break("stall", -1)), REPLY),
    _broken("the server stalls in the reply", Break("stall"), "Nothing came from “fake”"),
    _broken("a clean end without a stop reason", Break("eof"), "without saying why"),
    _broken("garbage in the stream", Break("garbage"), "cannot be read"),
    FaultCase(
        fault="the reply reaches the longest it may be",
        script=(Reply(blocks=(Say("word " * 9000),), piece=400),),
        phase=Phase.IDLE,
        stored="whole",
        problem="reached the limit of 8,192 tokens",
        offers=("continue", "limit"),
    ),
    _whole("a slow drip: less than the stall between two pieces", Reply(blocks=(Say(SLOWLY),), delay=0.02), asked=1),
    _whole("a flood: as fast as the wire takes it", Reply(blocks=(Say("word " * 4000),), piece=4), asked=1),
)  # fmt: skip

"""The strict fake servers with a model that works with tools for hours, and a tally of what they refused.

`python -m tests.marathon.server --api anthropic --window 32000` prints its address and serves until its input ends.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from stemmata.domain.compaction.summary.prompts import SYSTEM
from stemmata.domain.compaction.summary.sections import Section
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.loopback import Exchange
from tests.fakes.model_server import ModelServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Call, Refuse, Reply, Said, Say

TALLY = "/tally"
TOOL = "read_file"
EARLY = 20  # the first turns each name a constraint
MOST_CALLS = 4  # tool rounds of one turn
CONSTRAINT = re.compile(r"Never change table \d{5} in a migration, and keep its column names\.")
SUMMARY_TASK = SYSTEM[:60]
_WORDS = (
    "the plan names a file that the test reads before it changes one line and runs again to see what broke".split()
)


def prose(random: Random, tokens: int) -> str:
    """Return about this number of tokens of four characters each, never the same twice."""
    words: list[str] = []
    size = 0
    while size < tokens * 4:
        words.append(f"{random.choice(_WORDS)}{random.randrange(1000) if random.random() < 0.1 else ''}")
        size += len(words[-1]) + 1
    return " ".join(words)


def constraint(number: int) -> str:
    """A sentence of the user that every later request must have word for word."""
    return f"Never change table {number:05d} in a migration, and keep its column names."


SUMMARY = "\n\n".join(f"## {section.value}\n\n- About {section.name.lower()}." for section in Section)


class Worker:
    """Answers each prompt after some calls of the tool; what it does follows from its seed and its requests alone."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._left = 0  # calls of this turn
        self._in_turn = False

    def __call__(self, payload: Mapping[str, Any]) -> Reply:
        random = self._random
        if SUMMARY_TASK in json.dumps(payload):
            return Reply(blocks=(Say(SUMMARY),), piece=4000)
        if not self._in_turn:
            self._in_turn, self._left = True, random.randrange(MOST_CALLS + 1)
        if self._left and payload.get("tools"):
            self._left -= 1
            calls = [
                Call(TOOL, {"path": f"src/{random.randrange(10_000)}.py"}) for _ in range(random.choice((1, 1, 2)))
            ]
            blocks: tuple[Said, ...] = (Say(prose(random, 30)), *calls)
            return Reply(blocks=blocks, piece=4000)
        self._in_turn = False
        return Reply(blocks=(Say(prose(random, random.randrange(40, 600))),), piece=4000)


class Tally:
    """Counts of a server's requests and of its refusals by cause. Bodies are not kept."""

    def __init__(self, early: int = EARLY) -> None:
        self._early_words = {constraint(number) for number in range(early)}
        self.counts: Counter[str] = Counter()
        self.refusals: list[str] = []  # the first few, in the server's words
        self.told_so_far: set[str] = set()  # the constraints that any request named
        self.missing: set[str] = set()  # those of them that the last request does not have word for word
        self.first_loss = 0  # number of the request that was the first without one

    def asked(self, exchange: Exchange) -> None:
        if exchange.request.method == "POST" and "count" not in exchange.request.path:
            self.counts["requests"] += 1
            self._compare(exchange.request.raw.decode())

    def _compare(self, body: str) -> None:
        if SUMMARY_TASK in body:
            self.counts["summaries"] += 1
            return
        here = set(CONSTRAINT.findall(body))
        self.told_so_far |= here
        self.missing = self.told_so_far - here
        self.counts["without a constraint"] += bool(self.missing)
        self.counts["without an early constraint"] += bool(self.missing & self._early_words)
        if self.missing and not self.first_loss:
            self.first_loss = self.counts["requests"]

    def refused(self, refuse: Refuse) -> None:
        over = "too long" in refuse.message or refuse.type == "context_length_exceeded"
        self.counts["over the window" if over else "violations"] += 1
        if len(self.refusals) < 20:
            self.refusals.append(refuse.message[:300])

    def told(self) -> dict[str, Any]:
        names = ("requests", "summaries", "over the window", "violations", "without a constraint",
                 "without an early constraint")  # fmt: skip
        return {name: self.counts[name] for name in names} | {
            "refusals": self.refusals,
            "constraints": len(self.told_so_far),
            "constraints lost": sorted(self.missing),
            "first request without one": self.first_loss,
        }


class CountingServer(ModelServer):
    """Tells its tally at an address of its own."""

    tally: Tally

    def answer(self, exchange: Exchange) -> None:
        if exchange.request.path == TALLY:
            exchange.send_json(200, self.tally.told())
            return
        if self.requests:
            self.requests[-1] = replace(self.requests[-1], raw=b"")  # their number names the replies
        self.tally.asked(exchange)
        super().answer(exchange)

    def refuse(self, exchange: Exchange, refuse: Refuse, body: bytes) -> None:
        if not exchange.request.is_listing:
            self.tally.refused(refuse)
        super().refuse(exchange, refuse, body)


class CountingAnthropic(CountingServer, AnthropicServer):
    def __init__(self, seed: int, window: int | None, tally: Tally) -> None:
        self.tally = tally
        super().__init__(talks=Worker(seed), window=window)


class CountingOpenAI(CountingServer, OpenAIServer):
    def __init__(self, seed: int, window: int | None, tally: Tally) -> None:
        self.tally = tally
        super().__init__(talks=Worker(seed), window=window)


def serving(api: str, seed: int, window: int | None) -> CountingAnthropic | CountingOpenAI:
    kind = CountingAnthropic if api == "anthropic" else CountingOpenAI
    return kind(seed, window, Tally())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.marathon.server", description=__doc__)
    parser.add_argument("--api", default="anthropic")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--window", type=int, default=32_000)
    options = parser.parse_args()
    with serving(options.api, options.seed, options.window) as server:
        sys.stdout.write(json.dumps({"url": server.url}) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()

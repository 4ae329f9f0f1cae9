"""The pace of a streamed reply, and how it breaks: the same for every API."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tests.fakes.fake_models import CHARACTERS
from tests.fakes.loopback import Exchange
from tests.fakes.script import Break, Reply, Think


class Broken(Exception):  # noqa: N818 - no error: it does what it was told
    """The stream broke as the script says; nothing more is to be sent."""


class Sender:
    """Sends deltas at the script's pace until all are sent or the stream breaks."""

    def __init__(
        self, exchange: Exchange, reply: Reply, started: threading.Event, error: Callable[[str], tuple[str, object]]
    ) -> None:
        self._exchange, self._reply, self._started, self._error = exchange, reply, started, error
        self._sent = 0

    def first(self) -> None:
        self._exchange.pause(self._reply.wait)
        breaks = self._reply.breaks
        if breaks is not None and breaks.after < 0:
            self._break(breaks)

    def event(self, name: str, data: object) -> None:
        twist = self._reply.twist
        for named, told in ((name, data),) if twist is None else twist((name, data)):
            if isinstance(told, bytes):
                self._exchange.write(told)
            else:
                self._exchange.event(named, told)

    def delta(self, name: str, data: object) -> None:
        breaks = self._reply.breaks
        if breaks is not None and self._sent >= breaks.after:
            self._break(breaks)
        if self._reply.delay:
            self._exchange.pause(self._reply.delay)
        self.event(name, data)
        self._sent += 1
        self._started.set()

    def at_end(self) -> None:
        """Break before the last events, if the script names more deltas than there are."""
        if self._reply.breaks is not None:
            self._break(self._reply.breaks)

    def _break(self, breaks: Break) -> None:
        match breaks.how:
            case "stall":
                self._exchange.stall()
            case "fin" | "rst":
                self._exchange.cut(breaks.how)
            case "error":
                self._exchange.event(*self._error(breaks.error))
                self._exchange.close_stream()
            case "eof":
                self._exchange.close_stream()
            case "garbage":
                self._exchange.event("", "{this is no JSON")
                self._exchange.close_stream()
        raise Broken


def stream(
    exchange: Exchange,
    reply: Reply,
    started: threading.Event,
    error: Callable[[str], tuple[str, object]],
    body: Callable[[Sender], None],
) -> None:
    """Send the reply's events, which `body` knows, until they are through or the script breaks them off."""
    sender = Sender(exchange, reply, started, error)
    try:
        if reply.breaks is None or reply.breaks.after >= 0:
            exchange.open_stream(reply.kind)
        sender.first()
        body(sender)
        exchange.close_stream()
    except Broken:
        return


def answered(given: int) -> int:
    """Return the tokens of a number of characters."""
    return max(1, -(-given // CHARACTERS))


def thought(reply: Reply) -> int:
    """Return the tokens of the reply's thinking."""
    return -(-sum(len(said.text) for said in reply.blocks if isinstance(said, Think)) // CHARACTERS)

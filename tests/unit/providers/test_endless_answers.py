"""A server that sends an answer without an end is given up: after some bytes, or after some seconds."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.requests.apis import API_NAMES
from stemmata.providers.registry import ProviderRegistry
from stemmata.services.ports.providers import Provider
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.unit.providers.asking import NO_STALL, Run, gathered

PAUSE = 0.01  # seconds between two bytes
SOON = 0.05  # seconds; four times as long for a server on this machine
PIECE = 256 * 1024  # bytes
PIECES = 256  # twice as many bytes as are read of any answer
REFUSALS = ((500, Fault.SERVER), (429, Fault.RATE_LIMIT), (307, Fault.REQUEST))


class Endless(LoopbackServer):
    """Answers with a body of very many bytes, or of one byte now and then. The body never ends."""

    def __init__(self, status: int, pause: float) -> None:
        self._status, self._pause = status, pause
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        handler = exchange._handler
        handler.send_response(self._status)
        for name, value in (("location", "/elsewhere"), ("content-type", "application/json")):
            handler.send_header(name, value)
        handler.end_headers()
        while self._pause:
            handler.wfile.write(b" ")
            exchange.pause(self._pause)
        for _ in range(PIECES):
            handler.wfile.write(b"x" * PIECE)
        exchange.stall()


def problem_of(run: Run, api: str, asks: str, status: int, pause: float) -> ProviderError:
    async def asked(provider: Provider) -> ProviderError:
        try:
            match asks:
                case "models":
                    await provider.models()
                case "count":
                    await provider.count({"model": "m", "messages": []})
                case "embed":
                    await provider.embed("m", ["text"])
                case _:
                    _, problem = await gathered(provider.stream({"model": "m", "messages": []}))
                    assert problem is not None
                    return problem
        except ProviderError as error:
            return error
        raise AssertionError("the answer has no end")

    with Endless(status, pause) as server:
        connection = Connection(name="odd", api=api, base_url=f"{server.url}/v1")
        provider = ProviderRegistry(SOON if pause else NO_STALL).open(connection, "")
        try:
            problem: ProviderError = run(asked(provider))
        finally:
            run(provider.close())
        return problem


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize(("status", "fault"), REFUSALS)
@pytest.mark.parametrize("pause", [0, PAUSE])
def test_a_refusal_without_an_end(api: str, status: int, fault: Fault, pause: float, run: Run) -> None:
    problem = problem_of(run, api, "stream", status, pause)
    assert (problem.fault, problem.status) == (fault, status)


@pytest.mark.parametrize("asks", ["models", "count", "embed"])
@pytest.mark.parametrize(
    ("pause", "fault", "words"),
    [(0, Fault.GARBAGE, "sent an invalid answer"), (PAUSE, Fault.STALL, "did not complete its answer within 0.2 s")],
)
def test_an_answer_to_a_question_without_an_end(asks: str, pause: float, fault: Fault, words: str, run: Run) -> None:
    problem = problem_of(run, "anthropic", asks, 200, pause)
    assert problem.fault is fault
    assert words in str(problem)

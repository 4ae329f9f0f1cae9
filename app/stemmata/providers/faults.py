"""Everything that can go wrong with a request, as a ProviderError in plain words without any secret."""

from __future__ import annotations

import errno
import json
import logging
import socket
import ssl
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stemmata.domain.connections import Connection, host_of
from stemmata.domain.streaming import Fault, ProviderError
from stemmata.providers.secrecy import Scrubber
from stemmata.providers.told import Told
from stemmata.providers.waiting import asked_wait

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

LONGEST_QUOTE = 400  # characters of a server's own words that are shown
LOCAL_PATIENCE = 4  # times as long: a model on this machine may chew long on a prompt before its first word
_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
_WORDS = {
    Fault.OVERFLOW: "The request is longer than the model’s window{size}. Compact the session or choose another one.",
    Fault.TOO_LARGE: "The request has more bytes than {server} takes{code}. Compact the session or leave out files.",
    Fault.KEY: "{server} refused the key{code}. Check the key of this connection.{said}",
    Fault.MODEL: "{server} does not know the model or the address{code}. Choose another model.{said}",
    Fault.RATE_LIMIT: "{server} asks to slow down{code}.{said}",
    Fault.MONEY: "{server} says that the account has no credit left{code}.{said}",
    Fault.OVERLOADED: "{server} is overloaded{code}.{said}",
    Fault.SERVER: "{server} has a problem of its own{code}.{said}",
    Fault.REQUEST: "{server} refused the request{code}.{said}",
}


class Faults:
    """Tells what went wrong on one connection.

    `stall`: seconds without a byte until a request is given up; `patience` is what that means for this server.
    """

    def __init__(self, connection: Connection, key: str, stall: float) -> None:
        self._url, self._host = connection.base_url, host_of(connection.base_url) or connection.base_url
        self._server = f"“{connection.name or self._host}”"
        self.patience = stall * LOCAL_PATIENCE if connection.is_local else stall
        self.scrub = Scrubber(connection, key)

    def of(self, error: BaseException, *, begun: bool = False) -> ProviderError:
        """For whatever an SDK raised. The error itself is not kept: it may quote headers."""
        import httpx2

        if isinstance(error, ProviderError):
            return error
        response = getattr(error, "response", None)
        if isinstance(response, httpx2.Response) and response.is_redirect:
            elsewhere = response.headers.get("location", "")
            words = f"{self._server} is elsewhere: {elsewhere}. Set the address of this connection accordingly."
            return self.error(Fault.REQUEST, words, status=response.status_code, begun=begun)
        if isinstance(response, httpx2.Response) and response.status_code >= 400:
            told = Told.of(_body(response), response.status_code)
            return self._described(told, begun=begun, wait=asked_wait(response.headers))
        for cause in _causes(error):
            problem = self._on_the_way(cause, begun=begun)
            if problem is not None:
                return problem
        if not isinstance(error, ValueError | RecursionError) and not _is_of_sdk(error):
            frames = "".join(traceback.format_tb(error.__traceback__))  # without its text, which may hold a key
            _log.error("While talking to a model: %s\n%s", type(error).__name__, frames)
        return self.garbage(begun=begun)

    def told(self, body: object, *, begun: bool) -> ProviderError:
        """For an error that the server told inside its stream: the event's or the chunk's JSON."""
        return self._described(Told.of(body), begun=begun)

    def truncated(self, *, begun: bool) -> ProviderError:
        return self.error(Fault.TRUNCATED, f"{self._server} ended the reply without saying why.", begun=begun)

    def garbage(self, *, begun: bool) -> ProviderError:
        return self.error(Fault.GARBAGE, f"{self._server} gave an answer that cannot be read.", begun=begun)

    def error(self, fault: Fault, message: str, **facts: Any) -> ProviderError:
        return ProviderError(self.scrub(message), fault, **facts)

    def _described(self, told: Told, *, begun: bool, wait: float | None = None) -> ProviderError:
        fault = told.fault
        sizes = (told.tokens, told.limit) if fault is Fault.OVERFLOW else (None, None)
        words = _WORDS[fault].format(
            server=self._server,
            size=f": {sizes[0]:,} tokens of {sizes[1]:,}" if sizes[0] and sizes[1] else "",
            code=f" (HTTP {told.status})" if told.status else "",
            said=f" It says: {_clipped(told.message)}" if told.message else "",
        )
        facts = {"status": told.status, "begun": begun, "retry_after": wait, "tokens": sizes[0], "limit": sizes[1]}
        return self.error(fault, words, **facts)

    def _unreachable(self, error: BaseException) -> str:
        server, causes = f"{self._server} cannot be reached", list(_causes(error))
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            words = "Check its address, and whether this machine is online."
            return f"{server}: there is no host called “{self._host}”. {words}"
        if any(isinstance(cause, OSError) and cause.errno in _NO_WAY for cause in causes):
            return f"{server}: there is no way from this machine to {self._host}. Is this machine online?"
        return f"{server}: nothing answers at {self._url}. Is the server running, and is this its address?"

    def _on_the_way(self, error: BaseException, *, begun: bool) -> ProviderError | None:
        import httpx2

        server = self._server
        match error:
            case ssl.SSLError():
                words = f"The certificate of {server} cannot be trusted: {error}"
            case httpx2.ProxyError():
                words = f"The proxy on the way to {server} refused: {error}"
            case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
                words = f"{server} cannot be reached: no answer from {self._url}."
            case httpx2.TimeoutException():
                words = f"Nothing came from {server} for {self.patience:g} seconds."
                return self.error(Fault.STALL, words, begun=begun)
            case httpx2.ConnectError():
                words = self._unreachable(error)
            case httpx2.LocalProtocolError() | UnicodeEncodeError():
                words = f"The key or a header of {server} holds characters that cannot be sent."
                return self.error(Fault.KEY, words, begun=begun)
            case httpx2.SSEError() | httpx2.DecodingError():
                return self.garbage(begun=begun)
            case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
                words = f"The address of {server} cannot be opened: {self._url}"
            case httpx2.TransportError():
                words = f"The connection to {server} was lost."
            case _:
                return None
        return self.error(Fault.CONNECTION, words, begun=begun)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The innermost first: an SDK wraps what the transport raised, which wraps what the system raised."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return reversed(found)


def _is_of_sdk(error: BaseException) -> bool:
    return any(kind.__module__.partition(".")[0] in ("anthropic", "openai", "httpx2") for kind in type(error).__mro__)


def _body(response: httpx2.Response) -> object:
    try:
        return json.loads(response.text)
    except (ValueError, RecursionError):
        return response.text


def _clipped(quote: str) -> str:
    quote = " ".join(quote.split())
    return quote if len(quote) <= LONGEST_QUOTE else quote[: LONGEST_QUOTE - 1] + "…"

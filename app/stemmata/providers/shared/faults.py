"""Converts every failure of a request to a ProviderError with a clear message and without secrets."""

from __future__ import annotations

import errno
import logging
import socket
import ssl
import time
import traceback
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from stemmata.domain.chat.connections import Connection, host_of
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.text.phrases import Phrase, template
from stemmata.domain.text.untrusted import parse_json, printable
from stemmata.providers.shared.error_words import WORDS as COMPACTION_WORDS
from stemmata.providers.shared.error_words import ServerError

if TYPE_CHECKING:
    import httpx2


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `retry-after-ms`, else of `retry-after` (a number or a date); None without either."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or not asked:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


SHORTEST = 4  # characters; replacing shorter texts would garble messages
STAND_IN = "…"


class Scrubber:
    """Removes the key, values of extra headers, and passwords in addresses from texts."""

    def __init__(self, connection: Connection, key: str) -> None:
        found = {key.strip(), *(value for _, value in connection.headers)}
        for url in (connection.proxy, connection.base_url):
            found |= _passwords(url)
        found |= {quote(secret) for secret in found} | {repr(secret)[1:-1] for secret in found}
        self._secrets = sorted((secret for secret in found if len(secret) >= SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, STAND_IN)
        return text


def _passwords(url: str) -> set[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return set()
    return {password, unquote(password)} if password else set()


log = logging.getLogger(__name__)

LONGEST_QUOTE = 400  # characters of a server's message that are quoted
LOCAL_PATIENCE = 4  # factor for local servers, whose models may need long before the first token
_NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}
)
_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
_WORDS = {
    Fault.OVERFLOW: template(
        "The request is longer than the model’s context window{3}. Compact the session, or choose another model."
    ),
    Fault.TOO_LARGE: template(
        "The request has more bytes than {0} accepts{1}. Compact the session or leave out files."
    ),
    Fault.KEY: template("{0} refused the key{1}. Check the key of this connection.{2}"),
    Fault.MODEL: template("{0} does not know the model or the address{1}. Choose another model.{2}"),
    Fault.RATE_LIMIT: template("{0} limits the rate of requests{1}.{2}"),
    Fault.MONEY: template("{0} says that the account has no credit left{1}.{2}"),
    Fault.OVERLOADED: template("{0} is overloaded{1}.{2}"),
    Fault.SERVER: template("{0} reports an internal error{1}.{2}"),
    Fault.REQUEST: template("{0} refused the request{1}.{2}"),
}


class Faults:
    """Converts the failures of one connection.

    `stall` is the number of seconds without a byte until a request fails; `patience` is that number for this server.
    """

    def __init__(self, connection: Connection, key: str, stall: float) -> None:
        self._connection = connection
        self._url, self._host = connection.base_url, host_of(connection.base_url) or connection.base_url
        self._server = f"“{connection.name or self._host}”"
        self.patience = stall * LOCAL_PATIENCE if connection.is_local else stall
        self._secretless = Scrubber(connection, key)

    def scrub(self, text: str) -> str:
        """Return a text without secrets and without terminal control characters."""
        return self._secretless(printable(text))

    def of(self, error: BaseException, *, begun: bool = False) -> ProviderError:
        """Convert an exception of an SDK. The exception is not kept as a cause, because it may quote headers."""
        import httpx2

        if isinstance(error, ProviderError):
            return error
        response = getattr(error, "response", None)
        if isinstance(response, httpx2.Response) and response.has_redirect_location:
            elsewhere = response.headers["location"]
            words = Phrase("{0} redirects to {1}. Use that address for this connection.", self._server, elsewhere)
            return self.error(Fault.REQUEST, words, status=response.status_code, begun=begun)
        if isinstance(response, httpx2.Response) and response.status_code >= 400:
            reported = ServerError.of(_body(response), response.status_code)
            return self._described(reported, begun=begun, wait=asked_wait(response.headers))
        for cause in causes_of(error):
            problem = self._on_the_way(cause, begun=begun)
            if problem is not None:
                return problem
        if isinstance(error, RuntimeError) and "has been closed" in str(error):
            return self.closed(begun=begun)
        if not isinstance(error, ValueError | RecursionError) and not _is_of_sdk(error):
            frames = "".join(traceback.format_tb(error.__traceback__))  # without the message, which may contain a key
            log.error("While talking to a model: %s\n%s", type(error).__name__, frames)
        return self.garbage(begun=begun)

    def from_body(self, body: object, *, begun: bool) -> ProviderError:
        """Convert an error event or chunk inside a stream, given as JSON."""
        return self._described(ServerError.of(body), begun=begun)

    def truncated(self, *, begun: bool) -> ProviderError:
        """Return the error for a stream that ended before its reply was complete."""
        return self.error(Fault.TRUNCATED, Phrase("{0} ended the reply without a reason.", self._server), begun=begun)

    def garbage(self, *, begun: bool) -> ProviderError:
        """Return the error for a stream that is not valid."""
        return self.error(Fault.GARBAGE, Phrase("{0} sent an invalid answer.", self._server), begun=begun)

    def closed(self, *, begun: bool = False) -> ProviderError:
        """Return the error of a request after the connection was closed."""
        return self.error(Fault.CONNECTION, Phrase("The connection to {0} was closed.", self._server), begun=begun)

    def unfinished(self) -> ProviderError:
        """Return the error for an answer, other than a reply, that did not come to its end in time."""
        words = Phrase("{0} did not complete its answer within {1} seconds.", self._server, f"{self.patience:g}")
        return self.error(Fault.STALL, words)

    def page(self) -> ProviderError:
        """Return the error for a web page in place of an answer."""
        words = Phrase(
            "{0} answered with a web page in place of a reply. Is the address of this connection right?", self._server
        )
        return self.error(Fault.GARBAGE, words)

    def error(self, fault: Fault, message: str, **facts: Any) -> ProviderError:
        """Return a ProviderError for this connection."""
        scrubbed = message.with_values(self.scrub) if isinstance(message, Phrase) else self.scrub(message)
        return ProviderError(scrubbed, fault, **facts)

    def _described(self, error: ServerError, *, begun: bool, wait: float | None = None) -> ProviderError:
        fault = error.fault
        sizes = (error.tokens, error.limit) if fault is Fault.OVERFLOW else (None, None)
        words = Phrase(
            COMPACTION_WORDS.get(error.code) or _WORDS[fault],
            self._server,
            f" (HTTP {error.status})" if error.status else "",
            Phrase(" The server says: {0}", _clipped(error.message)) if error.message else "",
            Phrase(": {0} tokens of {1}", sizes[0], sizes[1]) if sizes[0] and sizes[1] else "",
        )
        facts = {"status": error.status, "begun": begun, "retry_after": wait, "tokens": sizes[0], "limit": sizes[1]}
        return self.error(fault, words, code=error.code, **facts)

    def _insecure(self, error: ssl.SSLError, *, begun: bool) -> ProviderError:
        if isinstance(error, ssl.SSLCertVerificationError):
            words = Phrase("The certificate of {0} cannot be trusted: {1}", self._server, error)
            return self.error(Fault.SETUP, words, begun=begun)
        if speaks_no_tls(error):
            words = Phrase(
                "{0} does not speak TLS: its address begins with https, but the server answers without encryption. "
                "Give the connection an address that begins with http, or that of a server with encryption.",
                self._server,
            )
            return self.error(Fault.SETUP, words, begun=begun)
        words = Phrase("The secure connection to {0} broke: {1}", self._server, error)
        return self.error(Fault.CONNECTION, words, begun=begun)

    def _way_blocked(self) -> Phrase | None:
        """Return the message for a proxy that cannot be reached; None without a proxy."""
        if not (proxy := proxy_to(self._url, self._connection.proxy, is_local=self._connection.is_local)):
            return None
        return Phrase(
            "{0} cannot be reached: its proxy at {1} does not answer. Is the proxy running, and is this its address?",
            self._server,
            proxy,
        )

    def _unreachable(self, error: BaseException) -> Phrase:
        causes = list(causes_of(error))
        blocked = self._way_blocked()
        if blocked is not None:
            return blocked
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            return Phrase(
                "{0} cannot be reached: there is no host called “{1}”. "
                "Check its address, and whether this machine is online.",
                self._server,
                self._host,
            )
        if any(isinstance(cause, OSError) and cause.errno in _NO_WAY for cause in causes):
            return Phrase(
                "{0} cannot be reached: no network route to {1}. Is this machine online?",
                self._server,
                self._host,
            )
        return Phrase(
            "{0} cannot be reached: nothing answers at {1}. Is the server running, and is this its address?",
            self._server,
            self._url,
        )

    def _on_the_way(self, error: BaseException, *, begun: bool) -> ProviderError | None:
        import httpx2

        server = self._server
        match error:
            case ssl.SSLError():
                return self._insecure(error, begun=begun)
            case httpx2.ProxyError():
                words = Phrase("The proxy refused the connection to {0}: {1}", server, error)
            case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
                words = self._way_blocked() or Phrase("{0} cannot be reached: no answer from {1}.", server, self._url)
            case httpx2.TimeoutException():
                words = Phrase("{0} sent nothing for {1} seconds.", server, f"{self.patience:g}")
                return self.error(Fault.STALL, words, begun=begun)
            case httpx2.ConnectError():
                words = self._unreachable(error)
            case httpx2.LocalProtocolError() | UnicodeEncodeError():
                words = Phrase(
                    "The key or a header of {0} holds characters that cannot be sent. Correct the connection.", server
                )
                return self.error(Fault.KEY, words, begun=begun)
            case httpx2.SSEError() | httpx2.DecodingError():
                return self.garbage(begun=begun)
            case httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
                words = Phrase("The address of {0} cannot be opened: {1}", server, self._url)
                return self.error(Fault.SETUP, words, begun=begun)
            case httpx2.TransportError():
                words = Phrase("The connection to {0} was lost.", server)
            case _:
                return None
        return self.error(Fault.CONNECTION, words, begun=begun)


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the causes of an error, innermost first: the system's, the transport's, the SDK's."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return reversed(found)


def speaks_no_tls(error: BaseException) -> bool:
    """Whether the server answered a TLS handshake with another protocol, such as plain HTTP."""
    return isinstance(error, ssl.SSLError) and error.reason in _NO_TLS


def proxy_to(url: str, named: str = "", *, is_local: bool = False) -> str:
    """Return host and port of the proxy for a URL: the named one, else the environment's; "" for none."""
    parts = urlsplit(url)
    if not named and not is_local and not proxy_bypass(parts.hostname or ""):
        found = getproxies()
        named = found.get(parts.scheme) or found.get("all") or ""
    return urlsplit(named if "//" in named else f"//{named}").netloc.rpartition("@")[2]


def _is_of_sdk(error: BaseException) -> bool:
    return any(kind.__module__.partition(".")[0] in ("anthropic", "openai", "httpx2") for kind in type(error).__mro__)


def _body(response: httpx2.Response) -> object:
    try:
        return parse_json(response.text)
    except (ValueError, RecursionError):
        return response.text


def _clipped(quote: str) -> str:
    quote = " ".join(quote.split())
    return quote if len(quote) <= LONGEST_QUOTE else quote[: LONGEST_QUOTE - 1] + "…"

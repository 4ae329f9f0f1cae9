"""A web server on loopback whose every byte a test decides: the ground that the fake model servers stand on."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.fakes.script import How, Step

LARGEST_BODY = 32 * 1024 * 1024  # bytes, as the real edge has it


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    raw: bytes

    @property
    def is_listing(self) -> bool:
        """Return whether the request asks for the list of models or their features."""
        return self.method == "GET" or self.path.startswith("/api/")

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class GoneError(Exception):
    """The client hung up, or the server is closing."""


class Exchange:
    """One request and its answer, sent byte by byte."""

    def __init__(self, handler: _Handler, request: Request, server: LoopbackServer) -> None:
        self._handler, self._server = handler, server
        self.request = request
        self._due = 0.0

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        handler = self._handler
        handler.send_response(status)
        for name, value in ({"content-type": "application/json"} | dict(headers or {})).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        self.send(status, json.dumps(body).encode(), headers)

    def open_stream(self, content_type: str = "text/event-stream; charset=utf-8") -> None:
        self._handler.send_response(200)
        self._handler.send_header("content-type", content_type)
        self._handler.send_header("transfer-encoding", "chunked")
        self._handler.end_headers()

    def write(self, data: bytes) -> None:
        try:
            self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        except OSError as error:
            self._hung_up(error)

    def event(self, name: str, data: object) -> None:
        """A server-sent event; no name, no `event:` line."""
        head = f"event: {name}\n" if name else ""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        self.write(f"{head}data: {text}\n\n".encode())

    def close_stream(self) -> None:
        try:
            self._handler.wfile.write(b"0\r\n\r\n")
        except OSError as error:
            self._hung_up(error)

    def pause(self, seconds: float) -> None:
        """Wait; steady over many calls, and broken off with GoneError when the client hangs up."""
        now = time.perf_counter()
        self._due = max(self._due, now - 0.05) + seconds if seconds else now
        while (left := self._due - time.perf_counter()) > 0:
            if self._is_gone(min(left, 0.05)):
                self._hung_up(None)

    def stall(self) -> None:
        """Send nothing more until the client closes the connection."""
        while True:
            if self._is_gone(0.05):
                self._hung_up(None)

    def cut(self, how: How) -> None:
        """Cut the connection: "fin" closes it in order, "rst" resets it."""
        handler = self._handler
        handler.close_connection = True
        if how == "rst":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            handler.connection.shutdown(socket.SHUT_RDWR)
        handler.rfile.close()
        handler.wfile.close()
        handler.connection.close()

    def _is_gone(self, seconds: float) -> bool:
        if self._server.closing.is_set():
            return True
        connection = self._handler.connection
        readable, _, _ = select.select([connection], [], [], seconds)
        try:
            return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _hung_up(self, error: OSError | None) -> None:
        self._handler.close_connection = True
        if not self._server.closing.is_set():
            self._server.gone.set()
        raise GoneError from error


class LoopbackServer:
    """Serves from its start until `close`; a context manager.

    `requests` are all that came but `listings`, which ask what is offered. `asked` is set when the first has come,
    `streaming` when the first piece of a
    reply has been sent, `gone` when a client hangs up in the middle of an answer.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Request] = []
        self.listings: list[Request] = []
        self.connections = 0  # that were opened so far
        self.gone, self.streaming, self.closing = threading.Event(), threading.Event(), threading.Event()
        self.asked = threading.Event()
        self._steps: list[Step] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._http = _Http(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._serve, name="fake server")
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def open_connections(self) -> int:
        with self._lock:
            return len(self._open)

    def script(self, *steps: Step) -> None:
        """Set the answers to the next requests for a reply, in order; afterwards the server answers by itself."""
        with self._lock:
            self._steps += steps

    def next_step(self, otherwise: Callable[[], Step]) -> Step:
        with self._lock:
            return self._steps.pop(0) if self._steps else otherwise()

    def answer(self, exchange: Exchange) -> None:
        raise NotImplementedError

    def handle(self, exchange: Exchange) -> None:
        with self._lock:
            kept = self.listings if exchange.request.is_listing else self.requests
            kept.append(exchange.request)
        if not exchange.request.is_listing:
            self.asked.set()
        try:
            self.answer(exchange)
        except (GoneError, OSError):
            self._drop(exchange)

    def _drop(self, exchange: Exchange) -> None:
        """Close the connection of an answer that was begun and cannot be completed."""
        exchange._handler.close_connection = True

    def _serve(self) -> None:
        while not self.closing.is_set():
            self._http.handle_request()

    def close(self) -> None:
        self.closing.set()
        with suppress(OSError):  # it may be closed already
            socket.create_connection(("127.0.0.1", self.port)).close()  # what `_serve` waits for
        self._thread.join()
        with self._lock:
            for connection in self._open:
                _shut(connection)
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self.connections += 1
            self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was quicker


class _Http(ThreadingHTTPServer):
    daemon_threads = False  # so that `server_close` waits for them
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], owner: LoopbackServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return not self.owner.closing.is_set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect in the middle, which these tests provoke."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each piece takes 40 ms
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.owner.opened(self.connection)

    def finish(self) -> None:
        self.server.owner.closed(self.connection)
        super().finish()

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        raw = self.rfile.read(size)
        request = Request(self.command, self.path, headers, raw)
        self.server.owner.handle(Exchange(self, request, self.server.owner))

    def log_message(self, format: str, *args: Any) -> None:
        pass

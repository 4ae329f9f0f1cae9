"""Keeps one running program per archive: a program that is started later sends its request to the running one.

The format of requests is in `asking`. The socket is not a QLocalSocket: that needs QtNetwork, which needs libraries
(Kerberos) that many systems lack.
"""

from __future__ import annotations

import logging
import os
import socket

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from stemmata.gui.window.asking import ACTIVATION, LONGEST, TAKEN, connected, parse

PATIENCE_MS = 2000
MOST_AT_ONCE = 8  # maximum number of connections
log = logging.getLogger(__name__)


class InstanceListener(QObject):
    """Listens for requests at the socket path until `close`, unless another program listens there already."""

    asked = Signal(str)  # the session, link or file to open, "" for none

    def __init__(self, path: str, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._connections: set[InstanceConnection] = set()
        self._server: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        try:
            self._server = _listening(path)
        except OSError as error:
            log.warning("Cannot listen at %s; starting Stemmata again opens a second program: %s", path, error)
        if self._server is not None:
            self._notifier = QSocketNotifier(self._server.fileno(), QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._on_connection)

    @property
    def listens(self) -> bool:
        """Whether this program listens; False when another one does, or after an error."""
        return self._server is not None

    def close(self) -> None:
        """Stop listening and remove the socket."""
        for connection in list(self._connections):
            connection.close()
        if self._server is None or self._notifier is None:
            return
        self._notifier.setEnabled(False)
        self._server.close()
        self._server = None
        try:
            os.unlink(self._path)
        except OSError as error:
            log.info("Cannot remove the socket %s: %s", self._path, error)

    def _on_connection(self) -> None:
        if self._server is None:
            return
        try:
            accepted, _ = self._server.accept()
        except OSError as error:  # the other program has hung up already
            log.info("A connection was lost: %s", error)
            return
        if len(self._connections) >= MOST_AT_ONCE:
            accepted.close()
            return
        connection = InstanceConnection(accepted, self)
        self._connections.add(connection)
        connection.heard.connect(self._on_heard)
        connection.closed.connect(lambda: self._connections.discard(connection))

    def _on_heard(self, name: str, token: str) -> None:
        if token:
            os.environ[ACTIVATION] = token
        self.asked.emit(name)


class InstanceConnection(QObject):
    """A connection of another program start: reads one request, for at most PATIENCE_MS."""

    heard = Signal(str, str)  # the name to open, and the activation token
    closed = Signal()

    def __init__(self, accepted: socket.socket, parent: QObject) -> None:
        super().__init__(parent)
        accepted.setblocking(False)
        self._socket: socket.socket | None = accepted
        self._read = bytearray()
        self._notifier = QSocketNotifier(accepted.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_bytes)
        QTimer.singleShot(PATIENCE_MS, self, self.close)

    def close(self) -> None:
        """Close the connection. May be called twice."""
        if self._socket is None:
            return
        self._notifier.setEnabled(False)
        self._socket.close()
        self._socket = None
        self.closed.emit()
        self.deleteLater()

    def _on_bytes(self) -> None:
        if self._socket is None:
            return
        try:
            more = self._socket.recv(LONGEST)
            self._read += more
            line, end, _ = self._read.partition(b"\n")
            if end:
                self._on_line(self._socket, bytes(line))
            elif more and len(self._read) < LONGEST:
                return  # the line is not complete
        except BlockingIOError:
            return
        except OSError as error:
            log.info("A connection broke: %s", error)
        self.close()

    def _on_line(self, connection: socket.socket, line: bytes) -> None:
        request = parse(line) if len(line) < LONGEST else None
        if request is not None:
            connection.send(TAKEN)
            self.heard.emit(*request)


def _listening(path: str) -> socket.socket | None:
    """Return a listening socket that only this user can access; None when another program listens at `path`.

    Raises OSError when the socket cannot be created.
    """
    if _answers(path):
        log.info("Another program listens at %s.", path)
        return None
    server = socket.socket(socket.AF_UNIX)
    try:
        if os.path.lexists(path):
            os.unlink(path)  # left by a program that was killed
        server.bind(path)
        os.chmod(path, 0o600)
        server.setblocking(False)
        server.listen(MOST_AT_ONCE)
    except BaseException:
        server.close()
        raise
    return server


def _answers(path: str) -> bool:
    try:
        connected(path).close()
    except OSError:
        return False
    return True

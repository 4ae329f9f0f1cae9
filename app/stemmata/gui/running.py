"""One running program for one archive: who starts it again is heard by the window that is there already.

A request is one line of JSON, `{"open": "<session, link or file>", "token": "<activation token>"}`, at most LONGEST
bytes; it is answered by a line when it was taken. The socket belongs to its user alone.
"""

from __future__ import annotations

import json
import logging
import os

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

LONGEST = 8192  # bytes of a request, and characters of what it names
PATIENCE_MS = 2000
MOST_AT_ONCE = 8  # connections
TAKEN = b"taken\n"
ACTIVATION = "XDG_ACTIVATION_TOKEN"  # lets a window come to the front under Wayland; Qt takes it from the environment
log = logging.getLogger(__name__)


def hand_over(socket: str, name: str) -> bool:
    """Whether a running program took the request to open `name`, or with "" to come to the front."""
    line = json.dumps({"open": name, "token": os.environ.get(ACTIVATION, "")}).encode() + b"\n"
    connection = QLocalSocket()
    connection.connectToServer(socket)
    if len(line) > LONGEST or not connection.waitForConnected(PATIENCE_MS):
        return False
    connection.write(line)
    while not connection.canReadLine():
        if not connection.waitForReadyRead(PATIENCE_MS):
            return False
    return bytes(connection.readLine().data()) == TAKEN


class Listener(QObject):
    """Listens until `close`, unless another program listens there already."""

    asked = Signal(str)  # what to open, "" for nothing

    def __init__(self, socket: str, parent: QObject) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(MOST_AT_ONCE)
        self._server.newConnection.connect(self._on_connection)
        if not self._listen(socket):
            log.info("Nothing is heard through %s: %s", socket, self._server.errorString())

    @property
    def listens(self) -> bool:
        return self._server.isListening()

    def close(self) -> None:
        """Hear nothing any more, and take the socket away."""
        self._server.close()

    def _listen(self, socket: str) -> bool:
        if _answers(socket):
            return False
        QLocalServer.removeServer(socket)  # left behind by a program that was killed
        return self._server.listen(socket)

    def _on_connection(self) -> None:
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.setReadBufferSize(LONGEST)
            connection.disconnected.connect(connection.deleteLater)
            connection.readyRead.connect(lambda connection=connection: self._on_bytes(connection))
            QTimer.singleShot(PATIENCE_MS, connection, connection.abort)
            self._on_bytes(connection)

    def _on_bytes(self, connection: QLocalSocket) -> None:
        if connection.canReadLine():
            request = parse(bytes(connection.readLine(LONGEST).data()))
            if request is not None:
                connection.write(TAKEN)
                connection.flush()
                name, token = request
                if token:
                    os.environ[ACTIVATION] = token
                self.asked.emit(name)
            connection.disconnectFromServer()
        elif connection.bytesAvailable() >= LONGEST:
            connection.abort()


def parse(line: bytes) -> tuple[str, str] | None:
    """What is to be opened and the activation token, from a request that anybody may have written."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    name, token = value.get("open"), value.get("token", "")
    if not isinstance(name, str) or not isinstance(token, str) or "\0" in name + token:
        return None
    return name, token


def _answers(socket: str) -> bool:
    connection = QLocalSocket()
    connection.connectToServer(socket)
    return connection.waitForConnected(PATIENCE_MS)

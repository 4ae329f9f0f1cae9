"""Asks the window that runs already to open something. Knows no Qt: what is started again need not load it.

A request is one line of JSON, `{"open": "<session, link or file>", "token": "<activation token>"}`, at most LONGEST
bytes; it is answered by a line when it was taken. The socket belongs to its user alone.
"""

from __future__ import annotations

import json
import logging
import os
import socket

LONGEST = 8192  # bytes of a request
PATIENCE = 2.0  # seconds
TAKEN = b"taken\n"
ACTIVATION = "XDG_ACTIVATION_TOKEN"  # lets a window come to the front under Wayland; Qt takes it from the environment
log = logging.getLogger(__name__)


def hand_over(path: str, name: str) -> bool:
    """Whether a running program took the request to open `name`, or with "" to come to the front."""
    line = json.dumps({"open": name, "token": os.environ.get(ACTIVATION, "")}).encode() + b"\n"
    if len(line) > LONGEST or not is_own(path):
        return False
    try:
        with connected(path) as connection:
            connection.sendall(line)
            answer = b""
            while len(answer) < len(TAKEN) and (more := connection.recv(len(TAKEN))):
                answer += more
            return answer == TAKEN
    except OSError as error:
        log.info("Nobody answers at %s: %s", path, error)
        return False


def is_own(path: str) -> bool:
    """Whether the socket is this user's: in a folder that all may write to, it could be anybody's."""
    try:
        return os.lstat(path).st_uid == os.getuid()
    except OSError:
        return False


def connected(path: str) -> socket.socket:
    """A connection to who listens there. Raises OSError where nobody does."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(PATIENCE)
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


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

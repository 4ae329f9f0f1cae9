"""Sends a request to the running program to open a session, link or file.

Imports neither Qt nor logging, so that a second start of the program ends fast.

A request is one line of JSON, `{"open": "<session, link or file>", "token": "<activation token>"}`, at most LONGEST
bytes; the running program answers an accepted request with the line TAKEN. Only the user can access the socket.
"""

from __future__ import annotations

import json
import os
import socket

LONGEST = 8192  # bytes of a request
PATIENCE = 2.0  # timeout, in seconds
TAKEN = b"taken\n"
ACTIVATION = "XDG_ACTIVATION_TOKEN"  # lets a window come to the front under Wayland; Qt reads the variable


def hand_over(path: str, name: str) -> bool:
    """Ask the program at socket `path` to open `name`, "" to come to the front; return whether it accepted.

    Paths are made absolute for that process.
    """
    name = os.path.abspath(name) if os.path.exists(name) else name
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
    except OSError:  # no program listens: a killed program left its socket behind
        return False


def is_own(path: str) -> bool:
    """Return whether the socket belongs to this user: in a shared folder, another user could have created it."""
    try:
        return os.lstat(path).st_uid == os.getuid()
    except OSError:
        return False


def connected(path: str) -> socket.socket:
    """Return a connection to the socket at `path`. Raises OSError when no program listens there."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(PATIENCE)
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


def parse(line: bytes) -> tuple[str, str] | None:
    """Return the name to open and the activation token of a request; None when the request is invalid."""
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

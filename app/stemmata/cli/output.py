"""Where everything that the command line prints passes: nothing that others wrote steers a terminal.

Control characters, escape sequences with them, and marks that turn the reading order are written out (`\\x1b`), on a
terminal and elsewhere. A reader that goes away ends the command quietly; a full disk is an error like any other.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from typing import Any

import click

from stemmata.domain.errors import KnownError
from stemmata.domain.text.json_text import compact_json, indented_json
from stemmata.domain.text.untrusted import escape_controls, with_visible_controls

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


class ReaderGone(Exception):  # noqa: N818 - it is no error: who read stdout has enough
    """Nobody reads stdout any more, as behind `| head`."""


def out(text: str, *, nl: bool = True) -> None:
    """Text for people, on stdout."""
    _write(with_visible_controls(text), nl=nl)


def document(value: Any, *, one_line: bool = False) -> None:
    """One JSON document, on stdout."""
    text = escape_controls(compact_json(value) if one_line else indented_json(value))
    if not _takes_all():
        text = _BEYOND_ASCII.sub(lambda found: json.dumps(found.group())[1:-1], text)
    _write(text, nl=True)


def data(content: bytes) -> None:
    """What is exported, on stdout: as it is, but harmless on a terminal."""
    if sys.stdout is None or sys.stdout.isatty():
        out(content.decode(errors="replace"), nl=False)
        return
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _unwritten(error) from error


def err(text: object) -> None:
    """For people, on stderr. Where that cannot be written to, there is nobody to be told."""
    with suppress(OSError):
        click.echo(with_visible_controls(str(text)), err=True)


def say(error: object) -> None:
    """A message of the program, also with --quiet."""
    err(f"stemmata: {error}")


def prepare() -> None:
    """What the encoding of a stream cannot hold is written out, and so is no error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def let_go() -> None:
    """Take what is still to be written from stdout, which would fail once more when the process ends."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _write(text: str, *, nl: bool) -> None:
    if sys.stdout is None:
        raise KnownError("There is nowhere to write to: stdout is closed.")
    try:
        click.echo(text, nl=nl)
    except OSError as error:
        raise _unwritten(error) from error


def _unwritten(error: OSError) -> Exception:
    let_go()
    if isinstance(error, BrokenPipeError):
        return ReaderGone()
    return KnownError(f"The output cannot be written: {error.strerror or error}.")


def _takes_all() -> bool:
    return sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"

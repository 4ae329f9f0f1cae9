r"""Print results and messages safely: text from sessions cannot control the terminal.

Control characters, escape sequences and marks that change the reading direction are escaped (`\\x1b`), on a terminal
and elsewhere. When the reader of stdout goes away, the command ends quietly; a full disk is an error like any other.
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


class OutputClosedError(Exception):
    """The reader of stdout closed it, as in `| head`."""


def out(text: str, *, nl: bool = True) -> None:
    """Print text for people on stdout."""
    _write(with_visible_controls(text), nl=nl)


def document(value: Any, *, one_line: bool = False) -> None:
    """Print one JSON document on stdout."""
    text = escape_controls(compact_json(value) if one_line else indented_json(value))
    if not _is_utf8():
        text = _BEYOND_ASCII.sub(lambda found: json.dumps(found.group())[1:-1], text)
    _write(text, nl=True)


def data(content: bytes) -> None:
    """Print an exported document on stdout: unchanged to a file or pipe, with escapes on a terminal."""
    if sys.stdout is None or sys.stdout.isatty():
        out(content.decode(errors="replace"), nl=False)
        return
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _unwritten(error) from error


def err(text: object) -> None:
    """Print text for people on stderr; ignored when stderr cannot be written."""
    with suppress(OSError):
        click.echo(with_visible_controls(str(text)), err=True)


def report(error: object) -> None:
    """Print a message of the program on stderr, even with --quiet."""
    err(f"stemmata: {error}")


def prepare() -> None:
    """Make the streams escape characters that their encoding lacks, instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discard_stdout() -> None:
    """Discard the unwritten output, which would raise another error when the process ends."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _write(text: str, *, nl: bool) -> None:
    if sys.stdout is None:
        raise KnownError("Could not write the output: stdout is closed.")
    try:
        click.echo(text, nl=nl)
    except OSError as error:
        raise _unwritten(error) from error


def _unwritten(error: OSError) -> Exception:
    """Return the error to raise for a failed write."""
    discard_stdout()
    if isinstance(error, BrokenPipeError):
        return OutputClosedError()
    return KnownError(f"Could not write the output: {error.strerror or error}.")


def _is_utf8() -> bool:
    return sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"

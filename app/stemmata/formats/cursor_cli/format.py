"""The declaration of the format of Cursor's transcripts."""

from __future__ import annotations

from stemmata.formats.cursor_cli.reader import CursorCli
from stemmata.formats.shared.format import Format

CURSOR_CLI = Format(CursorCli.name, "Cursor CLI", reader=CursorCli)

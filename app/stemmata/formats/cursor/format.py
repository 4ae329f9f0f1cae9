"""The declaration of the format of Cursor, the editor."""

from __future__ import annotations

from stemmata.formats.cursor.reader import Cursor
from stemmata.formats.cursor_cli.reader import CursorCli
from stemmata.formats.shared.format import Format

CURSOR = Format(Cursor.name, "Cursor", reader=Cursor, repeated_by=CursorCli.name)

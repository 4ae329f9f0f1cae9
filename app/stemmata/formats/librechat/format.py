"""The declaration of LibreChat's format."""

from __future__ import annotations

from stemmata.formats.librechat.reader import LibreChat
from stemmata.formats.shared.format import Format

LIBRECHAT = Format(LibreChat.name, "LibreChat", reader=LibreChat)

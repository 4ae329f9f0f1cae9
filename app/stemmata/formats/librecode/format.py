"""The declaration of librecode's format."""

from __future__ import annotations

from stemmata.formats.librecode.reader import Librecode
from stemmata.formats.shared.format import Format

LIBRECODE = Format(Librecode.name, "librecode", reader=Librecode)

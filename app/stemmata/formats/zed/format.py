"""The declaration of Zed's format."""

from __future__ import annotations

from stemmata.formats.shared.format import Format
from stemmata.formats.zed.reader import Zed

ZED = Format(Zed.name, "Zed", reader=Zed)

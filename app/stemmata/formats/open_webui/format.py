"""The declaration of Open WebUI's format."""

from __future__ import annotations

from stemmata.formats.open_webui.reader import OpenWebui
from stemmata.formats.shared.format import Format

OPEN_WEBUI = Format(OpenWebui.name, "Open WebUI", reader=OpenWebui)

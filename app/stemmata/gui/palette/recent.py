"""What was lately chosen in the palette: it is offered first."""

from __future__ import annotations

from PySide6.QtCore import QSettings

MOST = 30
_CHOSEN = "palette/chosen"


class PaletteMemory:
    """Names of choices, the latest first: `action:export`, `session:1a2b3c`. All windows share them."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def names(self) -> list[str]:
        text = self._settings.value(_CHOSEN)
        return text.split() if isinstance(text, str) else []

    def put(self, name: str) -> None:
        others = [other for other in self.names if other != name]
        self._settings.setValue(_CHOSEN, " ".join([name, *others][:MOST]))

"""`Import 19 sessions`: the button under a table of what was found."""

from __future__ import annotations

from PySide6.QtCore import Signal

from stemmata.gui.importing.discovered_table import DiscoveredTable
from stemmata.gui.widgets.buttons import PushButton


class ImportButton(PushButton):
    """Says how much is ticked in the table, and asks for the import of that."""

    import_requested = Signal(list)  # list[str], paths

    def __init__(self, table: DiscoveredTable) -> None:
        super().__init__()
        self._table = table
        self.setProperty("primary", True)
        self.clicked.connect(lambda: self.import_requested.emit(table.paths))
        table.selection_changed.connect(self._show_count)
        self._show_count()

    def _show_count(self) -> None:
        count = self._table.count
        what = self.tr("%Ln sessions", None, count) if count else ""
        self.setText(self.tr("Import {0}").format(what).strip())
        self.setEnabled(count > 0)

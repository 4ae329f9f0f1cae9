"""“Keep following these folders”: the box under a table of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox

from stemmata.domain.settings.following import changed_setting, setting_of
from stemmata.gui.importing.discovered_table import DiscoveredTable, short_path


class FollowBox(QCheckBox):
    """Concerns the folders that are ticked in the table."""

    def __init__(self, table: DiscoveredTable) -> None:
        super().__init__()
        self._table = table
        self._followed: Sequence[str] | None = None
        self.setObjectName("followBox")
        self.setText(self.tr("Keep following these folders"))
        self.setAccessibleDescription(
            self.tr("What the tools write from now on is imported by itself while Stemmata is open.")
        )
        self.setToolTip(self.accessibleDescription())
        table.selection_changed.connect(self._on_selection_changed)

    def show_followed(self, folders: Sequence[str]) -> None:
        """Tick the box if all the ticked folders are followed already, now and whenever others are ticked."""
        self._followed = tuple(map(short_path, folders))
        self._on_selection_changed()

    def setting(self, followed: Sequence[str], folders: Sequence[str] = ()) -> str | None:
        """What the setting of followed folders is to be; None to leave it as it is.

        It is about these `folders`, without any about those that are ticked.
        """
        before = setting_of(map(short_path, followed))
        named = list(map(short_path, folders)) or self._folders
        after = changed_setting(before, named, on=self.isChecked())
        return None if after == before else after

    @property
    def _folders(self) -> list[str]:
        """As people write them."""
        return list(map(short_path, self._table.folders))

    def _on_selection_changed(self) -> None:
        if self._followed is not None:
            folders = self._folders
            self.setChecked(bool(folders) and set(folders) <= set(self._followed))

"""The notice that a tool's own clean-up is about to delete sessions that are not in the archive."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from time import time_ns
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QLocale, QObject, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.labels import label

if TYPE_CHECKING:
    from stemmata.domain.sources.session_files import EndangeredFiles

SOON_MS = 5_000  # after the window was wired: the folders are looked through once everything else is there
AGAIN_MS = 6 * 3_600_000
DISMISSED = "clean-up"  # the name of the dismissed files in the saved state of the window


class CleanUpNotice(QWidget):
    """A line at the top of the window with an action and a button that closes it."""

    import_requested = Signal(list)  # paths
    dismissed = Signal(list)  # paths

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.files: list[str] = []
        self._icon = QLabel()
        self._text = label(wrap=True)
        self.take = push_button(self.tr("Import now"), self._on_import)
        self.close_button = IconButton(theme, "close", self.tr("Close"))
        self.close_button.clicked.connect(self._on_closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[6], metrics.SPACE[3], metrics.SPACE[4], metrics.SPACE[3])
        row.setSpacing(metrics.SPACE[5])
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.take)
        row.addWidget(self.close_button)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def text(self) -> str:
        """The displayed message."""
        return self._text.text()

    def show_endangered(self, found: Sequence[EndangeredFiles]) -> None:
        """Show which tools will delete how many sessions, and when; hide the line for none."""
        self.files = [file for one in found for file in one.files]
        text = " ".join(self._sentence(one) for one in found)
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(found))
        if found:
            announce(self, text)

    def _sentence(self, one: EndangeredFiles) -> str:
        count = self.tr("%Ln sessions are not in the archive", None, len(one.files))
        if one.first <= time_ns():
            return self.tr("{0} deletes sessions {1} days after their last use. {2}, and may be deleted now.").format(
                one.name, one.days, count
            )
        day = datetime.fromtimestamp(one.first / 1e9)
        date = QLocale().toString(QDate(day.year, day.month, day.day), "d\u00a0MMM")
        return self.tr(
            "{0} deletes sessions {1} days after their last use. {2}, and may be deleted from {3} on."
        ).format(one.name, one.days, count, date)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("label_bg"))
        painter.end()

    def _on_import(self) -> None:
        self.hide()
        self.import_requested.emit(self.files)

    def _on_closed(self) -> None:
        self.hide()
        self.dismissed.emit(self.files)

    def _restyle(self) -> None:
        self.update()
        self._icon.setPixmap(self._theme.pixmap("warning", "warning", ratio=self.devicePixelRatioF()))


class CleanUpController(QObject):
    """Looks for endangered files some seconds after the start and every few hours, and shows the notice.

    The notice does not return for files for which the user closed it. Files in followed folders are imported anyway.
    """

    import_requested = Signal(list)  # paths

    def __init__(
        self,
        shared: WindowContext,
        notice: Callable[[], CleanUpNotice],
        kept: Callable[[str], str],
        keep: Callable[[str, str], None],
        parent: QObject,
    ) -> None:
        """Create the controller. `kept` and `keep` read and write the saved state of the window by name."""
        super().__init__(parent)
        self._services, self._bridge = shared.services, shared.bridge
        self._make, self._kept, self._keep = notice, kept, keep
        self._run = LatestOnly()
        self._notice: CleanUpNotice | None = None  # created when it is first needed
        self._timer = QTimer(self, interval=SOON_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def close(self) -> None:
        """Stop looking for sessions that will be deleted."""
        self._timer.stop()

    def look(self) -> None:
        """Look for sessions that their tool will delete soon and that the archive lacks, in whole or in part."""
        self._timer.setInterval(AGAIN_MS)
        found = self._services.clean_ups.endangered(self._services.followed)
        self._bridge.when_done(found, self._show, lambda _error: None, run=self._run)

    def look_again(self) -> None:
        """Update the notice after an import."""
        if self._notice is not None and not self._notice.isHidden():
            self.look()

    def _show(self, found: list[EndangeredFiles]) -> None:
        known = self._dismissed()
        is_new = any(file not in known for one in found for file in one.files)
        if self._notice is None and is_new:
            self._notice = self._make()
            self._notice.import_requested.connect(self.import_requested)
            self._notice.dismissed.connect(self._dismiss)
        if self._notice is not None:
            self._notice.show_endangered(found if is_new else ())

    def _dismissed(self) -> frozenset[str]:
        try:
            found = json.loads(self._kept(DISMISSED) or "[]")
        except ValueError:
            return frozenset()
        return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()

    def _dismiss(self, files: list[str]) -> None:
        self._keep(DISMISSED, json.dumps(files))

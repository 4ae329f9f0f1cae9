"""A window for when there is none yet: an archive of an earlier version is being brought up to date."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from stemmata.assets import resource
from stemmata.gui.core.language import Language
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme, scheme_of
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.window.application import qt_application

if TYPE_CHECKING:
    from stemmata.gui.window.application import WindowSettings


def wait_for(opened: Future[None], window: WindowSettings) -> None:
    """Until the archive is open, or cannot be opened."""
    qt = qt_application()
    language = Language(qt, resource("i18n"), window.language)
    theme = Theme(scheme_of(window.theme), window.font_scale)
    theme.apply(qt)
    waiting = UpgradeWindow(theme, opened)
    try:
        waiting.show()
        waiting.loop.exec()
    finally:
        waiting.hide()
        waiting.deleteLater()
        theme.deleteLater()
        language.remove()


class UpgradeWindow(QWidget):
    """`loop` ends with the future, and not before: what is left half done would only be begun again."""

    _done = Signal()  # from the thread that opens the archive

    def __init__(self, theme: Theme, opened: Future[None]) -> None:
        super().__init__()
        self.setObjectName("upgradeWindow")
        self.setWindowTitle(self.tr("Stemmata"))
        self.setFixedWidth(theme.px(metrics.PALETTE))
        set_surface(self, "bg")
        self.loop = QEventLoop(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[6])
        column.addWidget(label(self.tr("The archive is brought up to date"), "heading"))
        about = self.tr("An earlier version wrote it. This happens once, and a copy of the archive is kept.")
        column.addWidget(label(about, wrap=True))
        bar = QProgressBar()
        bar.setRange(0, 0)  # nobody knows how long
        bar.setTextVisible(False)
        bar.setAccessibleName(self.tr("Bringing the archive up to date"))
        column.addWidget(bar)
        self._done.connect(self.loop.quit, Qt.ConnectionType.QueuedConnection)
        opened.add_done_callback(lambda _future: self._done.emit())

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()

"""The dialog with the version, the licences, and the ways to the pages of the documentation."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, qVersion
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label

LICENCES = {
    "anthropic": "Apache 2.0", "click": "BSD 3", "keyring": "MIT", "markdown-it-py": "MIT", "mdit-py-plugins": "MIT",
    "openai": "Apache 2.0", "orjson": "MPL 2.0 and Apache 2.0", "peewee": "MIT", "platformdirs": "MIT",
    "Pygments": "BSD 2", "PySide6": "LGPL 3", "regex": "Apache 2.0 and CNRI", "tomlkit": "MIT", "watchfiles": "MIT",
    "wcwidth": "MIT", "zstandard": "BSD 3",
}  # fmt: skip


class AboutDialog(QDialog):
    """A dialog, not modal, that deletes itself when it is closed."""

    page_requested = Signal(str)  # a page of the documentation
    copy_requested = Signal(str)  # the version, for a report

    def __init__(self, theme: Theme, parent: QWidget, version: str) -> None:
        super().__init__(parent)
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About Stemmata"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self.version = label(version, "dim")
        self.version.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = push_button(self.tr("Copy version"), lambda: self.copy_requested.emit(f"Stemmata {version}"))
        self.guide = push_button(self.tr("Guide"), lambda: self.page_requested.emit("guide"))
        self.news = push_button(self.tr("What’s new"), lambda: self.page_requested.emit("changelog"))
        self.close_button = push_button(self.tr("Close"), self.close, look="primary")
        self._lay_out()
        self.close_button.setDefault(True)
        self.close_button.setFocus()

    def sizeHint(self) -> QSize:
        """Return the width of the theme, and the height that the texts need in it."""
        width, layout = self._theme.px(metrics.ABOUT), self.layout()
        return QSize(width, 0 if layout is None else layout.totalHeightForWidth(width))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[4])
        column.addWidget(label("Stemmata", "heading"))
        column.addWidget(self.version)
        told = self.tr("The session trees of your agents and model chats, in one local archive.")
        column.addWidget(label(told, wrap=True))
        column.addSpacing(metrics.SPACE[4])
        column.addWidget(label(self.tr("Licences"), "section"))
        own = self.tr("Stemmata is free software under the MIT licence. Qt {0} is under the LGPL 3.")
        column.addWidget(label(own.format(qVersion()), wrap=True))
        column.addWidget(self._licences())
        column.addSpacing(metrics.SPACE[5])
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        for button in (self.guide, self.news, self.copy):
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        column.addLayout(foot)

    def _licences(self) -> QLabel:
        """Return the sentence that names each library with its licence."""
        libraries = (f"{name} ({licence})".replace(" ", "\N{NO-BREAK SPACE}") for name, licence in LICENCES.items())
        return label(self.tr("Stemmata uses {0}.").format(", ".join(libraries)), "small", wrap=True)

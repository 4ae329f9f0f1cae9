"""What an empty archive shows: what was found on this machine, and what can be done first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from stemmata.domain.entries.session_facts import Discovered
from stemmata.gui.importing.discovered_table import DiscoveredTable, FollowBox, ImportButton
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import absolute, label, set_property
from stemmata.gui.widgets.surface import set_surface


class Paragraph(QLabel):
    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if role:
            self.setProperty("role", role)

    def heightForWidth(self, width: int) -> int:
        around = 2 * self.margin()
        lines = self._laid_out(max(width - around, 1)).lineCount()
        return max(lines, 1) * self._distance + around

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self.heightForWidth(hint.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self._distance)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        place = self.contentsRect().adjusted(self.margin(), self.margin(), -self.margin(), -self.margin())
        layout = self._laid_out(max(place.width(), 1))
        free = place.height() - layout.lineCount() * self._distance
        top = 0 if self.alignment() & Qt.AlignmentFlag.AlignTop else free / 2
        layout.draw(painter, QPointF(place.left(), place.top() + max(top, 0)))
        painter.end()

    @property
    def _distance(self) -> int:
        return max(self.fontMetrics().height(), round(self.font().pixelSize() * metrics.LINE_PERCENT / 100))

    def _laid_out(self, width: int) -> QTextLayout:
        option = QTextOption(
            absolute(self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask, self.layoutDirection())
        )
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout = QTextLayout(self.text().replace("\n", "\N{LINE SEPARATOR}"), self.font())
        layout.setTextOption(option)
        layout.beginLayout()
        inset = (self._distance - self.fontMetrics().height()) / 2
        line, top = layout.createLine(), inset
        while line.isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            line, top = layout.createLine(), top + self._distance
        layout.endLayout()
        return layout


class WelcomeView(QWidget):
    """Asks for imports and for the demo; does nothing itself."""

    import_requested = Signal(list)  # list[str], paths
    choose_requested = Signal()
    demo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("welcomeView")
        set_surface(self, "bg")
        self._theme = theme
        self.table = DiscoveredTable(theme)
        self.import_button = ImportButton(self.table)
        self.import_button.import_requested.connect(self.import_requested)
        self.follow_box = FollowBox(self.table)
        self.follow_box.setChecked(True)
        self.demo_button = push_button(self.tr("Open the demo"), self.demo_requested.emit)
        self.choose_button = push_button(self.tr("Choose files…"), self.choose_requested.emit)
        self.connect_button = push_button(self.tr("Connect…"))
        self.chat_button = push_button(self.tr("New chat"), look="primary")
        self.chat_button.hide()
        self._column = self._build()
        self._show_ways(found=False)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_discovered(self, found: Sequence[Discovered]) -> None:
        """The focus goes on to what is found, unless somebody has put it elsewhere meanwhile."""
        is_first = self.window().focusWidget() in (None, self.choose_button)
        self.table.show_discovered(found)
        self._show_ways(found=bool(found))
        if is_first and self.isVisible():
            self.take_focus()

    def _show_ways(self, *, found: bool) -> None:
        """With nothing to tick there is nothing to follow either, and choosing files is what is left."""
        self.follow_box.setVisible(found)
        self.import_button.setVisible(found)
        set_property(self.choose_button, "primary", not found)

    def take_focus(self) -> None:
        """What most people do first has it: import what was found, or look for it."""
        (self.import_button if self.import_button.isEnabled() else self.choose_button).setFocus()

    def show_connection(self, name: str) -> None:
        """The one that answers, "" for none yet: then there is nothing to chat with."""
        self.chat_button.setVisible(bool(name))
        self._connected.setText(self.tr("Connected to {0}.").format(name))
        self._connected.setVisible(bool(name))

    # -- layout -----------------------------------------------------------------------------------------------

    def _build(self) -> QWidget:
        column = QWidget()
        inner = QVBoxLayout(column)
        inner.setContentsMargins(metrics.SPACE[7], metrics.SPACE[8], metrics.SPACE[7], metrics.SPACE[8])
        inner.setSpacing(metrics.SPACE[6])
        inner.addStretch(1)
        head = QVBoxLayout()
        head.setSpacing(metrics.SPACE[2])
        head.addWidget(label(self.tr("Your sessions, as the trees they are"), "heading"))
        text = self.tr("Sources are only read, never changed; what you import is kept even if a tool deletes it.")
        head.addWidget(Paragraph(text, "dim"))
        inner.addLayout(head)
        inner.addWidget(self._found_card())
        cards = QHBoxLayout()
        cards.setSpacing(metrics.SPACE[6])
        cards.addWidget(self._demo_card(), 1)
        cards.addWidget(self._model_card(), 1)
        inner.addLayout(cards)
        inner.addWidget(label(self.tr("Or drop files anywhere in this window."), "faint"))
        inner.addStretch(2)
        self._centre(column)
        return column

    def _centre(self, column: QWidget) -> None:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(column, 1000)  # the column first, up to its greatest width
        row.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what has the focus in it
        scroll.setWidget(holder)
        holder.setAutoFillBackground(False)
        scroll.viewport().setAutoFillBackground(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def _found_card(self) -> QFrame:
        card, inner = _card()
        inner.addWidget(self.table)
        rule = QFrame()
        set_surface(rule, edge="top")
        rule.setFixedHeight(metrics.BORDER)
        inner.addWidget(rule)
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[5])
        foot.addWidget(self.follow_box)
        foot.addStretch(1)
        foot.addWidget(self.choose_button)
        foot.addWidget(self.import_button)
        inner.addLayout(foot)
        return card

    def _demo_card(self) -> QFrame:
        card, inner = _card()
        inner.addWidget(label(self.tr("Just look around"), "title"))
        inner.addWidget(Paragraph(self.tr("A demo session with branches and a compaction."), "dim"))
        inner.addStretch(1)  # buttons of cards beside each other stand in one line
        inner.addWidget(self.demo_button, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _model_card(self) -> QFrame:
        card, inner = _card()
        inner.addWidget(label(self.tr("Connect a model"), "title"))
        text = self.tr(
            "With a key, which stays in your keyring, or a server on this machine. Not needed to browse, fork, "
            "search and compact with the digest."
        )
        inner.addWidget(Paragraph(text, "dim"))
        self._connected = label("", "good", wrap=True)
        self._connected.hide()
        inner.addWidget(self._connected)
        buttons = QHBoxLayout()
        buttons.setSpacing(metrics.SPACE[4])
        buttons.addWidget(self.chat_button)
        buttons.addWidget(self.connect_button)
        buttons.addStretch(1)
        inner.addStretch(1)
        inner.addLayout(buttons)
        return card

    def _restyle(self) -> None:
        self._column.setMaximumWidth(self._theme.px(metrics.WELCOME + 2 * metrics.SPACE[7]))


def _card() -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setProperty("card", True)
    inner = QVBoxLayout(card)
    inner.setContentsMargins(metrics.SPACE[7], metrics.SPACE[6], metrics.SPACE[7], metrics.SPACE[6])
    inner.setSpacing(metrics.SPACE[4])
    return card, inner

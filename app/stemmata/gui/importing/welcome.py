"""The page shown for an empty archive: import discovered sessions, open the demo, or connect a model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.importing.discovered_table import DiscoveredTable, FollowBox, ImportButton
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import absolute, label, set_property
from stemmata.gui.widgets.surface import set_surface


class Paragraph(QLabel):
    """A wrapped plain text with the line height of the theme, which QLabel does not support."""

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if role:
            self.setProperty("role", role)

    def heightForWidth(self, width: int) -> int:
        """Return the height of the wrapped text."""
        around = 2 * self.margin()
        lines = self._laid_out(max(width - around, 1)).lineCount()
        return max(lines, 1) * self._distance + around

    def sizeHint(self) -> QSize:
        """Return the label's width with the height of the wrapped text."""
        hint = super().sizeHint()
        return QSize(hint.width(), self.heightForWidth(hint.width()))

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(super().minimumSizeHint().width(), self._distance)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the wrapped lines."""
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
    """The welcome page. Its buttons emit requests that controllers carry out."""

    import_requested = Signal(list)  # list[str], paths
    choose_requested = Signal()
    demo_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        """Show the discovered sessions.

        The focus moves to the import button unless the user moved it elsewhere.
        """
        is_first = self.window().focusWidget() in (None, self.choose_button)
        self.table.show_discovered(found)
        self._show_ways(found=bool(found))
        if is_first and self.isVisible():
            self.take_focus()

    def _show_ways(self, *, found: bool) -> None:
        """Show the controls that apply; without discovered sessions, choosing files is the primary action."""
        self.follow_box.setVisible(found)
        self.import_button.setVisible(found)
        set_property(self.choose_button, "primary", not found)

    def take_focus(self) -> None:
        """Give the focus to the primary action: import, or choose files."""
        (self.import_button if self.import_button.isEnabled() else self.choose_button).setFocus()

    def show_connection(self, name: str) -> None:
        """Show the connected model and the button for a new chat; "" hides both."""
        self.chat_button.setVisible(bool(name))
        self._connected.setText(self.tr("Connected to {0}.").format(name))
        self._connected.setVisible(bool(name))

    # -- layout -----------------------------------------------------------------------------------------------

    def _build(self) -> QWidget:
        column = QWidget()
        inner = QVBoxLayout(column)
        inner.setContentsMargins(metrics.SPACE[7], metrics.SPACE[8], metrics.SPACE[7], metrics.SPACE[8])
        inner.setSpacing(metrics.SPACE[6])
        self._centre(column)
        inner.addStretch(1)
        head = QVBoxLayout()
        head.setSpacing(metrics.SPACE[2])
        head.addWidget(label(self.tr("See your sessions as trees"), "heading"))
        text = self.tr(
            "Session files are never changed. Imported sessions are kept even if a tool deletes its files."
        )
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
        return column

    def _centre(self, column: QWidget) -> None:
        """Show the column in the middle. It is empty, see `lay_out_column`."""
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(column, 1000)  # the column takes all space up to its maximum width
        row.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the focused widget
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
        foot.setContentsMargins(0, metrics.SPACE[6] - metrics.SPACE[4], 0, 0)  # as far from the rule as from the edge
        foot.setSpacing(metrics.SPACE[5])
        foot.addWidget(self.follow_box)
        foot.addStretch(1)
        foot.addWidget(self.choose_button)
        foot.addWidget(self.import_button)
        inner.addLayout(foot)
        return card

    def _demo_card(self) -> QFrame:
        card, inner = _card()
        inner.addWidget(label(self.tr("Try the demo"), "title"))
        inner.addWidget(Paragraph(self.tr("A demo session with branches and a compaction."), "dim"))
        inner.addStretch(1)  # aligns the buttons of neighbouring cards
        inner.addWidget(self.demo_button, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _model_card(self) -> QFrame:
        card, inner = _card()
        inner.addWidget(label(self.tr("Connect a model"), "title"))
        text = self.tr(
            "Use an API key, which is stored in your keyring, or a server on this machine. Browsing, forking, "
            "searching and compacting with the digest work without a model."
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

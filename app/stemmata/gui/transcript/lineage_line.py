"""The line below the header that names the sessions before and after the shown one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from stemmata.domain.sessions.lineage import ForkPoint, Lineage, Relation
from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions.words import came_from, goes_on_as, started_agents
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import PushButton
from stemmata.gui.widgets.labels import literal, set_plain_tip, shortened
from stemmata.gui.widgets.surface import set_surface


class SessionLink(PushButton):
    """A link to a session. Its text is elided when the line is too narrow; the tooltip has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self.key: int | None = None
        self.setProperty("link", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def show_session(self, key: int | None, words: str) -> None:
        """Link to the session with this key, or hide the link for None."""
        self.key, self._words = key, shortened(words)
        self.setVisible(key is not None)
        self.setAccessibleName(self._words)
        set_plain_tip(self, self._words)
        self.updateGeometry()
        self._fit()

    @property
    def words(self) -> str:
        """The text of the line, which may be elided on the screen."""
        return self._words

    def sizeHint(self) -> QSize:
        """Return the size for the whole text."""
        hint, measures = super().sizeHint(), self.fontMetrics()
        more = measures.horizontalAdvance(self._words) - self._shown_width()
        return QSize(hint.width() + more + 1, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 3, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        measures = self.fontMetrics()
        around = super().sizeHint().width() - self._shown_width()
        room = self.width() - around
        text = literal(measures.elidedText(self._words, Qt.TextElideMode.ElideRight, max(room, 0)))
        if text != self.text():
            self.setText(text)

    def _shown_width(self) -> int:
        return self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text()).width()


class LineageLine(QWidget):
    """Links to the sessions before and after the displayed one, and to its first agent; hidden without any."""

    session_wanted = Signal(int, object)  # store key, key of the entry to go to or None
    pressed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        set_surface(self, "bg", "bottom")
        self._theme = theme
        self._point: int | None = None  # the entry of the session before at which this one was forked
        self.before, self.after, self.agents = SessionLink(), SessionLink(), SessionLink()
        row = QHBoxLayout(self)
        edge = metrics.SPACE[6] - metrics.SPACE[2] - metrics.BORDER  # a link's text begins where the title does
        row.setContentsMargins(edge, 0, edge, 0)
        row.setSpacing(metrics.SPACE[6])
        for link in (self.before, self.after, self.agents):
            link.pressed.connect(self.pressed)
            link.clicked.connect(lambda _checked=False, link=link: self._follow(link))
            row.addWidget(link)
        row.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_session(self, session: Session | None, lineage: Lineage, point: ForkPoint | None = None) -> None:
        """Show the sessions before and after a session, and its agents; None for no session.

        `point` is the entry at which the session was forked, None when that is not known.
        """
        before = None if session is None else lineage.before(session)
        after = None if session is None else lineage.after(session)
        relation = None if session is None else lineage.relation(session)
        came = "" if before is None or relation is None else came_from(before, relation, point)
        self._point = point.entry if point is not None and relation is Relation.FORKED else None
        self.before.show_session(None if before is None else before.key, came)
        goes = None if after is None else lineage.relation(after)
        self.after.show_session(
            None if after is None else after.key,
            "" if after is None or goes is None else goes_on_as(after, goes),
        )
        agents = [] if session is None else lineage.agents(session)
        self.agents.show_session(agents[0].key if agents else None, started_agents(agents))
        self.setVisible(bool(before or after or agents))

    def _follow(self, link: SessionLink) -> None:
        if link.key is not None:
            self.session_wanted.emit(link.key, self._point if link is self.before else None)

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.MENU_ROW))

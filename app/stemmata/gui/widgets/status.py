"""The status line at the foot of the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from stemmata.domain.sessions.session import Session
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import dollars, size_text, tokens_text
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip, set_property
from stemmata.gui.widgets.surface import set_surface


class WorkStrip(QWidget):
    """The progress of long work. It shows one task, the latest, and is hidden while none runs."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("workStrip")
        self._theme = theme
        self._cancel: Callable[[], object] = lambda: None
        self._text = label("", "small")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.button = push_button(self.tr("Cancel"), self._on_clicked, look="link")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._text)
        row.addWidget(self.bar)
        row.addWidget(self.button)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def begin(self, text: str, cancel: Callable[[], object]) -> None:
        """Show a task of unknown length. Its Cancel button calls `cancel`, at most once."""
        self._cancel = cancel
        self.button.setEnabled(True)
        self.show_progress(text, 0, 0)
        self.show()

    def show_progress(self, text: str, done: int, total: int) -> None:
        """Show the progress of the task; a total of 0 means that the length is unknown."""
        self._text.setText(text)
        self.bar.setAccessibleName(text)
        self.bar.setRange(0, total)
        self.bar.setValue(done)

    def end(self) -> None:
        """Hide the strip, since its task has ended."""
        self._cancel = lambda: None
        self.hide()

    @property
    def text(self) -> str:
        """The displayed text."""
        return self._text.text()

    def _on_clicked(self) -> None:
        self.button.setEnabled(False)
        cancel, self._cancel = self._cancel, lambda: None
        cancel()

    def _restyle(self) -> None:
        self.bar.setFixedWidth(self._theme.px(metrics.CHART))


class StatusLine(QWidget):
    """The status line: model, size of the archive, totals of the open session, and the auto-compaction trigger."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("statusLine")
        set_surface(self, "panel", "top")
        self._theme = theme
        self._run = label("", "small")
        self._run.hide()
        self._archive = label("", "small")
        self._session = ElidedLabel("", "small")
        self._trigger = label("", "small")
        self.offer = push_button("", lambda: None, look="link")  # the action of the last message
        self.offer.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click hides it, and the focus would go elsewhere
        self.offer.hide()
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[6], 0, metrics.SPACE[6], 0)
        row.setSpacing(metrics.SPACE[7])
        row.addWidget(self._run)
        row.addWidget(self._archive)
        row.addWidget(self._session, 1)
        row.addWidget(self.offer)
        row.addWidget(self._trigger)
        theme.changed.connect(self._restyle)
        self._restyle()

    @cached_property
    def work(self) -> WorkStrip:
        """The progress strip, created on first use."""

        made = WorkStrip(self._theme)
        self._row.insertWidget(self._row.indexOf(self._trigger), made)
        return made

    @cached_property
    def prune(self) -> QPushButton:
        """The link that prunes, for windows without the context column; it is created on first use."""
        made = push_button(self.tr("Prune tool output"), look="link")
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._row.insertWidget(self._row.indexOf(self.offer), made)
        return made

    def show_archive(self, totals: Mapping[str, int]) -> None:
        """Show the totals of the archive."""
        count = totals.get("sessions", 0)  # an empty archive has no size worth showing
        sessions = self.tr("%Ln sessions", None, count)
        self._archive.setText(f"{sessions} · {size_text(totals.get('bytes', 0))}" if count else "")

    def show_run(self, text: str, *, is_calm: bool = True) -> None:
        """Show the connection (`● Anthropic`) or the state of a run; "" when no model is connected."""
        set_property(self._run, "role", "small" if is_calm else "warning")
        self._run.setText(f"● {text}" if text else "")
        self._run.setVisible(bool(text))

    def show_session(self, session: Session | None) -> None:
        """Show the totals of a session; None when none is open."""
        self._session.setText("" if session is None else self._facts(session))

    def show_offer(self, text: str, action: str) -> None:
        """Show the action of the last message; the message is its tooltip. Nothing for ""."""
        self.offer.setText(action)
        self.offer.setAccessibleDescription(text)
        set_plain_tip(self.offer, text)
        self.offer.setVisible(bool(action))

    @property
    def has_offer(self) -> bool:
        """Whether an action is shown."""
        return not self.offer.isHidden()

    def show_trigger(self, trigger: int | None) -> None:
        """Show the size at which auto-compaction starts, in tokens; None when the model's window is unknown."""
        text = "" if trigger is None else self.tr("Auto-compact at {0}").format(tokens_text(trigger))
        self._trigger.setText(text)

    @property
    def run_text(self) -> str:
        """The displayed state of the connection or run."""
        return self._run.text()

    @property
    def texts(self) -> tuple[str, str, str]:
        """The texts of archive, session and trigger."""
        return self._archive.text(), self._session.text(), self._trigger.text()

    def _facts(self, session: Session) -> str:
        parts = [self.tr("%Ln entries", None, session.entries)]
        parts.append(self.tr("%Ln branches", None, session.branches))
        if session.compactions:
            parts.append(self.tr("%Ln compactions", None, session.compactions))
        if session.cost:
            parts.append(dollars(session.cost))
        return self.tr("This session: {0}").format(" · ".join(parts))

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.STATUS_BAR))

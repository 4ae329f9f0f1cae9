"""The compaction workbench: the column beside the previewed transcript, with the summary to be edited."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.entries.path_totals import Category
from stemmata.gui.compaction.summary_editor import SummaryEditor
from stemmata.gui.context.breakdown import segments_of
from stemmata.gui.context.compact_block import KeepSlider, Offer, doubt_text, entries_text, keep_text, pruning_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.context_words import figure_text, tokens_text
from stemmata.gui.widgets.figures import change
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import label, plain_tip, set_plain_tip, set_property
from stemmata.gui.widgets.stacked_bar import StackedBar
from stemmata.gui.widgets.surface import Fact, Section, lay_out_column, line, set_surface
from stemmata.gui.widgets.wrapping import WrappingRow

LONGEST_NAME = 30  # characters


class SummaryWriter(QWidget):
    """A line with the model and what may be done, and under it what is going on or went wrong."""

    model_requested = Signal()
    write_requested = Signal()
    cancel_requested = Signal()
    digest_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = push_button("", self.model_requested.emit, look="chip")
        self.write = push_button("", self.write_requested.emit)
        self.cancel = push_button(self.tr("Cancel writing"), self.cancel_requested.emit)
        self.digest = push_button(self.tr("Use the digest instead"), self.digest_requested.emit)
        self._told = label("", "small", wrap=True)
        self._name = ""
        self._is_own = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(metrics.SPACE[3])
        column.addWidget(self._told)
        model = QHBoxLayout()
        model.addWidget(self.model)
        model.addStretch(1)  # a button is as wide as its words
        chosen = QWidget()
        model.setContentsMargins(0, 0, 0, 0)
        chosen.setLayout(model)
        column.addLayout(WrappingRow(chosen, *self._buttons()))

    @property
    def told(self) -> str:
        return self._told.text()

    def show_model(self, name: str) -> None:
        """By its id, "" for none."""
        self._name = name.rpartition("/")[2]
        brief = self._name if len(self._name) <= LONGEST_NAME else f"{self._name[: LONGEST_NAME - 1]}…"
        self.model.setText(brief if self._is_own else f"{brief or self.tr('Choose a model')} ▾")
        self.model.setAccessibleName(self.tr("Model that writes the summary: {0}").format(name or "—"))
        set_plain_tip(self.model, name)
        self.write.setEnabled(bool(name))

    def show_own(self, *, on: bool) -> None:
        """The server of the session's model writes: another one could not be sent what it signs."""
        self._is_own = on

    def show_waiting(self, *, again: bool = False) -> None:
        """Nothing is asked of a model before somebody says so: it costs. `again`: what it wrote is out of date."""
        outdated = self.tr("What is summarised has changed since this was written.")
        asked = self.tr("The model is asked when you say so.")
        if self._is_own:
            asked = self.tr("The provider is asked when you say so. It signs its summary.")
        self._show(outdated if again else asked, self.write)
        self.write.setText(self.tr("Write again") if again else self.tr("Write summary"))

    def show_writing(self) -> None:
        self._show(self.tr("{0} writes the summary…").format(self._name), self.cancel)
        announce(self, self.told)

    def show_written(self, told: str = "") -> None:
        """`told`: what is to be known of it."""
        self._show(told, self.write)
        self.write.setText(self.tr("Write again"))

    def show_problem(self, problem: str) -> None:
        self._show(problem, self.digest, self.write)
        self.write.setText(self.tr("Try again"))
        set_property(self._told, "role", "error")
        announce(self, problem)

    def _show(self, told: str, *offered: QPushButton) -> None:
        set_property(self._told, "role", "small")
        self._told.setText(told)
        self._told.setVisible(bool(told))
        self.model.setEnabled(self.cancel not in offered and not self._is_own)
        had_focus = any(button.hasFocus() for button in self._buttons())
        for button in self._buttons():
            button.setVisible(button in offered)
        if had_focus:
            offered[0].setFocus()

    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.digest, self.cancel, self.write


def tr(text: str) -> str:
    return QCoreApplication.translate("WorkbenchPanel", text)


class CompactionSizes(Section):
    """The parts add up to the bars: what is summarised, pinned and kept to the one, the rest to the other."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("")
        self.title.setText(tr("Before"))
        self._before, self._after = StackedBar(theme, name=tr("Before")), StackedBar(theme, name=tr("After"))
        self.body.addWidget(self._before)
        self.left = Section(tr("After"))
        self.left.body.setContentsMargins(0, metrics.SPACE[2], 0, 0)
        self.left.body.addWidget(self._after)
        self.facts = {
            "summary": Fact(tr("Summary")),
            "pinned": Fact(tr("Pinned")),
            "kept": Fact(tr("Kept word for word")),
            "summarised": Fact(tr("Summarised")),
            "dropped": Fact(tr("Tool output left out")),
            "system": Fact(tr("System and tools")),
        }
        for fact in self.facts.values():
            self.left.body.addWidget(fact)
        self.body.addWidget(self.left)

    def show_offer(self, offer: Offer) -> None:
        self.note.setText(self._before_text(offer))
        saved = offer.saved_percent
        changed = "" if saved is None else f" · {change(-saved)}"
        self.left.note.setText(figure_text(offer.after.total) + changed)
        set_property(self.left.note, "role", "changed")
        whole = offer.before.window or offer.before.total.value or 0
        self._before.set_segments(segments_of(offer.before), whole)
        self._after.set_segments(segments_of(offer.after), whole)
        self._show_facts(offer)

    def _show_facts(self, offer: Offer) -> None:
        plan, facts, emptied = offer.preview.plan, self.facts, offer.forecast.emptied
        facts["summary"].set_value(figure_text(offer.summary))
        for name, count, figure in (
            ("pinned", len(plan.pinned), offer.pinned),
            ("kept", len(plan.kept), offer.kept),
            ("summarised", offer.summarised, offer.replaced),
            ("dropped", emptied, offer.dropped),
        ):
            facts[name].set_value(f"{entries_text(count)} · {figure_text(figure)}")
        facts["pinned"].setVisible(bool(plan.pinned))
        facts["dropped"].setVisible(bool(emptied))
        facts["system"].set_value(figure_text(offer.after.categories[Category.SYSTEM]))

    def _before_text(self, offer: Offer) -> str:
        total = figure_text(offer.before.total)
        window = offer.before.window
        return total if window is None else tr("{0} of {1}").format(total, tokens_text(window))


TYPING_MS = 400  # a focus is taken up when typing pauses
MODEL, DIGEST, PROVIDER = 0, 1, 2  # who writes the summary


class WorkbenchPanel(QWidget):
    """Shows an offer and the drafted summary; everything that is decided here is asked for by a signal."""

    keep_changed = Signal(int)  # tokens
    prune_first_changed = Signal(bool)
    focus_changed = Signal(str)
    way_chosen = Signal(int)  # who is to write the summary
    accepted = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("workbenchPanel")
        set_surface(self, "panel")
        self._theme = theme
        self.header = ColumnHeader(theme, self.tr("Compact"))
        self.sizes = CompactionSizes(theme)
        self.keep = KeepSlider()
        self.prune_first = QCheckBox(self.tr("Prune tool output first"))
        self._prune_effect = label("", "dim")
        self.new_session = QCheckBox(self.tr("Continue in a new session"))
        self.focus = QLineEdit()
        self.focus.setPlaceholderText(self.tr("Focus on… (optional)"))
        self.focus.setAccessibleName(self.tr("What the summary should keep in view"))
        self.writer = SummaryWriter()
        self.writer.hide()
        self.writers = QTabBar()
        self.editor = SummaryEditor(theme)
        self.summary = self.editor.source
        self._draft_note = label("", "small")
        self._note = label("", "small", wrap=True)
        self._warning = label("", "error", wrap=True)
        self.accept = push_button(self.tr("Compact"), self.accepted.emit, look="primary")
        self._draft = ""
        self._lay_out()
        self._connect()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_offer(self, offer: Offer, keep_tokens: int, *, prune_first: bool) -> None:
        self.sizes.show_offer(offer)
        self.keep.show_value(keep_tokens, offer.most_kept, keep_text(offer))
        self._show_prune(offer, prune_first=prune_first)
        self._warning.setText(doubt_text(offer))
        self._warning.setVisible(not offer.is_worth_it)
        set_property(self.accept, "primary", offer.is_worth_it)

    def show_draft(self, text: str, note: str) -> None:
        """A new draft; one that was edited is not overwritten."""
        is_edited = self.edited
        self.show_text(self.editor.text if is_edited else text, note, draft=self._draft if is_edited else None)
        self.accept.setEnabled(True)

    def show_text(self, text: str, note: str, *, draft: str | None = None) -> None:
        """`draft`: what it is an edition of, when it was edited."""
        if text != self.editor.text:
            self.editor.set_text(text)
        self._draft = self.editor.text if draft is None else draft  # an editor has line ends of its own
        self._draft_note.setText(note)
        announce(self, note)

    def show_drafting(self) -> None:
        self._draft_note.setText(self.tr("writing the digest…"))
        announce(self, self._draft_note.text())
        self.accept.setEnabled(False)

    def show_writers(self, *, is_connected: bool, refusal: str = "") -> None:
        """Whether a model may write. `refusal`: why its provider does not summarise by itself, "" when it does."""
        unconnected = "" if is_connected else self.tr("No model is connected. The digest is made without one.")
        signs = self.tr("The model’s own server summarises, signs it, and gets it back word for word.")
        self._offer(MODEL, unconnected)
        self._offer(PROVIDER, unconnected or refusal, signs)

    def _offer(self, way: int, reason: str, tip: str = "") -> None:
        """`reason`: why it cannot be had."""
        self.writers.setTabEnabled(way, not reason)
        self.writers.setTabToolTip(way, plain_tip(reason or tip))

    def show_way(self, way: int) -> None:
        self.writer.setVisible(way != DIGEST)
        self.writer.show_own(on=way == PROVIDER)
        blocked = self.writers.blockSignals(True)
        self.writers.setCurrentIndex(way)
        self.writers.blockSignals(blocked)

    def show_note(self, text: str, tip: str = "") -> None:
        self._note.setText(text)
        set_plain_tip(self._note, tip)

    @property
    def told(self) -> str:
        """What the note at its foot says."""
        return self._note.text()

    def reset(self, focus: str = "") -> None:
        """Forget the draft and the focus of another time."""
        self._draft = ""
        self.editor.set_text("")
        self.editor.switch.setCurrentIndex(0)
        self.new_session.setChecked(False)
        blocked = self.focus.blockSignals(True)
        self.focus.setText(focus)
        self.focus.blockSignals(blocked)

    @property
    def edited(self) -> bool:
        return bool(self._draft) and self.editor.text != self._draft

    @property
    def text(self) -> str | None:
        """The summary when it was edited, None for the draft as it is."""
        return self.editor.text if self.edited else None

    @property
    def warning(self) -> str:
        """Why the compaction is hardly worth it, "" when it is."""
        return self._warning.text()

    def _show_prune(self, offer: Offer, *, prune_first: bool) -> None:
        blocked = self.prune_first.blockSignals(True)
        self.prune_first.setChecked(prune_first and offer.prune is not None)
        self.prune_first.blockSignals(blocked)
        self.prune_first.setEnabled(offer.prune is not None)
        self._prune_effect.setText(pruning_text(offer))

    def _connect(self) -> None:
        self.keep.tokens_changed.connect(self.keep_changed)
        self.prune_first.toggled.connect(self.prune_first_changed)
        pause = QTimer(self, singleShot=True, interval=TYPING_MS)
        pause.timeout.connect(lambda: self.focus_changed.emit(self.focus.text()))
        self.focus.textChanged.connect(lambda _text: pause.start())

    # -- layout -----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.header.add(self._summarisers())
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        inner.addWidget(self.sizes)
        inner.addWidget(self._choices())
        inner.addWidget(self._summary(), 1)
        lay_out_column(self, self.header, content).addWidget(self._foot())

    def _summarisers(self) -> QWidget:
        """Who writes the summary. Without a connected model there is one choice; the others say why."""
        tabs = self.writers
        tabs.setAccessibleName(self.tr("Summary by"))
        tabs.setExpanding(False)
        tabs.setUsesScrollButtons(False)
        tabs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for name in (self.tr("Model"), self.tr("Digest"), self.tr("Provider")):
            tabs.addTab(name)
        tabs.setCurrentIndex(DIGEST)
        self.show_writers(is_connected=False)
        tabs.currentChanged.connect(self.way_chosen)
        out = QWidget()
        row = QHBoxLayout(out)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(tabs)
        row.addSpacing(metrics.SPACE[4])  # a header leaves less behind than lines do, for buttons without a frame
        return out

    def _choices(self) -> QWidget:
        out = Section("", rule=True)
        out.title.hide()
        out.note.hide()
        out.body.addWidget(self.keep)
        out.body.addLayout(WrappingRow(self.prune_first, self._prune_effect))
        out.body.addWidget(self.new_session)
        out.body.addWidget(self.focus)
        return out

    def _summary(self) -> QWidget:
        out = Section(self.tr("Summary"), rule=True)
        out.head.addWidget(self._draft_note)
        out.head.addWidget(self.editor.switch)
        # it takes what is left: the column scrolls only where that is less than its least height
        self.editor.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        out.body.addWidget(self.writer)
        out.body.addWidget(self.editor, 1)
        return out

    def _restyle(self) -> None:
        self.editor.setMinimumHeight(self._theme.px(metrics.SUMMARY))

    def _foot(self) -> QWidget:
        foot = QWidget()
        set_surface(foot, edge="top")
        column = QVBoxLayout(foot)
        column.setContentsMargins(*[metrics.SPACE[6]] * 4)
        column.setSpacing(metrics.SPACE[3])
        self._warning.hide()
        column.addWidget(self._warning)
        buttons = QWidget()
        buttons.setLayout(line(push_button(self.tr("Cancel"), self.cancelled.emit), self.accept))
        column.addLayout(WrappingRow(self._note, buttons))
        return foot

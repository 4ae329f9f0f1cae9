"""The compaction workbench: the column beside the previewed transcript, with the editable summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
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

from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.figures import Figure
from stemmata.gui.compaction.summary_editor import SummaryEditor
from stemmata.gui.context.breakdown import segments_of
from stemmata.gui.context.compact_block import KeepSlider, Offer, doubt_text, entries_text, keep_text, pruning_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import change, figure_text, number, percent, tokens_text
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import label, literal, plain_tip, set_plain_tip, set_property
from stemmata.gui.widgets.stacked_bar import StackedBar
from stemmata.gui.widgets.surface import FactLine, TitledSection, laid_out_once, lay_out_column, line, set_surface
from stemmata.gui.widgets.wrapping import WrappingRow

LONGEST_NAME = 30  # characters


@dataclass(frozen=True, slots=True)
class SummaryTab:
    """A tab for one of the written summaries: its number, the text of the tab, and its full description."""

    number: int
    text: str
    tip: str


class SummaryWriter(QWidget):
    """The model that writes the summary, the buttons to write and cancel, and a line for progress or problems."""

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
        model.addStretch(1)  # keeps the buttons as narrow as their text
        chosen = QWidget()
        model.setContentsMargins(0, 0, 0, 0)
        chosen.setLayout(model)
        column.addLayout(WrappingRow(chosen, *self._buttons()))

    @property
    def message(self) -> str:
        """The displayed message: the progress of the writing, or its problem."""
        return self._told.text()

    def show_model(self, name: str) -> None:
        """Show the id of the model that writes; "" for none."""
        self._name = name.rpartition("/")[2]
        brief = self._name if len(self._name) <= LONGEST_NAME else f"{self._name[: LONGEST_NAME - 1]}…"
        text = brief if self._is_own else f"{brief or self.tr('Choose a model')} ▾"
        self.model.setText(literal(text))
        self.model.setAccessibleName(self.tr("Model that writes the summary: {0}").format(name or "—"))
        set_plain_tip(self.model, name)
        self.write.setEnabled(bool(name))

    def show_own(self, *, on: bool) -> None:
        """Hide the choice of a model while the session's provider writes: only its server accepts its signature."""
        self._is_own = on

    def show_waiting(self, *, again: bool = False) -> None:
        """Show the button *Write*: a model is asked only on request, because this costs money.

        `again` says that the written summary is out of date.
        """
        outdated = self.tr("The cut moved after this summary was written.")
        asked = self.tr("Press “Write summary” to ask the model.")
        if self._is_own:
            asked = self.tr("Press “Write summary” to ask the provider, which signs its summary.")
        self._show(outdated if again else asked, self.write)
        self.write.setText(self.tr("Write again") if again else self.tr("Write summary"))

    def show_writing(self) -> None:
        """Show that a summary is being written, with a button to cancel."""
        self._show(self.tr("{0} writes the summary…").format(self._name), self.cancel)
        announce(self, self.message)

    def show_written(self, told: str = "") -> None:
        """Show that the summary is written; `told` is a note about it."""
        self._show(told, self.write)
        self.write.setText(self.tr("Write again"))

    def show_problem(self, problem: str) -> None:
        """Show the error that stopped the writing."""
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


class SummaryChoice(QTabBar):
    """The written summaries as tabs, `1 · no focus · ≈ 705`; hidden while there is only one."""

    chosen = Signal(int)  # number of a summary

    def __init__(self) -> None:
        super().__init__()
        self._numbers: tuple[int, ...] = ()
        self.setAccessibleName(self.tr("Written summaries"))
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.currentChanged.connect(self._on_changed)
        self.hide()

    def show_choices(self, choices: Sequence[SummaryTab], current: int | None) -> None:
        """Show these summaries and select the one with the number `current`; None selects none."""
        blocked = self.blockSignals(True)
        self._numbers = tuple(choice.number for choice in choices)
        while self.count() > len(choices):
            self.removeTab(self.count() - 1)
        for at, choice in enumerate(choices):
            if at == self.count():
                self.addTab("")
            self.setTabText(at, literal(choice.text))
            self.setTabToolTip(at, plain_tip(choice.tip))
            self.setAccessibleTabName(at, choice.tip)
        if current in self._numbers:
            self.setCurrentIndex(self._numbers.index(current))
        self.blockSignals(blocked)
        self.setVisible(len(choices) > 1)

    def _on_changed(self, index: int) -> None:
        if 0 <= index < len(self._numbers):
            self.chosen.emit(self._numbers[index])


def tr(text: str) -> str:
    """Translate a text of the workbench."""
    return QCoreApplication.translate("WorkbenchPanel", text)


class CutSizes(TitledSection):
    """The size of the context after one cut: title, size and bar, and a link to compare it or to use it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(tr("After"))
        self._bar = StackedBar(theme, name=tr("After"))
        self.link = push_button("", look="link")
        self.head.removeWidget(self.note)
        for widget in (self.link, self.note):  # the sizes are below each other, aligned at the right
            self.head.addWidget(widget)
        self.body.setContentsMargins(0, metrics.SPACE[2], 0, 0)
        self.body.addWidget(self._bar)

    def show_offer(self, offer: Offer, whole: int, name: str, link: str, *, is_used: bool) -> None:
        """Show the size of an offer; `whole` is the length of the bar in tokens, `link` the text of the link."""
        saved = offer.saved_percent
        changed = "" if saved is None else f" · {change(-saved)}"
        self.title.setText(name)
        self._bar.setAccessibleName(name)
        self.note.setText(figure_text(offer.after.total) + changed)
        set_property(self.note, "role", "changed" if is_used else "small")
        self.link.setText(link)
        self.link.setAccessibleName(f"{link}: {name}")
        self._bar.set_segments(segments_of(offer.after), whole)


@dataclass(frozen=True, slots=True)
class ComparedCut:
    """The cut that is compared with the used cut. `is_first` says whether it is cut A."""

    offer: Offer
    is_first: bool


class CompactionSizes(TitledSection):
    """The sizes of the workbench: bars for the context before and after, and one line per part of them.

    While two cuts are compared, there is a bar for each, and every line has both values, in columns with heads.
    """

    compare_wanted = Signal()  # begin or end the comparison
    other_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("")
        self._used: CutSizes | None = None
        self.title.setText(tr("Before"))
        self._before = StackedBar(theme, name=tr("Before"))
        self.body.addWidget(self._before)
        self.left, self.right = CutSizes(theme), CutSizes(theme)
        self.right.hide()
        for part in (self.left, self.right):
            part.link.clicked.connect(partial(self._on_link, part))
            self.body.addWidget(part)
        self.heads = FactLine(tr("Cut"))
        self.heads.hide()
        self.body.addWidget(self.heads)
        self.facts = {
            "summary": FactLine(tr("Summary")),
            "pinned": FactLine(tr("Pinned")),
            "kept": FactLine(tr("Kept word for word")),
            "summarised": FactLine(tr("Summarised")),
            "dropped": FactLine(tr("Tool output left out")),
            "skills": FactLine(tr("Skills")),
            "system": FactLine(tr("System and tools")),
        }
        for fact in self.facts.values():
            self.body.addWidget(fact)

    def show_offer(self, offer: Offer, held: ComparedCut | None = None) -> None:
        """Show the sizes of an offer; while two cuts are compared, show the sizes of the held cut, too."""
        with laid_out_once(self):
            self._show_sizes(offer, held)

    def _show_sizes(self, offer: Offer, held: ComparedCut | None) -> None:
        self.note.setText(self._before_text(offer))
        whole = offer.before.window or offer.before.total.value or 0
        self._before.set_segments(segments_of(offer.before), whole)
        self.right.setVisible(held is not None)
        self._used = self.right if held is not None and held.is_first else self.left
        if held is None:
            self.left.show_offer(offer, whole, tr("After"), tr("Compare cuts"), is_used=True)
            self._show_facts([offer])
            return
        pair = [held.offer, offer] if held.is_first else [offer, held.offer]
        for part, one, name in zip(
            (self.left, self.right), pair, (tr("After cut A"), tr("After cut B")), strict=True
        ):
            is_used = part is self._used
            part.show_offer(
                one, whole, name, tr("End comparison") if is_used else tr("Use this cut"), is_used=is_used
            )
        self._show_facts(pair)

    def _on_link(self, part: CutSizes) -> None:
        (self.compare_wanted if part is self._used else self.other_wanted).emit()

    def _show_facts(self, offers: Sequence[Offer]) -> None:
        facts, is_pair = self.facts, len(offers) > 1
        self.heads.setVisible(is_pair)
        if is_pair:
            names, in_use = [tr("A"), tr("B")], int(self._used is self.right)
            names[in_use] = tr("{0} · in use").format(names[in_use])
            self._set(self.heads, names)
        self._set(facts["summary"], [figure_text(offer.summary) for offer in offers])
        self._set(facts["system"], [_system_text(offer) for offer in offers])
        self._set(facts["skills"], [figure_text(offer.skills) for offer in offers])
        facts["skills"].setVisible(any(offer.forecast.skills for offer in offers))
        for name in ("pinned", "kept", "summarised", "dropped"):
            parts = [_part(offer, name) for offer in offers]
            self._set(facts[name], [_part_text(*part, brief=is_pair) if part[0] else "—" for part in parts])
            # a line that appears or disappears with the tick would move the tick box away from the pointer
            stays = name in ("kept", "summarised") or (name == "dropped" and any(offer.prune for offer in offers))
            facts[name].setVisible(stays or any(count for count, _figure in parts))

    def _set(self, line: FactLine, values: Sequence[str]) -> None:
        """Set the value of a line, or its values for both cuts."""
        if len(values) == 1:
            line.set_value(values[0])
        else:
            line.set_pair(values[0], values[1], (tr("A"), tr("B")), used=int(self._used is self.right))

    def _before_text(self, offer: Offer) -> str:
        total = figure_text(offer.before.total)
        window = offer.before.window
        return total if window is None else tr("{0} of {1}").format(total, tokens_text(window))


def _system_text(offer: Offer) -> str:
    """Return the size of the system prompt and the tool definitions, which a compaction does not change."""
    system, tools = (offer.after.categories[part] for part in (Category.SYSTEM, Category.TOOL_DEFINITIONS))
    return figure_text(system if tools.value is None else system + tools)


def _part(offer: Offer, name: str) -> tuple[int, Figure]:
    """Return the number of entries in a part of an offer, and the size of the part."""
    plan = offer.preview.plan
    return {
        "pinned": (len(plan.pinned), offer.pinned),
        "kept": (len(plan.kept), offer.kept),
        "summarised": (offer.summarised, offer.replaced),
        "dropped": (offer.forecast.emptied, offer.dropped),
    }[name]


def _part_text(count: int, figure: Figure, *, brief: bool) -> str:
    """Return `14 entries · ≈ 2.7k`, or `14 · ≈ 2.7k` where two values share a line."""
    return f"{number(count) if brief else entries_text(count)} · {figure_text(figure)}"


TYPING_MS = 400  # the focus text is used when typing pauses for this long
MODEL, DIGEST, PROVIDER = 0, 1, 2  # the author of the summary


class WorkbenchPanel(QWidget):
    """The workbench's widgets: an offer and a draft of its summary.

    Each decision of the user is emitted as a signal.
    """

    keep_changed = Signal(int)  # tokens
    cuts_compared = Signal()  # begin or end the comparison of two cuts
    other_cut_wanted = Signal()
    prune_first_changed = Signal(bool)
    focus_changed = Signal(str)
    way_chosen = Signal(int)  # MODEL, DIGEST or PROVIDER
    alternative_chosen = Signal(int)  # number of a written summary
    accepted = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self.focus.setAccessibleName(self.tr("What matters for the summary"))
        self.writer = SummaryWriter()
        self.writer.hide()
        self.writers = QTabBar()
        self.editor = SummaryEditor(theme)
        self.alternatives = SummaryChoice()
        self.summary = self.editor.source
        self.draft_note = label("", "small")
        self._note = label("", "small", wrap=True)
        self._warning = label("", "error", wrap=True)
        self.accept = push_button(self.tr("Compact"), self.accepted.emit, look="primary")
        self._draft = ""
        self._is_branch = False  # whether a branch summary is previewed
        self._lay_out()
        self._connect()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_offer(
        self, offer: Offer, keep_tokens: int, *, prune_first: bool, held: ComparedCut | None = None
    ) -> None:
        """Show an offer; `keep_tokens` is the position of the slider, `held` the cut that it is compared with."""
        self._show_kind(is_branch=offer.is_branch_summary)
        self.sizes.show_offer(offer, held)
        self.keep.show_value(keep_tokens, offer.most_kept, keep_text(offer))
        self._show_prune(offer, prune_first=prune_first)
        self._warning.setText(doubt_text(offer))
        self._warning.setVisible(not offer.is_worth_it)
        set_property(self.accept, "primary", offer.is_worth_it)

    def _show_kind(self, *, is_branch: bool) -> None:
        """Show only the fields that apply: a branch summary has no part to choose, no pruning and no new session."""
        if is_branch is self._is_branch:
            return
        self._is_branch = is_branch
        self.header.set_title(self.tr("Summarise from here") if is_branch else self.tr("Compact"))
        self.accept.setText(self.tr("Summarise") if is_branch else self.tr("Compact"))
        for widget in (self.keep, self.prune_first, self._prune_effect, self.new_session, self.sizes.left.link):
            widget.setVisible(not is_branch)

    def show_draft(self, text: str, note: str) -> None:
        """Show a new draft, unless the user edited the old one."""
        is_edited = self.edited
        self.show_text(self.editor.text if is_edited else text, note, draft=self._draft if is_edited else None)
        self.accept.setEnabled(True)

    def show_text(self, text: str, note: str, *, draft: str | None = None) -> None:
        """Show a summary. `draft` is the text that the user edited; None when `text` is unedited."""
        if text != self.editor.text:
            self.editor.set_text(text)
        # compared with the editor's text, which has Qt's line ends
        self._draft = self.editor.text if draft is None else draft
        self.draft_note.setText(note)
        announce(self, note)

    def show_drafting(self) -> None:
        """Show that a draft is being written."""
        self.draft_note.setText(self.tr("writing the digest…"))
        announce(self, self.draft_note.text())
        self.accept.setEnabled(False)

    def show_progress(self, hundredths: int) -> None:
        """Show the finished part of the draft, in percent."""
        self.draft_note.setText(self.tr("writing the digest… {0}").format(percent(hundredths)))

    def show_writers(self, *, is_connected: bool, refusal: str = "") -> None:
        """Enable the writers that are available. `refusal` is the reason why the provider cannot; "" when it can."""
        unconnected = "" if is_connected else self.tr("No model is connected. The digest works without a model.")
        signs = self.tr("The model’s own server writes and signs the summary, and receives it unchanged.")
        self._offer(MODEL, unconnected)
        self._offer(PROVIDER, unconnected or refusal, signs)

    def _offer(self, way: int, reason: str, tip: str = "") -> None:
        """Enable one writer of summaries, or disable it with a reason."""
        self.writers.setTabEnabled(way, not reason)
        self.writers.setTabToolTip(way, plain_tip(reason or tip))

    def show_way(self, way: int) -> None:
        """Select the writer of the summary: model, digest or provider."""
        self.writer.setVisible(way != DIGEST)
        self.writer.show_own(on=way == PROVIDER)
        blocked = self.writers.blockSignals(True)
        self.writers.setCurrentIndex(way)
        self.writers.blockSignals(blocked)

    def show_note(self, text: str, tip: str = "") -> None:
        """Show a note at the foot, with a tooltip."""
        self._note.setText(text)
        set_plain_tip(self._note, tip)

    @property
    def note_text(self) -> str:
        """The displayed note at the foot."""
        return self._note.text()

    def show_focus(self, focus: str) -> None:
        """Show the focus of a chosen summary, without requesting another summary."""
        blocked = self.focus.blockSignals(True)
        self.focus.setText(focus)
        self.focus.blockSignals(blocked)

    def reset(self, focus: str = "", *, starts_anew: bool = False) -> None:
        """Clear the draft and set the focus text, for a newly opened workbench.

        `starts_anew` ticks the box *Continue in a new session*.
        """
        self._draft = ""
        self.editor.set_text("")
        self.editor.switch.setCurrentIndex(0)
        self.new_session.setChecked(starts_anew)
        self.alternatives.show_choices((), None)
        self.editor.show_versions(())
        self.show_focus(focus)

    @property
    def edited(self) -> bool:
        """Whether the user edited the draft."""
        return bool(self._draft) and self.editor.text != self._draft

    @property
    def text(self) -> str | None:
        """The edited summary; None when the draft is unchanged."""
        return self.editor.text if self.edited else None

    @property
    def draft(self) -> str:
        """The draft that the user edits."""
        return self._draft

    @property
    def warning(self) -> str:
        """The displayed reason why the compaction saves too little; "" when it saves enough."""
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
        self.alternatives.chosen.connect(self.alternative_chosen)
        self.sizes.compare_wanted.connect(self.cuts_compared)
        self.sizes.other_wanted.connect(self.other_cut_wanted)

    # -- layout -----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.header.add(self._summarisers())
        content = QWidget()
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        column = lay_out_column(self, self.header, content)
        inner.addWidget(self.sizes)
        inner.addWidget(self._choices())
        inner.addWidget(self._summary(), 1)
        column.addWidget(self._foot())

    def _summarisers(self) -> QWidget:
        """Build the choice of the summariser. Choices that are not available say why."""
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
        row.addSpacing(metrics.SPACE[4])  # a header has a smaller right margin than lines, for its frameless buttons
        return out

    def _choices(self) -> QWidget:
        out = TitledSection("", rule=True)
        out.title.hide()
        out.note.hide()
        out.body.addWidget(self.keep)
        out.body.addLayout(WrappingRow(self.prune_first, self._prune_effect))
        out.body.addWidget(self.new_session)
        out.body.addWidget(self.focus)
        return out

    def _summary(self) -> QWidget:
        out = TitledSection(self.tr("Summary"), rule=True)
        out.head.addWidget(self.draft_note)
        out.head.addWidget(self.editor.switch)
        # the editor takes the remaining height; the column scrolls below the editor's minimum height
        self.editor.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        out.body.addWidget(self.writer)
        out.body.addWidget(self.alternatives)
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

"""The decoration around a card's content: context mark, coloured bar, label, siblings, hover actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QDateTime, QLocale, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from stemmata.domain.context.projection import EntryFate, Fate, Reason
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.tool_calls.notes import note_name
from stemmata.gui.cards.content import Action, CardContent, CardMarks, Request, Stage
from stemmata.gui.cards.line_piece import HeadPiece, Word
from stemmata.gui.cards.piece import BELOW_BOX, SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics


class MarginActions(SinglePiece):
    """Actions in a column in the margin. Actions without room are in a menu that the last one opens."""

    def __init__(self, style: CardStyle, words: Sequence[Word], room: QRect) -> None:
        """Create the column; `room` is the margin beside the card, in the card's coordinates."""
        super().__init__(style)
        self._row = style.px(metrics.SMALL_LINE)
        fitting = max(room.height() // self._row, 1)
        more = Word("", "dim", icon="more", action=Action(Request.MENU), tip=tr("Actions for this entry"))
        self.words = list(words) if len(words) <= fitting else [*words[: fitting - 1], more]
        side = min(self._row, room.width())
        left = room.left() + (room.width() - side) // 2
        self.place(left, room.top(), side, [])

    def measure(self, _width: int) -> int:
        return len(self.words) * self._row

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        side = self.style.px(metrics.ICON)
        for box, word in self._boxes():
            corner = box.center() - QPoint(side // 2, side // 2)
            painter.drawPixmap(corner, self.style.icon(word.icon, word.color))

    def action_at(self, point: QPoint) -> Action | None:
        return next((word.action for box, word in self._boxes() if box.contains(point)), None)

    def tip_at(self, point: QPoint) -> str:
        return next((word.tip for box, word in self._boxes() if box.contains(point)), "")

    def _boxes(self) -> Iterator[tuple[QRect, Word]]:
        for at, word in enumerate(self.words):
            yield QRect(0, at * self._row, self.rect.width(), self._row), word


COLORS = {
    Fate.SENT: "",
    Fate.SUMMARISED: "summary",
    Fate.PRUNED: "tool",
    Fate.PINNED: "accent",
    Fate.NEVER: "line",
    Fate.CUT: "tool",
}


def fate_color(fate: EntryFate) -> str:
    """Return the colour token of the mark that says whether the entry is sent; "" for an entry that is sent."""
    return COLORS[fate.fate]


def fate_words(fate: EntryFate) -> str:
    """Return the meaning of the context mark."""
    words = {
        Fate.SENT: tr("Sent with the next request"),
        Fate.SUMMARISED: tr("Summarised by ◆"),
        Fate.PRUNED: tr("Pruned: only the tool’s name is sent"),
        Fate.CUT: tr("Cut: only its beginning and end are sent"),
        Fate.PINNED: tr("Pinned: sent word for word"),
    }
    if fate.fate is Fate.PRUNED and fate.reason is not None:
        return _replaced(fate.reason)
    return words[fate.fate] if fate.fate in words else _never(fate.reason)


def _replaced(reason: Reason) -> str:
    words = {
        Reason.READ_AGAIN: tr("Pruned: the file is read again further down"),
        Reason.CHANGED_SINCE: tr("Pruned: the file was changed since, and its new text is further down"),
    }
    return words.get(reason, tr("Pruned: the same call is made again further down"))


def _never(reason: Reason | None) -> str:
    words = {
        Reason.BOOKKEEPING: tr("Never sent: not a message"),
        Reason.HIDDEN_FROM_MODEL: tr("Never sent: hidden from the model"),
        Reason.ABORTED_OR_ERROR: tr("Never sent: stopped, or ended in an error"),
        Reason.EMPTY: tr("Never sent: empty"),
        Reason.EXCLUDED: tr("Never sent: excluded"),
    }
    return words[reason] if reason is not None else tr("Never sent")


STAGES = {
    Stage.SUMMARISED: ("summary", "faint"),
    Stage.KEPT: ("user", "faint"),
    Stage.PINNED: ("accent", "accent"),
}  # colour token of the mark, of the word


class Decoration:
    """The decoration in the card's head. A card without a head gets an extra line when its marks need one, and its
    actions are in the margin, so that they cover no text.
    """

    def __init__(
        self, style: CardStyle, content: CardContent, head: HeadPiece | None, *, begins_with_text: bool = False
    ) -> None:
        self._style = style
        self._content = content
        self._begins_with_text = begins_with_text
        self._head = head
        self._marks = CardMarks()
        self._edges = (0, 0, 0)  # x of strip, bar and right edge
        self._size = (0, 0)  # size of the card
        self._bar = ""
        self._hovered = False
        self.line: HeadPiece | None = None  # the extra line above content without a head
        self.margin: MarginActions | None = None

    @property
    def speaker(self) -> str:
        """The name of the entry's speaker."""
        row = self._content.entry.row
        given = translate_phrase(note_name(row))
        names = {
            Role.USER: given or tr("You"),
            Role.ASSISTANT: row.model or tr("Assistant"),
            Role.TOOL_RESULT: tr("Tool result"),
            Role.BASH_EXECUTION: tr("You ran"),
        }
        kinds = {
            Kind.COMPACTION: tr("Compaction"),
            Kind.BRANCH_SUMMARY: tr("Branch summary"),
            Kind.MODEL_CHANGE: tr("Model: {model}").format(model=row.model or row.preview),
            Kind.THINKING_LEVEL_CHANGE: tr("Thinking: {level}").format(level=row.name),
        }
        if row.role is Role.USER and row.flags & Flag.INJECTED:
            return tr("Note")
        return kinds.get(row.kind) or names.get(row.role) or given or tr("Note")

    @property
    def dimmed(self) -> bool:
        """Whether the content is painted dimmed, because the entry is not sent."""
        return self._marks.stage == Stage.SUMMARISED

    @property
    def strip_tip(self) -> str:
        """The tooltip of the context mark."""
        fate = self._marks.marks.fate
        return fate_words(fate) if fate is not None else ""

    @property
    def offers(self) -> list[tuple[str, Action]]:
        """The actions that the entry offers, by name, regardless of the mouse."""
        words = (*self._actions(), *self._siblings())
        return [(word.tip, word.action) for word in words if word.action is not None]

    @property
    def remarks(self) -> list[str]:
        """The meanings of the marks, as sentences."""
        marks = self._marks.marks
        said = [tr("Label “{0}”").format(marks.label) if marks.label else ""]
        said.append(tr("Pinned: compactions keep this entry") if marks.pinned else "")
        said += [self._variant, self._removed]
        said.append(tr("Version {0} of {1}").format(marks.place, marks.siblings) if marks.siblings > 1 else "")
        is_sent = marks.fate is None or marks.fate.fate is Fate.SENT  # the normal state is not announced
        return [text for text in (*said, "" if is_sent else self.strip_tip) if text]

    @property
    def frame(self) -> QRect:
        """The rectangle of the content with its bar."""
        _, bar, right = self._edges
        return QRect(bar, self.above, right - bar, self._size[1] - self.above)

    @property
    def text_edges(self) -> tuple[int, int]:
        """The left and right edge of the content."""
        _, bar, right = self._edges
        indent = self._style.px(metrics.CARD_INDENT) if self._bar or self._head is None else 0
        return bar + indent, right

    def lay_out(self, width: int, *, bar: str) -> None:
        """Lay out for a width. `bar` is the colour token of the bar, "" for none."""
        self._bar, self._size = bar, (width, 0)
        margin = self._style.space(8)
        spare = width - 2 * margin - self._style.px(metrics.READING_WIDTH)
        left = margin + max(spare, 0) // 2
        self._edges = (left - self._style.space(7), left, width - margin - max(spare, 0) // 2)
        self._refresh()

    def fit(self, height: int) -> None:
        """Set the card's height, in pixels."""
        self._size = self._size[0], height
        self._refresh()

    def show(self, marks: CardMarks, *, hovered: bool) -> bool:
        """Show marks; returns whether the extra line above the content appeared or disappeared."""
        had_line, self._marks, self._hovered = self.line is not None, marks, hovered
        self._refresh()
        return had_line is (self.line is None)

    def shows(self, marks: CardMarks, *, hovered: bool) -> bool:
        """Return whether these marks are shown."""
        return (marks, hovered) == (self._marks, self._hovered)

    def hover(self, *, hovered: bool) -> None:
        """Show or hide the hover actions."""
        self._hovered = hovered
        self._refresh()

    def on_strip(self, point: QPoint) -> bool:
        """Whether a point is on the context mark."""
        strip, bar, _ = self._edges
        return strip - self._style.space(3) <= point.x() < bar

    # -- painting --------------------------------------------------------------------------------------------

    def paint_strip(self, painter: QPainter, height: int) -> None:
        """Paint the context mark, or the entry's stage during a compaction preview."""
        stage, fate = self._marks.stage, self._marks.marks.fate
        color = STAGES[stage][0] if stage in STAGES else fate_color(fate) if fate is not None else ""
        if not color:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._style.color(color))
        painter.setOpacity(1 if stage in (Stage.KEPT, Stage.PINNED) else metrics.DIMMED)
        side = self._style.px(metrics.MARGIN_STRIP)
        painter.drawRoundedRect(QRectF(self._edges[0], self._top, side, height - self._top), 1.5, 1.5)
        painter.setOpacity(1)

    def paint_bar(self, painter: QPainter, height: int) -> None:
        """Paint the bar in the speaker's colour. It spans the gap to a card that continues the same speaker."""
        if self._bar:
            width = self._style.px(metrics.LANE_LINE)
            bar = QRect(self._edges[1], self._top, width, height - self._top)
            painter.fillRect(bar, self._style.color(self._bar))

    @property
    def above(self) -> int:
        """The height above the content, in pixels."""
        # a card that continues its speaker mostly follows a tool call, which is a box
        continued = self._style.space(BELOW_BOX if self._begins_with_text else 3)
        gap = self._style.px(metrics.CARD_GAP) if self._content.heading else continued
        return gap + (self._style.px(metrics.CUT_SPACE) if self._content.cut else 0)

    @property
    def _top(self) -> int:
        """Return the y where bar and mark begin: cards of one speaker are joined, except at the cut."""
        return self.above if self._content.heading or self._content.cut else 0

    # -- words -----------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        left, siblings, stage = self._label(), self._siblings(), self._stage_word()
        actions = self._actions() if self._hovered else []
        if self._head is None:
            said = left or siblings or stage
            self.line = (self.line or HeadPiece(self._style, [])) if said else None
        head = self._head or self.line
        if head is not None:
            head.decorate(left, actions, [*siblings, *stage])  # keeps hovered actions in place
        self.margin = self._beside(actions) if actions and head is None else None

    def _beside(self, words: list[Word]) -> MarginActions:
        icons = [replace(word, text="", icon=word.icon or "fork") for word in words]
        (width, height), right = self._size, self._edges[2]
        room = QRect(right, self.above, min(width - right, self._style.space(8)), height - self.above)
        return MarginActions(self._style, icons, room)

    def _label(self) -> list[Word]:
        label = self._marks.marks.label
        pinned = [
            Word("", "accent", icon="pin", tip=tr("Pinned: compactions keep this entry"))
        ] * self._marks.marks.pinned
        other = [Word(tr("other text"), "dim", tip=self._variant)] if self._variant else []
        says = self._removed if self._content.heading else ""  # of joined cards, only the first one shows it
        gone = [Word(tr("removed by the tool"), "bad", tip=says)] if says else []
        return [*([Word(label, "tool", chip=True)] if label else []), *pinned, *other, *gone]

    @property
    def _removed(self) -> str:
        """Return the remark about an entry that the tool removed from its source; "" for other entries."""
        row = self._content.entry.row
        if not row.flags & Flag.REMOVED:
            return ""
        if not row.removed:
            return tr("The tool removed this entry. It is kept here.")
        date = QDateTime.fromMSecsSinceEpoch(row.removed // 1_000_000).date()
        return tr("The tool removed this entry on {0}. It is kept here.").format(
            QLocale().toString(date, "d MMM yyyy")
        )

    @property
    def _variant(self) -> str:
        """Return the remark about a variant, whose id another entry has too; "" for other entries."""
        is_variant = self._content.entry.row.flags & Flag.VARIANT
        return tr("Two files have different texts for this entry. Both are kept.") if is_variant else ""

    def _siblings(self) -> list[Word]:
        place, count = self._marks.marks.place, self._marks.marks.siblings
        if count < 2:
            return []
        back, on = Action(Request.SIBLING, step=-1), Action(Request.SIBLING, step=1)
        return [
            Word("‹", "dim", action=back if place > 1 else None, tip=tr("Previous version")),
            Word(f"{place} / {count}", "dim"),
            Word("›", "dim", action=on if place < count else None, tip=tr("Next version")),
        ]

    def _actions(self) -> list[Word]:
        row = self._content.entry.row
        is_conversation = row.kind is Kind.MESSAGE and row.role in (Role.USER, Role.ASSISTANT)
        pin = tr("Unpin") if self._marks.marks.pinned else tr("Pin: compactions keep this entry")
        words = [
            Word("", "dim", action=Action(Request.COPY), icon="copy", tip=tr("Copy as Markdown")),
            Word("", "dim", action=Action(Request.PIN), icon="pin", tip=pin),
            Word(tr("Fork"), "dim", action=Action(Request.FORK), tip=tr("Fork to a new session from here")),
        ]
        if row.role is Role.USER:
            edit = Action(Request.EDIT)
            words.append(Word(tr("Edit"), "dim", action=edit, icon="edit", tip=tr("Edit and send as a new branch")))
        if row.role is Role.ASSISTANT:
            again, tip = Action(Request.REGENERATE), tr("Regenerate: request another reply as a sibling")
            words.append(Word("", "dim", action=again, icon="refresh", tip=tip))
        return (
            words
            if is_conversation
            else words[:1]
            if row.kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY)
            else words[:3]
        )

    def _stage_word(self) -> list[Word]:
        words = {
            Stage.SUMMARISED: tr("summarised"),
            Stage.KEPT: tr("kept"),
            Stage.PINNED: tr("pinned · kept word for word"),
        }
        stage = self._marks.stage
        has_room = self._content.heading and self._head is not None  # without a head, only the mark shows it
        shown = stage in words and (has_room or stage == Stage.PINNED)
        return [Word(words[stage], STAGES[stage][1])] if shown else []

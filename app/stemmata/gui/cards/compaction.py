"""The card of a compaction: the summary that replaces earlier entries, and both sizes of the context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from stemmata.domain.compaction.summary.sections import ListedFiles, split_file_lists
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.figures import UNKNOWN, Figure, FigureKind
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import HeadPiece, LinePiece, Word
from stemmata.gui.cards.piece import FramePiece, Piece, SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.context_words import COLORS, category_name
from stemmata.gui.widgets.figures import change, figure_text

AGREES = 1.25  # largest ratio of a reported and a computed total of the same context
MOST = 10**12  # tokens; larger values are damaged data
_KINDS = {kind.text: kind for kind in FigureKind}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class ContextSize:
    """The size of a context: its total, its parts when known, and its window (0 when unknown)."""

    total: Figure
    parts: tuple[tuple[Category, int], ...] = ()
    window: int = 0

    def words(self, name: str) -> str:
        """Return the size under a name, such as “before”, with its parts by category."""
        parts = [
            f"{category_name(category)} {figure_text(Figure.estimated(value))}" for category, value in self.parts
        ]
        return ", ".join([f"{name} {figure_text(self.total)}", *parts])


def size_of(breakdown: object) -> ContextSize | None:
    """Read a stored breakdown; None for anything else, since a file may hold anything."""
    if not isinstance(breakdown, Mapping):
        return None
    total = _figure(breakdown.get("total"))
    categories = breakdown.get("categories")
    if total is None or not isinstance(categories, Mapping):
        return None
    found = [(category, _figure(categories.get(category.text))) for category in Category]
    window = _compaction_sizes_number(breakdown.get("window"))
    return ContextSize(
        total, tuple((category, figure.value) for category, figure in found if figure and figure.value), window
    )


def told_size(total: Figure, seen: Breakdown | None) -> ContextSize:
    """Return a reported total, divided in the proportions of a computed breakdown; undivided when they disagree."""
    computed = seen.total.value if seen is not None else None
    if seen is None or not computed or not total.value or not 1 / AGREES <= computed / total.value <= AGREES:
        return ContextSize(total)
    shares = [
        (category, round((figure.value or 0) * total.value / computed))
        for category, figure in seen.categories.items()
    ]
    return ContextSize(total, tuple((category, value) for category, value in shares if value))


class SizesPiece(SinglePiece):
    """Two bars: `Before ▇▇▇▇▇▇▇ 124.6k` above `After ▇ ≈ 9.4k`."""

    def __init__(self, style: CardStyle, before: ContextSize, after: ContextSize, gap: int = 3) -> None:
        super().__init__(style, gap)
        self.rows = ((tr("Before"), before), (tr("After"), after))
        self._whole = max(1, *(max(size.total.value or 0, size.window) for size in (before, after)))

    def measure(self, _width: int) -> int:
        return len(self.rows) * self.style.px(metrics.SMALL_LINE)

    def spans(self, row: int) -> list[tuple[str, QRectF]]:
        """Return the segments of a bar as (colour token, rectangle); one segment when the parts are unknown."""
        _name, size = self.rows[row]
        bar = self._bar(row)
        parts = [(COLORS[category], value) for category, value in size.parts] or [("dim", size.total.value or 0)]
        out, left = [], bar.left()
        for color, value in parts:
            width = min(bar.width() * value / self._whole, bar.right() - left)
            out.append((color, QRectF(left, bar.top(), width, bar.height())))
            left += width
        return out

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        height = self.style.px(metrics.SMALL_LINE)
        painter.setFont(self.style.font("small"))
        for row, (name, size) in enumerate(self.rows):
            line = QRect(0, row * height, self.rect.width(), height)
            painter.setPen(self.style.color("dim"))
            painter.drawText(line, int(_LEFT), name)
            painter.drawText(line, int(_RIGHT), figure_text(size.total))
            self._paint_bar(painter, row)

    def text(self) -> str:
        return "\n".join(size.words(name) for name, size in self.rows)

    def tip_at(self, _point: object) -> str:
        return self.text()

    def _paint_bar(self, painter: QPainter, row: int) -> None:
        bar, radius = self._bar(row), self.style.px(metrics.RADIUS_BAR)
        outline = QPainterPath()
        outline.addRoundedRect(bar, radius, radius)
        painter.save()
        painter.setClipPath(outline)
        painter.fillRect(bar, self.style.color("free"))
        for color, place in self.spans(row):
            painter.fillRect(place, self.style.color(color))
        painter.restore()

    def _bar(self, row: int) -> QRectF:
        font = self.style.font_metrics("small")
        left = max(font.horizontalAdvance(name) for name, _ in self.rows) + self.style.space(5)
        right = max(font.horizontalAdvance(figure_text(size.total)) for _, size in self.rows) + self.style.space(5)
        height, line = self.style.space(4), self.style.px(metrics.SMALL_LINE)
        return QRectF(left, row * line + (line - height) / 2, max(self.rect.width() - left - right, 1), height)


def _figure(value: object) -> Figure | None:
    if not isinstance(value, Mapping):
        return None
    number, kind = value.get("value"), _KINDS.get(str(value.get("kind")))
    if kind is None or kind is FigureKind.UNKNOWN or not isinstance(number, int) or not 0 <= number <= MOST:
        return None
    return Figure(number, kind)


def _compaction_sizes_number(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value <= MOST else 0


PART = "summary"
FOLDED = 700  # characters of the summary shown before it is unfolded


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a compaction: sizes, figures, actions and the summary."""
    entry = content.entry
    sizes = _sizes(content)
    before, after = (size.total.value or 0 if size is not None else 0 for size in sizes)
    title = [Word(_title(*sizes), "summary", "small_bold", icon="diamond")]
    head = HeadPiece(style, title, _right(content, before, after))
    summary, files = split_file_lists(plain_text(entry.body.blocks))
    bars = [SizesPiece(style, sizes[0], sizes[1])] if sizes[0] is not None and sizes[1] is not None else []
    inside: list[Piece] = [head, *bars, *_summary(style, content, summary), _foot(style, content, files)]
    return [
        FramePiece(style, inside, fill="summary_bg", border="summary", padding=(5, 6), radius=metrics.RADIUS_CARD)
    ]


def _sizes(content: CardContent) -> tuple[ContextSize | None, ContextSize | None]:
    """Return the sizes before and after: as stored by Stemmata, else as the source noted, else as computed."""
    details, usage = content.entry.details, content.entry.row.usage
    seen_before, seen_after = content.sizes or (None, None)
    noted = usage.total if usage is not None else 0
    before = size_of(details.get("before")) or (told_size(Figure.reported(noted), seen_before) if noted > 0 else None)
    told = _number(content, "tokensAfter")
    left = Figure.reported(told) if told else seen_after.total if seen_after is not None else UNKNOWN
    after = size_of(details.get("after")) or (told_size(left, seen_after) if left.value else None)
    return before, after


def _title(before: ContextSize | None, after: ContextSize | None) -> str:
    if before is not None and after is not None:
        words = tr("Compacted {before} → {after}")
        return words.format(before=figure_text(before.total), after=figure_text(after.total))
    return (
        tr("Compacted {before}").format(before=figure_text(before.total)) if before is not None else tr("Compacted")
    )


def _right(content: CardContent, before: int, after: int) -> list[Word]:
    facts = [writer] if (writer := _writer(content)) else []
    kept = _number(content, "kept")
    facts += [tr("%Ln entries kept", None, kept)] if kept else []
    facts += [change(round(100 * after / before) - 100)] if before and after else []
    # a word for each fact, so that a narrow head leaves out only those that do not fit
    words = [Word(fact, "dim") for fact in (*(f"{fact} ·" for fact in facts[:-1]), *facts[-1:])]
    if isinstance(content.entry.details.get("signed"), dict):
        tip = tr("Signed by its provider, which receives it unchanged")
        words.append(Word(tr("signed"), "dim", tip=tip))
    words.append(Word(tr("Edit"), "dim", action=Action(Request.EDIT_COMPACTION), tip=tr("Edit this summary")))
    words.append(
        Word(
            tr("Undo"),
            "dim",
            action=Action(Request.UNDO_COMPACTION),
            tip=tr("Move the leaf to the entry before this compaction"),
        )
    )
    return words


def _writer(content: CardContent) -> str:
    """Return the summary's writer for the head: the user, the digest or the model's name; "" when unknown."""
    details = content.entry.details
    writer = details.get("model") or details.get("summariser")
    match writer:
        case "person":
            return tr("Edited by you")
        case "digest":
            return tr("Digest")
        case str():
            return writer
    return ""


def _summary(style: CardStyle, content: CardContent, text: str) -> list[Piece]:
    if len(text) <= FOLDED or PART in content.unfolded:
        out = parts.long_prose(style, content, text, gap=2)
        fold = [_fold(style, tr("Show less"))] if len(text) > FOLDED else []
        return [*out, *fold]
    end = text.rfind("\n", FOLDED // 2, FOLDED)
    return [
        *parts.prose(style, text[: end if end > 0 else FOLDED], gap=2),
        _fold(style, tr("Show the whole summary")),
    ]


def _fold(style: CardStyle, words: str) -> Piece:
    return LinePiece(style, [Word(words, "accent", action=Action(Request.FOLD, PART))], gap=1)


def _foot(style: CardStyle, content: CardContent, files: ListedFiles) -> Piece:
    details = content.entry.details
    names = ("readFiles", "modifiedFiles", "openTasks")
    read, modified, tasks = (len(found) if isinstance(found := details.get(name), list) else 0 for name in names)
    listed = "\n".join((*files.modified, *files.read))
    words = parts.files_word(
        read or len(files.read),
        modified or len(files.modified),
        tr("%Ln open tasks", None, tasks) if tasks else "",
        tip=listed,
    )
    count = _number(content, "summarised")
    link = tr("show the %Ln summarised entries", None, count) if count else tr("show the summarised entries")
    shown = Word(link, "dim", action=Action(Request.SHOW_SUMMARISED), underlined=True)
    if not style.offers(shown.action):
        return LinePiece(style, words, gap=2)
    return LinePiece(style, [*(replace(word, text=f"{word.text} ·") for word in words), shown], gap=2)


def _number(content: CardContent, name: str) -> int:
    value = content.entry.details.get(name)
    return value if isinstance(value, int) and value > 0 else 0

"""A compaction: what the model is told instead of what came before."""

from __future__ import annotations

from dataclasses import replace

from stemmata.domain.compaction.summary.sections import ListedFiles, files_apart
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.tokens import UNKNOWN, Figure
from stemmata.gui.cards import parts
from stemmata.gui.cards.compaction_sizes import Size, SizesPiece, size_of, told_size
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import HeadPiece, LinePiece, Word
from stemmata.gui.cards.piece import Frame, Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_line import details_of
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.categories import figure_text
from stemmata.gui.widgets.figures import change

PART = "summary"
FOLDED = 700  # characters of the summary shown before it is unfolded


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    entry = content.entry
    sizes = _sizes(content)
    before, after = (size.total.value or 0 if size is not None else 0 for size in sizes)
    title = [Word(_title(*sizes), "summary", "small_bold", icon="diamond")]
    head = HeadPiece(style, title, _right(content, before, after))
    summary, files = files_apart(plain_text(entry.body.blocks))
    bars = [SizesPiece(style, sizes[0], sizes[1])] if sizes[0] is not None and sizes[1] is not None else []
    inside: list[Piece] = [head, *bars, *_summary(style, content, summary), _foot(style, content, files)]
    return [Frame(style, inside, fill="summary_bg", border="summary", padding=(5, 6), radius=metrics.RADIUS_CARD)]


def _sizes(content: CardContent) -> tuple[Size | None, Size | None]:
    """Before and after: as they were when it was made, else as its source noted and as the tree tells."""
    details, usage = details_of(content.entry), content.entry.row.usage
    seen_before, seen_after = content.sizes or (None, None)
    noted = usage.total if usage is not None else 0
    before = size_of(details.get("before")) or (told_size(Figure.reported(noted), seen_before) if noted > 0 else None)
    told = _number(content, "tokensAfter")
    left = Figure.reported(told) if told else seen_after.total if seen_after is not None else UNKNOWN
    after = size_of(details.get("after")) or (told_size(left, seen_after) if left.value else None)
    return before, after


def _title(before: Size | None, after: Size | None) -> str:
    if before is not None and after is not None:
        words = tr("Compacted {before} → {after}")
        return words.format(before=figure_text(before.total), after=figure_text(after.total))
    return (
        tr("Compacted {before}").format(before=figure_text(before.total)) if before is not None else tr("Compacted")
    )


def _right(content: CardContent, before: int, after: int) -> list[Word]:
    facts = [change(round(100 * after / before) - 100)] if before and after else []
    model = details_of(content.entry).get("model") or details_of(content.entry).get("summariser")
    facts += [str(model)] if isinstance(model, str) and model else []
    kept = _number(content, "kept")
    facts += [tr("kept {count}").format(count=kept)] if kept else []
    words = [Word(" · ".join(facts), "dim")] if facts else []
    if isinstance(details_of(content.entry).get("signed"), dict):
        tip = tr("Its provider signed it, and gets it back word for word")
        words.append(Word(tr("signed"), "dim", tip=tip))
    words.append(Word(tr("Edit"), "dim", action=Action(Request.EDIT_COMPACTION), tip=tr("Edit this summary")))
    words.append(Word(tr("Undo"), "dim", action=Action(Request.UNDO_COMPACTION), tip=tr("Go back to before this")))
    return words


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
    details = details_of(content.entry)
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
    link = tr("what was summarised (%Ln entries)", None, count) if count else tr("what was summarised")
    joined = [replace(word, text=f"{word.text} ·") for word in words]
    shown = Word(link, "dim", action=Action(Request.SHOW_SUMMARISED), underlined=True)
    return LinePiece(style, [*joined, shown], gap=2)


def _number(content: CardContent, name: str) -> int:
    value = details_of(content.entry).get(name)
    return value if isinstance(value, int) and value > 0 else 0

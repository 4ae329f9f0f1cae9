"""Texts of the context chart: its tooltip, the note beside its heading, and its sentences for screen readers."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from stemmata.domain.context.breakdown import ScaleBasis
from stemmata.domain.context.context_history import ContextHistory, Drop, Point
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.figures import Figure
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.context_words import COLORS, category_name, percent_text
from stemmata.gui.widgets.figures import figure_text, number, tokens_text
from stemmata.services.context.contexts import Timeline

MILLISECOND = 10**6


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the chart."""
    return QCoreApplication.translate("ContextChart", text, comment, count)


def notes(history: ContextHistory, position: int) -> tuple[str, str]:
    """Return the note for a position, in full and short: `≈ 124.6k · 412 of 1,002`, `≈ 124.6k`."""
    figure = figure_text(history.total(position))
    return tr("{0} · {1} of {2}").format(figure, number(position + 1), number(len(history))), figure


def moment(time: int) -> str:
    """Format a time in ns in the user's locale, such as `8 Dec 22:41`; "" when the time is unknown."""
    return f"{day(time)} {_clock(time)}" if time > 0 else ""


def ends(history: ContextHistory) -> list[tuple[str, str]]:
    """Return the labels of the first and the last entry, as pairs with the longest first: times, days, or numbers."""
    times, numbers = history.path_totals.tree.columns.time, ("1", number(len(history)))
    first, last = times[history.path_totals.path[0]], times[history.path_totals.path[-1]]
    if first <= 0 or last <= 0:
        return [numbers]
    days = day(first), day(last)
    if days[0] == days[1]:
        return [(moment(first), _clock(last)), (_clock(first), _clock(last)), numbers]
    return [(moment(first), moment(last)), days, numbers]


def drop_text(drop: Drop) -> str:
    """Describe a compaction or a pruning: `Compacted 175k → ≈ 16.7k`."""
    words = tr("Compacted {0} → {1}") if drop.kind is Kind.COMPACTION else tr("Pruned {0} → {1}")
    return words.format(figure_text(drop.before), figure_text(drop.after))


def tooltip(theme: Theme, timeline: Timeline, position: int, drop: Drop | None) -> str:
    """Return rich text with the size, the position, and a line for each category that has tokens."""
    history, point = timeline.history, timeline.history.point(position)
    dim, summary = theme.color("dim").name(), theme.color("summary").name()
    lines = [f'<b style="color:{summary}">◆ {drop_text(drop)}</b>'] if drop is not None else []
    lines.append(f"<b>{_size(timeline, position)}</b>")
    lines.append(f'<span style="color:{dim}">{_position_text(history, position)}</span>')
    if point.basis is not ScaleBasis.REPORT:
        scale = tr("Estimated, adjusted to the last report") if point.basis is ScaleBasis.CARRIED else ""
        lines.append(f'<span style="color:{dim}">{scale or tr("Messages only, estimated")}</span>')
    rows = "".join(_row(theme, *band) for band in present(point))
    return f'<div style="white-space:nowrap">{"<br>".join(lines)}</div><table cellspacing="0">{rows}</table>'


def _row(theme: Theme, category: Category, tokens: int) -> str:
    swatch, figure = theme.color(COLORS[category]).name(), figure_text(Figure.estimated(tokens))
    return (
        f'<tr><td style="color:{swatch}">■&nbsp;</td><td>{_name(category)}&nbsp;&nbsp;&nbsp;</td>'
        f'<td align="right">{figure}</td></tr>'
    )


def spoken(timeline: Timeline, position: int) -> str:
    """Describe a position for screen readers: `Entry 412 of 1,002, 10:02: ≈ 124.6k of 200k, mostly tool results`."""
    history = timeline.history
    parts = [_position_text(history, position).replace(" · ", ", ") + ": " + _size(timeline, position)]
    drop = next((drop for drop in history.drops if drop.position == position), None)
    if drop is not None:
        parts.append(drop_text(drop))
    bands = present(history.point(position))
    if bands:
        parts.append(tr("mostly {0}").format(category_name(max(bands, key=lambda band: band[1])[0]).lower()))
    return ", ".join(parts)


def outlined(timeline: Timeline) -> str:
    """Describe the whole chart in one sentence, for screen readers."""
    history = timeline.history
    count = history.path_totals.kinds.count(Kind.COMPACTION)
    compacted = tr("compacted %Ln times", None, count) if count else tr("never compacted")
    text = tr("Size of the context over %Ln entries, at most {0}, {1}.", None, len(history))
    return text.format(tokens_text(history.peak), compacted)


def present(point: Point) -> list[tuple[Category, int]]:
    """Return the categories that have tokens, in order, with their tokens."""
    return [(category, point.bands[category]) for category in Category if point.bands[category]]


def _name(category: Category) -> str:
    return tr("System and tools") if category is Category.SYSTEM else category_name(category)


def _size(timeline: Timeline, position: int) -> str:
    total, window = timeline.history.total(position), timeline.budget.window
    text = figure_text(total)
    if window is None or total.value is None:
        return text
    return tr("{0} of {1} · {2}").format(text, tokens_text(window), percent_text(total.value, window))


def _position_text(history: ContextHistory, position: int) -> str:
    """Describe a position: `Entry 412 of 1,002 · 12 Nov 10:02`."""
    place = tr("Entry {0} of {1}").format(number(position + 1), number(len(history)))
    when = moment(history.path_totals.tree.columns.time[history.path_totals.path[position]])
    return f"{place} · {when}" if when else place


def day(time: int) -> str:
    """Format the day of a time in ns, such as `8 Dec`."""
    return QLocale().toString(_at(time).date(), "d MMM")


def _clock(time: int) -> str:
    return _at(time).toString("HH:mm")  # the format of the transcript's cards


def _at(time: int) -> QDateTime:
    return QDateTime.fromMSecsSinceEpoch(time // MILLISECOND)

"""How a comparison words its figures."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.compare.turns import Totals
from stemmata.domain.entries.tokens import Figure, FigureKind
from stemmata.gui.widgets.context_words import figure_text
from stemmata.gui.widgets.figures import dollars, number

SECOND = 10**9
MINUTE, HOUR = 60, 3600
UNKNOWN = "—"
CENT = 10_000  # millionths of a dollar


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Compare", text, comment, count)


def cost_text(figure: Figure) -> str:
    """`$0.31`; less than a cent says so."""
    if figure.value is None:
        return UNKNOWN
    if 0 < figure.value < CENT:
        return _marked(figure, f"<{dollars(CENT)}")
    return _marked(figure, dollars(figure.value))


def time_text(figure: Figure) -> str:
    """`40 s`, `14 min`, `2 h 5 min`."""
    if figure.value is None:
        return UNKNOWN
    seconds = figure.value // SECOND
    if seconds < MINUTE:
        return tr("{0} s").format(seconds)
    if seconds < HOUR:
        return tr("{0} min").format(round(seconds / MINUTE))
    hours, rest = divmod(seconds, HOUR)
    minutes = rest // MINUTE
    return tr("{0} h {1} min").format(number(hours), minutes) if minutes else tr("{0} h").format(number(hours))


def turn_text(totals: Totals) -> str:
    """`2 tools · 14.1k · $0.06`: what a turn took; what is not known or nothing is left out."""
    parts = []
    if totals.calls:
        parts.append(tr("%Ln tools", None, totals.calls))
    if totals.tokens.value:
        parts.append(figure_text(totals.tokens))
    if totals.cost.value:
        parts.append(cost_text(totals.cost))
    return " · ".join(parts)


def table(left: Totals, right: Totals) -> list[tuple[str, str, str]]:
    """Name, left and right of each line of the table."""
    return [
        (tr("Turns"), number(left.turns), number(right.turns)),
        (tr("Tool calls"), number(left.calls), number(right.calls)),
        (tr("Failed commands"), number(left.failed_commands), number(right.failed_commands)),
        (tr("Tokens"), figure_text(left.tokens), figure_text(right.tokens)),
        (tr("Cost"), cost_text(left.cost), cost_text(right.cost)),
        (tr("Time"), time_text(left.time), time_text(right.time)),
    ]


def _marked(figure: Figure, text: str) -> str:
    return f"≈ {text}" if figure.kind is FigureKind.ESTIMATED else text

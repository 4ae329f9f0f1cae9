"""Counts and sizes in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.entries.tokens import Figure, FigureKind, short


def tokens_text(count: int) -> str:
    """`950`, `9.4k`, `200k`, `2M`."""
    text = short(count)
    for unit in "kM":
        text = text.replace(f".0{unit}", unit)
    return text.replace(".", QLocale().decimalPoint())


def figure_text(figure: Figure) -> str:
    """`124.6k`, `≈ 33.1k` when estimated, `—` when unknown."""
    if figure.value is None:
        return "—"
    mark = "≈ " if figure.kind is FigureKind.ESTIMATED else ""
    return mark + tokens_text(figure.value)


MILLION = 1_000_000
NO_BREAK = "\N{NO-BREAK SPACE}"


def number(count: int) -> str:
    """`1,284`, grouped as the language does."""
    return f"{count:,}".replace(",", QLocale().groupSeparator())


def counted(count: int, one: str, many: str) -> str:
    """`1 session`, `1,284 sessions`."""
    return f"{count:,} {one if count == 1 else many}"


def percent(share: float | str) -> str:
    """`17%` from hundredths, or as the language writes it; the only way percentages are written in the window."""
    shown = share if isinstance(share, str) else f"{share:.0f}"
    text = QCoreApplication.translate("Context", "{0}%").format(shown)
    return text.replace(" %", f"{NO_BREAK}%")  # never on another line than its number


def change(hundredths: int) -> str:
    """`−30%`, `+5%`: how much less or more it became."""
    return f"{'−' if hundredths <= 0 else '+'}{percent(abs(hundredths))}"


def dollars(cost: int) -> str:
    """Millionths of a dollar as `$0.31`."""
    locale = QLocale()
    if locale.language() is QLocale.Language.C:  # would write 0.31$
        return f"${cost / MILLION:,.2f}"
    return locale.toCurrencyString(cost / MILLION, "$")


def size_text(size: int) -> str:
    """Bytes as `412 MB`; one decimal below ten."""
    locale = QLocale()
    text = locale.formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    return text.replace(f"{locale.decimalPoint()}0 ", " ")

"""Counts and sizes as text, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.entries.figures import Figure, abbreviated_count


def tokens_text(count: int) -> str:
    """Format a number of tokens: `950`, `9.4k`, `200k`, `2M`."""
    text = abbreviated_count(count)
    for unit in "kM":
        text = text.replace(f".0{unit}", unit)
    return text.replace(".", QLocale().decimalPoint())


def figure_text(figure: Figure) -> str:
    """Format a figure: `124.6k`, `≈ 33.1k` when estimated, `= 33.1k` when counted, `—` when unknown."""
    if figure.value is None:
        return "—"
    return figure.kind.mark + tokens_text(figure.value)


MILLION = 1_000_000
NO_BREAK = "\N{NO-BREAK SPACE}"


def number(count: int) -> str:
    """Format a count with the language's digit groups: `1,284`."""
    return f"{count:,}".replace(",", QLocale().groupSeparator())


def counted(count: int, one: str, many: str) -> str:
    """Return a count with its noun: `1 session`, `1,284 sessions`."""
    return f"{count:,} {one if count == 1 else many}"


def percent(share: float | str) -> str:
    """Format hundredths as the language writes percentages: `17%`. Every percentage of the window comes from here."""
    shown = share if isinstance(share, str) else f"{share:.0f}"
    text = QCoreApplication.translate("Context", "{0}%").format(shown)
    return text.replace(" %", f"{NO_BREAK}%")  # keeps the sign on the line of its number


def change(hundredths: int) -> str:
    """Format a relative change in hundredths: `−30%`, `+5%`."""
    return f"{'−' if hundredths <= 0 else '+'}{percent(abs(hundredths))}"


def dollars(cost: int) -> str:
    """Format millionths of a dollar: `$0.31`."""
    locale = QLocale()
    if locale.language() is QLocale.Language.C:  # the C locale would write 0.31$
        return f"${cost / MILLION:,.2f}"
    return locale.toCurrencyString(cost / MILLION, "$")


def size_text(size: int) -> str:
    """Format a number of bytes: `412 MB`; with one decimal below ten."""
    locale = QLocale()
    text = locale.formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    return text.replace(f"{locale.decimalPoint()}0 ", " ")

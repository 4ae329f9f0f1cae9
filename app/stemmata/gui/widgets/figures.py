"""Counts and sizes in words."""

from __future__ import annotations

from PySide6.QtCore import QLocale

MILLION = 1_000_000
NO_BREAK = "\N{NO-BREAK SPACE}"


def number(count: int) -> str:
    """`1,284`, grouped as the language does."""
    return f"{count:,}".replace(",", QLocale().groupSeparator())


def counted(count: int, one: str, many: str) -> str:
    """`1 session`, `1,284 sessions`."""
    return f"{count:,} {one if count == 1 else many}"


def unbroken(text: str) -> str:
    """With percent signs that stay on the line of their number."""
    return text.replace(" %", f"{NO_BREAK}%")


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

"""Counts of tokens in short: the one way they are written in the window."""

from __future__ import annotations

from PySide6.QtCore import QLocale

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

"""Counts of tokens in short."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from stemmata.domain.tokens import short


def short_text(count: int) -> str:
    """`950`, `9.4k`, `2.0M`."""
    return short(count).replace(".", QLocale().decimalPoint())

"""Counts and sizes in words."""

from __future__ import annotations

from PySide6.QtCore import QLocale


def counted(count: int, one: str, many: str) -> str:
    """`1 session`, `1,284 sessions`."""
    return f"{count:,} {one if count == 1 else many}"


def size_text(size: int) -> str:
    """Bytes as `412 MB`; one decimal below ten."""
    text = QLocale.c().formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    return text.replace(".0 ", " ")

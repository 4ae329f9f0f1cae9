"""How the chart words what it shows."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from stemmata.gui.context import chart_words as words


def test_the_time_is_written_as_on_the_cards() -> None:
    before = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    try:
        assert "M" not in words.moment(10**18).removeprefix("9 Sep")
    finally:
        QLocale.setDefault(before)

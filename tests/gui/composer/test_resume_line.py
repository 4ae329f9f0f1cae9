"""The line above the composer of an old session, at any width."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.figures import Figure
from stemmata.gui.composer.resume_line import ResumeLine
from stemmata.gui.theme.theme import Theme
from stemmata.services.chat.resuming import ResumeChoice

CHOICE = ResumeChoice(
    session=1, whole=Figure.estimated(124_600), from_summary=Figure.estimated(9_100), share=62, fits=True
)


def test_both_chips_stay_on_one_line_and_shorten_instead(theme: Theme, qtbot: QtBot) -> None:
    line = ResumeLine()
    qtbot.addWidget(line)
    line.show_choice(CHOICE)
    seen = []
    for width in range(700, 200, -4):
        line.resize(width, line.heightForWidth(width))
        QApplication.processEvents()
        seen.append(line.whole.text())
        assert line.whole.y() == line.summary.y(), width
        assert line.rect().contains(line.summary.geometry())
    assert list(dict.fromkeys(seen)) == ["Continue in full · ≈ 124.6k", "In full · ≈ 124.6k", "In full"]
    assert line.whole.accessibleName() == "Continue in full · ≈ 124.6k"
    assert "Continue from a summary · ≈ 9.1k" in line.summary.toolTip()
    assert line.summary.accessibleName() == "Continue from a summary · ≈ 9.1k"

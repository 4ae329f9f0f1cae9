"""Names from outside on buttons, tabs and menus: Qt would take the letter after "&" for a shortcut."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from stemmata.gui.compaction.panel import SummaryChoice, SummaryTab, SummaryWriter
from stemmata.gui.composer.pickers import ComposerFoot, ModelChoice
from stemmata.gui.files.view import FileMode, FilesView
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.lineage_line import SessionLink


def test_the_model_of_the_composer(qtbot: QtBot, theme: Theme) -> None:
    foot = ComposerFoot(theme)
    qtbot.addWidget(foot)
    foot.resize(900, 40)
    foot.show()
    foot.show_choice(ModelChoice(connected=True, connection="House", model="r&d-model", level="medium"))
    assert foot.model.text() == "r&&d-model ▾"
    assert foot.model.accessibleName() == "Model: r&d-model"


def test_the_model_and_the_tabs_of_summaries(qtbot: QtBot) -> None:
    writer, tabs = SummaryWriter(), SummaryChoice()
    qtbot.addWidget(writer)
    qtbot.addWidget(tabs)
    writer.show_model("House/r&d-model")
    assert writer.model.text() == "r&&d-model ▾"
    tabs.show_choices([SummaryTab(1, "r&d-model", "r&d-model"), SummaryTab(2, "Digest", "Digest")], 1)
    assert tabs.tabText(0) == "r&&d-model"


def test_the_other_branches_of_a_file(qtbot: QtBot, theme: Theme) -> None:
    view = FilesView(theme)
    qtbot.addWidget(view)
    view.show_modes(FileMode.WHOLE, [(1, "R&D"), (2, "main")], 1)
    against = view.modes[FileMode.AGAINST]
    assert against.text() == "Compared with R&&D"
    assert against.accessibleName() == "Compared with R&D"
    assert [action.text() for action in against.menu().actions()] == ["R&&D", "main"]


def test_the_session_before_the_shown_one(qtbot: QtBot) -> None:
    link = SessionLink()
    qtbot.addWidget(link)
    link.resize(400, 20)
    link.show_session(1, "Continues “R&D”")
    assert link.text() == "Continues “R&&D”"
    link.resize(link.sizeHint())
    assert link.text() == "Continues “R&&D”", "whole in the width that it asks for"

"""The classes of the parts that a window creates after its first paint."""

from __future__ import annotations

from stemmata.gui.branches.view import BranchesView
from stemmata.gui.compaction.panel import WorkbenchPanel
from stemmata.gui.context.view import ContextColumn
from stemmata.gui.importing.clean_up_notice import CleanUpNotice
from stemmata.gui.importing.import_dialog import ImportDialog
from stemmata.gui.importing.welcome import WelcomeView
from stemmata.gui.palette.dialog import CommandPalette
from stemmata.gui.search.view import ResultsView
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.widgets.drop_target import DropTarget
from stemmata.gui.widgets.popup import TextPopup
from stemmata.gui.widgets.toast import Banner, Toast


class Views:
    """The classes of the parts: `MainWindow` loads them together, when it creates the first one."""

    branches = BranchesView
    transcript = TranscriptColumn
    context = ContextColumn
    workbench = WorkbenchPanel
    welcome = WelcomeView
    banner = Banner
    clean_up_notice = CleanUpNotice
    toast = Toast
    palette = CommandPalette
    results = ResultsView
    drop_target = DropTarget
    import_dialog = ImportDialog
    text_popup = TextPopup

"""Opens further windows, moves the focus between columns, and copies and follows links."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from stemmata.domain.entries.links import Link, parse_link
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.window.about_dialog import AboutDialog
from stemmata.gui.window.columns import first_stop
from stemmata.gui.window.main_window import MainWindow
from stemmata.gui.window.split_controller import SplitController
from stemmata.services.futures import chain, run_in_thread, then
from stemmata.version import version_text

# The names of parts that have a sheet of keys and are no columns, or take the place of one.
SHEETS = {"resultsView": "search", "filesPage": "files", "compareView": "compare", "workbenchPanel": "context"}
MOST_WINDOWS = 8  # maximum number of windows opened at once, to limit a mistake


class WindowController(QObject):
    """Opens windows, focuses columns, and copies and follows links into the archive."""

    window_wanted = Signal(object)  # key of the session to open in the new window, or None
    quit_wanted = Signal()
    session_wanted = Signal(int, object)  # key of the session, and key of an entry or None

    def __init__(self, shared: WindowContext, window: MainWindow, split: SplitController) -> None:
        super().__init__(window)
        self._services, self._bridge, self._opened, self._toast = (
            shared.services,
            shared.bridge,
            shared.opened,
            shared.toast,
        )
        self._actions, self._window, self._split = shared.actions, window, split

    def open_selected(self) -> None:
        """Open each selected session in a new window."""
        for session in self._window.sessions.selected[:MOST_WINDOWS]:
            self.window_wanted.emit(session.key)

    def show_about(self) -> None:
        """Show the version, the licences, and the ways to the pages of the documentation."""
        shown = self._window.findChild(AboutDialog)
        if shown is not None:
            shown.raise_()
            shown.activateWindow()
            return
        dialog = AboutDialog(self._window.theme, self._window, version_text())
        dialog.page_requested.connect(self.show_page)
        dialog.copy_requested.connect(self._copy_version)
        dialog.show()

    def _copy_version(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._toast.tell(self.tr("Copied {0}.").format(text))

    def show_page(self, name: str) -> None:
        """Show a page of the documentation in the browser."""
        self._bridge.when_done(run_in_thread(lambda: self._services.guide.page(name)), self._open_page)

    def _open_page(self, page: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(page))):
            self._toast.tell(self.tr("No browser could be started. The page is {0}.").format(page))

    def install_for_user(self) -> None:
        """Add the program to the menu of this user's desktop."""
        self._bridge.when_done(run_in_thread(self._services.desktop.install), self._on_installed)

    def _on_installed(self, _folder: object) -> None:
        self._toast.tell(self.tr("Stemmata is in the menu of your desktop."), self.tr("Undo"), self._remove_for_user)

    def _remove_for_user(self) -> None:
        self._bridge.when_done(run_in_thread(self._services.desktop.remove), lambda _count: None)

    def go(self, name: str) -> None:
        """Show and focus a column."""
        self._actions[f"show-{name}"].setChecked(True)
        widget = self._place_of(name)
        if widget is not None:
            widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if name == "transcript":
            self._split.view.card_cursor.start()

    def _place_of(self, name: str) -> QWidget | None:
        window = self._window
        places = {"sessions": window.sessions.list, "branches": window.branches.list, "transcript": self._split.view}
        return places.get(name) or first_stop(getattr(window, name))

    @property
    def focused_column(self) -> str:
        """The column or page that has the focus, by the name of its sheet of keys; "" for none."""
        return self.sheet_of(self._window.focusWidget())

    def sheet_of(self, focused: QWidget | None) -> str:
        """Return the name of the sheet of keys for a widget: that of its column or page; "" for none."""
        window = self._window
        places = {
            "composer": window.transcript.composer,
            "sessions": window.sessions,
            "branches": window.branches,
            "transcript": self._split.view,
            "context": window.context,
        }
        inside = (name for name, place in places.items() if _holds(place, focused))
        return next(inside, "") or _named(focused)

    # -- links --------------------------------------------------------------------------------------------------

    def copy_entry_link(self) -> None:
        """Copy a link to the selected entry of the open session."""
        session, entry = self._opened.session, self._opened.selection
        row = None if entry is None else self._services.pages.rows([entry]).get(entry)
        if session is not None and row is not None:
            self._copy([Link(session.id, row.id)])

    def copy_session_links(self) -> None:
        """Copy links to the selected sessions, one per line."""
        self._copy([Link(session.id) for session in self._window.sessions.selected])

    def follow_link(self, text: str) -> None:
        """Open the session and the entry that a link names; an invalid link is shown as an error."""
        try:
            link = parse_link(text)
        except KnownError as error:
            self._bridge.failed.emit(error)
            return
        found = self._services.sessions.find(link.session)
        if link.entry:
            key = self._services.entries.key
            entry = chain(found, lambda session: then(key(session.key, link.entry), lambda at: (session, at)))
            opens = self._opened.unless_selection_changed(
                lambda answer: self.session_wanted.emit(answer[0].key, answer[1])
            )
            self._bridge.when_done(entry, opens)
        else:
            self._bridge.when_done(found, self._opened.unless_selection_changed(self._open))

    def _open(self, session: Session) -> None:
        self.session_wanted.emit(session.key, None)

    def _copy(self, links: list[Link]) -> None:
        QGuiApplication.clipboard().setText("\n".join(map(str, links)))
        self._toast.tell(self.tr("Copied %Ln links.", None, len(links)))


def _named(focused: QWidget | None) -> str:
    """Return the name of the sheet of keys for the part around the focused widget; "" for none."""
    while focused is not None and focused.objectName() not in SHEETS:
        focused = focused.parentWidget()
    return "" if focused is None else SHEETS[focused.objectName()]


def _holds(place: QWidget, focused: QWidget | None) -> bool:
    return focused is not None and (place is focused or place.isAncestorOf(focused))

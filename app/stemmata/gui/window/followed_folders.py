"""Follows folders: imports new entries, marks their sessions in the list and shows the notices in the windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.settings.settings import FollowingNotice
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.text.phrases import translate_phrase

if TYPE_CHECKING:
    from stemmata.gui.widgets.toast import Banner
    from stemmata.gui.window.controllers import Controllers
    from stemmata.gui.window.workspace import Workspace
    from stemmata.services.services import Services


class FollowedFolders(QObject):
    """Follows folders for all windows. `active` returns the workspace whose window had the focus last."""

    def __init__(
        self,
        services: Services,
        parent: QObject,
        workspaces: Callable[[], Sequence[Workspace]],
        active: Callable[[], Workspace],
    ) -> None:
        super().__init__(parent)
        self._following, self._workspaces, self._active = services.following, workspaces, active
        self._bridge = Bridge(self)
        self._bad: dict[str, str] = {}  # subject → text of the problem that is shown and not solved yet
        self.new: dict[int, int] = {}  # session → number of new entries since it was last shown
        self._is_closed = False
        self._unsubscribe = self._following.subscribe(self._on_notice)
        self._bridge.subscribe(services.notices.subscribe)
        self._bridge.changed.connect(self._on_changed)
        self._following.follow(services.followed)

    def add_window(self, controllers: Controllers) -> None:
        """Add a window: mark sessions with new entries in its list, and show the latest open problem."""
        controllers.opened.started.connect(self._show)
        controllers.split.shown.connect(self._show)
        self._show()
        for workspace in self._workspaces():
            if self._bad and workspace.window is controllers.parent():
                workspace.window.banner.tell_error(KnownError([*self._bad.values()][-1]))

    def close(self) -> None:
        """Stop showing changes and notices."""
        self._is_closed = True
        self._unsubscribe()
        self._bridge.close()

    # -- new entries --------------------------------------------------------------------------------------------

    def _on_changed(self, changes: Sequence[ChangeSet]) -> None:
        ours = [change for change in changes if change.initiator is self._following]
        for change in ours:
            if change.session is not None and change.entries:
                self.new[change.session] = self.new.get(change.session, 0) + len(change.entries)
        if ours:
            self._show()

    def _show(self) -> None:
        if self._is_closed:
            return  # windows close one after the other, and each emits that its session is closed
        for workspace in self._workspaces():
            for session in workspace.controllers.split.sessions if workspace.is_wired else ():
                self.new.pop(session, None)
        for workspace in self._workspaces():
            workspace.window.sessions_model.set_new(self.new)

    # -- notices ---------------------------------------------------------------------------------------

    def _on_notice(self, news: FollowingNotice) -> None:
        """Pass a notice to the GUI thread; called on another thread."""
        heard: Future[FollowingNotice] = Future()
        heard.set_result(news)
        self._bridge.when_done(heard, self._tell)

    def _tell(self, news: FollowingNotice) -> None:
        """Show a problem in the banner of every window until it is solved, and any other notice in a toast."""
        if news.bad:
            self._bad[news.about] = news.text
            for workspace in self._workspaces():
                workspace.window.banner.tell_error(KnownError(news.text))
            return
        over = self._bad.pop(news.about, None)
        for workspace in self._workspaces():
            banner = workspace.window.banner
            if over is not None and banner.isVisible() and banner.text == translate_phrase(over):
                self._tell_rest(banner)
        self._active().window.toast.tell(translate_phrase(news.text))

    def _tell_rest(self, banner: Banner) -> None:
        """Show the latest unsolved problem in the banner, or hide the banner when none is left."""
        rest = list(self._bad.values())
        if rest:
            banner.tell_error(KnownError(rest[-1]))
        else:
            banner.hide()

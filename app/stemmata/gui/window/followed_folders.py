"""Sessions that grow in followed folders: started for the program, told in the window, marked in the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from stemmata.domain.entries.changes import ChangeSet
from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import FollowingNotice
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.text.phrases import translate_phrase
from stemmata.services.services import Services

if TYPE_CHECKING:
    from stemmata.gui.widgets.toast import Banner
    from stemmata.gui.window.controllers import Controllers
    from stemmata.gui.window.workspace import Workspace


class FollowedFolders(QObject):
    """One for the program. `active` is the one of the `workspaces` in whose window somebody works."""

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
        self._bad: dict[str, str] = {}  # what was told and still holds, by what it is about
        self.new: dict[int, int] = {}  # session → entries that came since somebody looked at it
        self._is_closed = False
        self._unsubscribe = self._following.subscribe(self._hear)
        self._bridge.subscribe(services.notices.subscribe)
        self._bridge.changed.connect(self._on_changed)
        self._following.follow(services.followed)

    def take_in(self, controllers: Controllers) -> None:
        """A window: what has come is marked in its list, until it is opened there, and what is amiss is told."""
        controllers.opened.started.connect(self._show)
        controllers.split.shown.connect(self._show)
        self._show()
        for workspace in self._workspaces():
            if self._bad and workspace.window is controllers.parent():
                workspace.window.banner.tell_error(KnownError([*self._bad.values()][-1]))

    def close(self) -> None:
        self._is_closed = True
        self._unsubscribe()
        self._bridge.close()

    # -- what has come --------------------------------------------------------------------------------------------

    def _on_changed(self, changes: Sequence[ChangeSet]) -> None:
        ours = [change for change in changes if change.initiator is self._following]
        for change in ours:
            if change.session is not None and change.entries:
                self.new[change.session] = self.new.get(change.session, 0) + len(change.entries)
        if ours:
            self._show()

    def _show(self) -> None:
        if self._is_closed:
            return  # the windows go one after the other, and each tells that its session is closed
        for workspace in self._workspaces():
            for session in workspace.controllers.split.sessions if workspace.is_wired else ():
                self.new.pop(session, None)
        for workspace in self._workspaces():
            workspace.window.sessions_model.set_new(self.new)

    # -- what is to be told ---------------------------------------------------------------------------------------

    def _hear(self, news: FollowingNotice) -> None:
        """On another thread."""
        heard: Future[FollowingNotice] = Future()
        heard.set_result(news)
        self._bridge.when_done(heard, self._tell)

    def _tell(self, news: FollowingNotice) -> None:
        """Trouble stays in every window until it is over; then, and where nothing is amiss, a word in passing."""
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
        """What is still amiss, now that this banner’s trouble is over."""
        rest = list(self._bad.values())
        if rest:
            banner.tell_error(KnownError(rest[-1]))
        else:
            banner.hide()

"""Going on from elsewhere: before a branch is left, what should become of it is asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPushButton, QVBoxLayout, QWidget

from stemmata.domain.compaction.branch_summary import destination, left_behind
from stemmata.domain.entries.tree import Tree
from stemmata.gui.branches.leaf_controller import LeafController
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.bridge import Run
from stemmata.gui.core.window_context import Desk
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.popup import Popup
from stemmata.services.sessions.branching import Position

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Right: 1}


class LeavePopup(Popup):
    """Answered by a button; Esc or a click elsewhere takes the question back, and nothing happens."""

    answered = Signal(object, bool)  # focus of the summary ("" for none in particular) or None, and not to ask again

    def __init__(self, theme: Theme, host: QWidget) -> None:
        super().__init__(host, "leavePopup")
        self._theme = theme
        self.text = label(wrap=True)
        self.go = push_button(self.tr("Just go"), lambda: self._answer(None))
        self.summarise = push_button(self.tr("Summarise the branch I leave"), lambda: self._answer(""))
        self.with_focus = push_button(self.tr("Summarise with focus…"), self._ask_focus)
        self.focus = QLineEdit()
        self.focus.setPlaceholderText(self.tr("What should the summary keep most of?"))
        self.focus.setAccessibleName(self.focus.placeholderText())
        self.focus.returnPressed.connect(lambda: self._answer(self.focus.text().strip()))
        self.always = QCheckBox(self.tr("Do the same without asking until Stemmata is closed"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[5]] * 4)
        column.setSpacing(metrics.SPACE[3])
        for widget in (self.text, *self._buttons, self.focus, self.always):
            column.addWidget(widget)

    @property
    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.go, self.summarise, self.with_focus

    def ask(self, at: QPoint, text: str, *, may_go: bool = True) -> None:
        """Open at this global point. Without `may_go` a summary is what was asked for, and only its focus is open."""
        self.text.setText(text)
        self.setAccessibleName(text)
        self.focus.clear()
        self.focus.hide()
        self.with_focus.show()
        self.always.setChecked(False)
        for widget in (self.go, self.always):
            widget.setVisible(may_go)
        self.summarise.setText(self.tr("Summarise the branch I leave") if may_go else self.tr("Summarise"))
        self._fit()
        first = self.go if may_go else self.summarise
        self.open_at(at, first, above=self._theme.px(metrics.NAVIGATOR_ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        shown = [button for button in self._buttons if not button.isHidden()]
        at = next((at for at, button in enumerate(shown) if button.hasFocus()), None)
        if key in _STEPS:
            shown[((at or 0) + _STEPS[key]) % len(shown)].setFocus(Qt.FocusReason.TabFocusReason)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and at is not None:
            shown[at].click()
        else:
            super().keyPressEvent(event)

    def _ask_focus(self) -> None:
        self.with_focus.hide()
        self.focus.show()
        self._fit()
        self.focus.setFocus()

    def _fit(self) -> None:
        width, layout = self._theme.px(metrics.POPUP), self.layout()
        assert layout is not None
        layout.invalidate()  # other parts are shown than the height was found for
        layout.activate()
        self.resize(width, layout.totalHeightForWidth(width))

    def _answer(self, focus: str | None) -> None:
        self.hide()
        self.answered.emit(focus, self.always.isChecked())


_ASK = object()


class LeaveController(QObject):
    """Counting what is left takes long in a long session, so it is done in the background."""

    def __init__(self, desk: Desk, view: BranchesView, leaf: LeafController) -> None:
        super().__init__(view)
        self._services, self._bridge, self._toast = desk.services, desk.bridge, desk.toast
        self._opened, self._background = desk.opened, desk.background
        self._view, self._leaf = view, leaf
        self._always: object = _ASK  # or the answer that is given from now on: a focus, or None to just go
        self._run = Run()
        self._answer: Callable[[str | None], None] = lambda _focus: None
        desk.opened.started.connect(self._forget)

    @cached_property
    def popup(self) -> LeavePopup:
        """Made when something is left for the first time."""
        made = LeavePopup(self._view.theme, self._view.window())
        made.answered.connect(lambda focus, always: self._on_answered(focus, always=always))
        return made

    def continue_from(self, key: int) -> None:
        """Move the leaf to an entry, or above a prompt; ask first when something is left by that."""

        def answer(focus: str | None) -> None:
            self._leaf.continue_from(key, focus)

        def decide(count: int) -> None:
            if not count:
                answer(None)
            elif self._always is _ASK:
                text = self.tr("You leave %Ln messages of the active branch. They stay in the tree.", None, count)
                self._ask(key, text, answer)
            else:
                answer(self._always if isinstance(self._always, str) else None)

        self._count(key, lambda tree, entry: destination(tree, entry, ()).leaf, decide)

    def summarise_from(self, key: int) -> None:
        """Put a summary in the place of everything from an entry of the active branch on."""
        skeleton, leaf = self._opened.skeleton, self._opened.leaf
        entry = None if skeleton is None else skeleton.tree.get(key)
        if skeleton is None or entry is None:
            return
        if leaf is None or not skeleton.tree.is_ancestor(entry, leaf):
            self._toast.tell(self.tr("Only the active branch can be summarised. Continue from there first."))
            return
        tree, session, above = skeleton.tree, skeleton.session.key, skeleton.tree.parents[entry]
        parent = None if above < 0 else tree.key(above)

        def answer(focus: str | None) -> None:
            self._opened.follow_leaf()
            future = self._services.branching.leave_with_summary(session, parent, focus or "")
            self._bridge.when_done(future, self._on_summarised)

        def decide(count: int) -> None:
            text = self.tr(
                "A summary takes the place of %Ln messages. They stay in the tree, as a branch of their own.",
                None,
                count,
            )
            self._ask(key, text, answer, may_go=False)

        self._count(key, lambda _tree, _entry: None if above < 0 else above, decide)

    def _count(self, key: int, target: Callable[[Tree, int], int | None], decide: Callable[[int], None]) -> None:
        skeleton, leaf = self._opened.skeleton, self._opened.leaf
        entry = None if skeleton is None else skeleton.tree.get(key)
        if skeleton is not None and entry is not None:
            tree = skeleton.tree
            counted = self._background.submit(lambda: left_behind(tree, leaf, target(tree, entry)))
            self._bridge.when_done(counted, decide, run=self._run)

    def _ask(self, key: int, text: str, answer: Callable[[str | None], None], *, may_go: bool = True) -> None:
        self._answer = answer
        self.popup.ask(self._view.point_of(key), text, may_go=may_go)

    def _forget(self) -> None:
        """What is asked is about the session that was open, and moves nothing in another one."""
        self._run.cancel()
        self._answer = lambda _focus: None
        if "popup" in vars(self):
            self.popup.hide()

    def _on_answered(self, focus: str | None, *, always: bool) -> None:
        if always:
            self._always = focus
        self._answer(focus)

    def _on_summarised(self, position: Position) -> None:
        if position.session == self._opened.key:
            self._opened.selection = position.leaf
        text = self.tr("Summarised. The branch is kept beside its summary.")
        self._toast.tell(text, self.tr("Undo"), self._leaf.undo)

"""The transcript view: a list of any length in which only the visible cards exist as widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QScrollBar, QToolButton, QWidget

from stemmata.domain.compaction.plan import Plan
from stemmata.domain.context.projection import Projection
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.growing import Numbers
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.terminal_text import terminal_text
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.parts import pretty
from stemmata.gui.cards.style import CardStyle, LoadPicture
from stemmata.gui.core.actions import ColumnKeys
from stemmata.gui.core.pages import PageCache
from stemmata.gui.core.shown_path import PathShape, TailPath, TranscriptPath, TreePath
from stemmata.gui.core.streams import StreamingReply
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.accessible import ReadableTranscript, announce_reading, make_accessible
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.cursor import TranscriptCursor
from stemmata.gui.transcript.cut import CutPreview, TranscriptCut
from stemmata.gui.transcript.estimates import Estimates
from stemmata.gui.transcript.idle import IdlePreparations, IdleWork, LayoutAllowance
from stemmata.gui.transcript.layout import CardInSight, MeasuredCard, TranscriptLayout
from stemmata.gui.transcript.match_walk import TranscriptFinding
from stemmata.gui.transcript.model import TranscriptModel
from stemmata.gui.transcript.placeholders import CardPlaceholders
from stemmata.gui.transcript.reading_position import MOST_NEW, ReadingPosition
from stemmata.gui.transcript.selection import DragScroll, TranscriptSelection
from stemmata.gui.transcript.stream import TranscriptStream
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.gui.widgets.figures import number
from stemmata.services.ports.archive import Pages

# The selection of other columns does not apply to these requests.
LEAVES_SELECTION = frozenset({
    Request.ACTIVATE, Request.FORK, Request.EDIT, Request.REGENERATE, Request.PIN, Request.UNDO_COMPACTION,
    Request.EDIT_COMPACTION, Request.SHOW_SUMMARISED, Request.SIBLING, Request.LINK,
})  # fmt: skip

BUILD_SECONDS = 0.004  # for building cards that come into view by a step of scrolling
LATE_BUILD_SECONDS = 0.003  # of a later turn, for building the cards that were left

_Reason = Qt.FocusReason
BY_KEYS = frozenset({_Reason.TabFocusReason, _Reason.BacktabFocusReason, _Reason.ShortcutFocusReason})


class TranscriptRequests:
    """Carries out the actions of cards that need only the transcript. `arrange` lays the transcript out again."""

    def __init__(
        self,
        cards: TranscriptCards,
        cache: PageCache,
        view: TranscriptView,
        arrange: Callable[[], None],
    ) -> None:
        self._cards = cards
        self._cache = cache
        self._view = view
        self._wanted = view.wanted
        self._arrange = arrange

    def act(self, key: int, action: Action) -> None:
        """Run an action of an entry's card."""
        if action.request in LEAVES_SELECTION:
            self._cards.clear_selections(but=key)
        if key >= 0:
            self._view.card_cursor.take(key)
        match action.request:
            case Request.COPY if not self._view.unread(key):
                self._copy_entry(key)
            case Request.COPY_TEXT:
                put_on_clipboard(action.text)
            case Request.COPY_JSON:
                put_on_clipboard(action.text, change=pretty)
            case Request.COPY_OUTPUT:
                put_on_clipboard(action.text, change=terminal_text)
            case Request.FOLD:
                self._cards.toggle_parts(key, frozenset({action.text}))
                self._arrange()
            case Request.SHOW_ALL if not self._view.unread(key):
                self._cards.show_whole(key, {})
                self._arrange()
            case _:
                self._wanted.emit(key, action)

    def copy(self, text: str, *, wide: bool) -> None:
        """Copy the selected text of one card, or ask for a copy of a selection over several cards (`wide`)."""
        if wide:
            self._wanted.emit(-1, Action(Request.COPY_SELECTION))
        elif text:
            put_on_clipboard(text)

    def offers(self, key: int) -> list[tuple[str, Action]]:
        """Return the actions of an entry's card, by name."""
        card = self._cards.get(key)
        return card.offers if card is not None else []

    def _copy_entry(self, key: int) -> None:
        """Copy the entry's text as Markdown."""
        loaded = self._cache.get(key)
        if loaded is not None:
            put_on_clipboard(plain_text(self._cache.uncut(loaded).body.blocks, "\n\n"))


class SteadyScrollBar(QScrollBar):
    """A scroll bar that keeps its space when nothing can be scrolled, and paints nothing then.

    If the bar disappeared, the width of the cards would depend on their height: a picture that is too high at the
    full width and low enough beside the bar would be laid out endlessly.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class TranscriptBar:
    """The scroll bar of a transcript. `is_syncing` is True while the cards move the bar, not the user."""

    def __init__(self, bar: QScrollBar, layout: TranscriptLayout, theme: Theme) -> None:
        self._bar, self._layout, self._theme = bar, layout, theme
        self.is_syncing = False

    def sync(self) -> None:
        """Move the bar to the position of the cards."""
        bar, height = self._bar, self._layout.height
        self.is_syncing = True
        bar.setRange(0, max(self._layout.total - height, 0))
        bar.setPageStep(height)
        bar.setSingleStep(self._theme.px(metrics.ARROW_STEP))
        bar.setValue(bar.maximum() if self._layout.at_end else self._layout.top)
        self.is_syncing = False

    def sync_at_last(self, _seconds: float) -> bool:
        """Update the bar in idle time, after estimates improved."""
        self.sync()
        return False


class JumpButton(QToolButton):
    """A button over the lower right corner of its parent that jumps to the end. `show_new` also positions it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._over = parent
        self.setToolTip(self.tr("Go to the end"))
        self.setProperty("floating", True)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_new(self, count: int, most: int) -> None:
        """Show `3 new below`, or only an arrow when nothing is new. A count above `most` is shown as `most`+."""
        text = self.tr("%Ln new below", None, count) if count else ""
        if count > most:
            text = self.tr("{0}+ new below").format(number(most))
        if text != self.text():
            self._show(text)
        corner, distance = self._over.rect().bottomRight(), self._theme.px(metrics.SPACE[5])
        self.move(corner.x() + 1 - self.width() - distance, corner.y() + 1 - self.height() - distance)
        self.raise_()  # keep the button above widgets that were created later

    def _show(self, text: str) -> None:
        styles = Qt.ToolButtonStyle
        self.setText(text)
        self.setToolButtonStyle(styles.ToolButtonTextBesideIcon if text else styles.ToolButtonIconOnly)
        self.setAccessibleName(", ".join(filter(None, (self.tr("Go to the end"), text))))
        side = self._theme.px(metrics.JUMP_BUTTON)
        self.setFixedSize(QSize(self.sizeHint().width() if text else side, side))

    def _restyle(self) -> None:
        icon = self._theme.px(metrics.ICON)
        self.setIcon(self._theme.icon("jump-down"))
        self.setIconSize(QSize(icon, icon))
        self._show(self.text())


class TranscriptView(ReadableTranscript):
    """The view of a transcript. Signals carry store keys. It reads a few entries at a time from `pages`."""

    wanted = Signal(int, object)  # store key, Action of its card
    action_given = Signal(str)  # id of the action of a key
    focused = Signal()
    cut_moved = Signal(int)  # store key of the first kept entry
    pin_requested = Signal(int)  # store key of an entry
    held_cut_chosen = Signal()

    def __init__(self, theme: Theme, pages: Pages) -> None:
        super().__init__()
        self._set_up()
        self._theme = theme
        self._keys = ColumnKeys()
        self.pages = pages
        self.load_picture: LoadPicture | None = None
        self._cache = PageCache(pages)
        self._cards = TranscriptCards(self.viewport(), self._cache, self._new_style(), self.act)
        self._allowance = LayoutAllowance(self)
        self._arranges_later = False  # whether `arranged_once` lays out the cards at its end
        self._has_scrolled = False  # whether the last layout followed from scrolling
        self._cards.allowance = self._allowance.until
        self._requests = TranscriptRequests(self._cards, self._cache, self, self._arrange)
        self._layout = TranscriptLayout(self._new_model(TailPath(())), self._measure)
        self.selection = TranscriptSelection(self._cards, self._layout)
        self.drag = DragScroll(self.viewport(), self.scroll_by, self.selection.extend)
        self._cards.wants_whole = lambda key: self.wanted.emit(key, Action(Request.SHOW_ALL))
        self._cards.dragged, self._cards.released = self.drag.drag_to, self._on_released
        self._reading = ReadingPosition(self._layout, self._on_read)
        self.card_cursor = TranscriptCursor(
            theme, self.viewport(), self._layout, self._cards, self._reading,
            arrange=self._arrange, act=self._requests.act,
        )  # fmt: skip
        self.card_cursor.moved.connect(lambda _key: announce_reading(self))
        self.placeholders = CardPlaceholders(theme, self.viewport())
        self._bar = TranscriptBar(self.verticalScrollBar(), self._layout, theme)
        self.jump_button = JumpButton(theme, self.viewport())
        self.jump_button.clicked.connect(self.scroll_to_end)
        self._cut = TranscriptCut(theme, self.viewport(), self._layout)
        self._cut.moved.connect(self.cut_moved)
        self._cut.pin_requested.connect(self.pin_requested)
        self._cut.held_chosen.connect(self.held_cut_chosen)
        self._cut.scroll_requested.connect(self.scroll_by)
        self._stream = TranscriptStream(
            self.viewport(), self._layout, self._new_style, self._arrange_anew, partial(self._requests.act, -1)
        )
        self._stream.allowance = self._allowance.until
        self.finding = TranscriptFinding(self._layout, self._cards, self._show_anew, TurnSteps(self))
        self._ahead = IdlePreparations(self._layout, self._cards, self._cache)
        self.idle = IdleWork(
            self, (self._arrange_late, *self._ahead.soon), (*self._ahead.later, self._bar.sync_at_last)
        )
        theme.texts_changed.connect(self._on_theme_changed)
        theme.code_changed.connect(self._on_theme_changed)
        make_accessible(self)

    def _set_up(self) -> None:
        """Set the properties of the widget."""
        self.setObjectName("transcriptView")
        self.setAccessibleName(self.tr("Transcript"))
        self.setProperty("surface", "bg")
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # each paragraph has its own direction
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # lets scrolling copy pixels
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBar(SteadyScrollBar(Qt.Orientation.Vertical))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    # -- display ---------------------------------------------------------------------------------------------

    def set_folder(self, folder: str) -> None:
        """Set the folder of the session that is shown next; paths inside it are displayed relative to it."""
        self._cards.set_folder(folder)

    def show_tail(self, keys: Sequence[int]) -> None:
        """Show the last entries of another session at once, before its tree is loaded."""
        self._cache.clear()
        self._cards.forget_state()
        self.card_cursor.forget()
        self._drop_preview()
        self._reading.take(self._new_model(TailPath(self._cache.rows(keys))), anew=True)
        self._reading.follow()
        self._arrange()

    def open_tools(self, *, on: bool) -> None:
        """Show calls of tools with their arguments and output, or only as lines."""
        if self._cards.open_tools(on=on):
            self._arrange_anew()

    def show_path(self, tree: Tree, path: Numbers, projection: Projection | None = None) -> None:
        """Show a path: indices of the tree, from a root on.

        The entry being read keeps its place when it is on the path.
        """
        self._hold_built()
        requested = self._reading.requested
        place, model = (
            requested or self._reading.place,
            self._new_model(TreePath(tree, path, projection), self._layout.model),
        )
        self.setAccessibleDescription(self.tr("%Ln entries", None, len(model)))
        self._reading.take(model)
        self._keep_preview(model.path)
        at = model.path.position(place[0]) if place is not None else None
        if self._reading.follows or place is None or at is None:
            self._reading.follow()
        elif requested is not None:
            self._reading.stay_at(at, place[1])
        else:
            self._layout.go_to(at, place[1])
        self._cards.refresh_marks(model)
        self._arrange()

    def show_replies(self, replies: Sequence[StreamingReply]) -> None:
        """Show streaming replies below the path; an empty sequence shows none."""
        self._stream.show(replies)

    def clear(self) -> None:
        """Show no session."""
        self.show_tail([])

    def scroll_to(self, key: int) -> None:
        """Scroll an entry to the upper edge. Ignored when the entry is not on the path."""
        at = self._layout.model.path.position(key)
        if at is not None:
            self.card_cursor.take(key)
            self._layout.go_to(at)
            self._reading.stay(self._layout.at)
            self._arrange()

    @property
    def visible_entry(self) -> int:
        """Store key of the entry being read; -1 for none."""
        return self._reading.entry

    @property
    def focused_entry(self) -> int:
        """Store key of the entry under the cursor while its card is in view, else of the entry being read."""
        return self.card_cursor.visible_key if self.card_cursor.visible_key >= 0 else self._reading.entry

    def use_keys(self, keys: ColumnKeys) -> None:
        """Set the keys that `action_given` reports."""
        self._keys = keys

    @property
    def place(self) -> tuple[int, int] | None:
        """Store key of the card at the upper edge and its pixels above the edge; None while following the end."""
        return None if self._reading.follows else self._reading.place

    def show_place(self, key: int, offset: int) -> None:
        """Restore a position read from `place`. Ignored when the entry is not on the path."""
        at = self._layout.model.path.position(key)
        if at is not None:
            self._reading.stay_at(at, offset)
            self._arrange()

    def scroll_to_end(self) -> None:
        """Scroll to the newest entry and follow new entries."""
        self._reading.follow()
        self._arrange()

    def set_preview(self, plan: Plan | None, replaced: int = 0) -> None:
        """Preview a compaction of the path, with a cut that can be dragged; None ends the preview.

        `replaced` is the number of tokens that the summary replaces, scaled as the context's figures.
        """
        path, was_open = self._layout.model.path, self._cards.preview is not None
        preview = CutPreview(path, plan, replaced) if plan is not None and isinstance(path, TreePath) else None
        self._cards.preview = preview
        self._cut.show(preview)
        with self._cards.build_for(BUILD_SECONDS):
            if preview is not None and not was_open:
                self._show_cut(preview.cut)
            self._cards.refresh_marks(self._layout.model)
            self._arrange()

    def hold_cut(self, key: int | None, name: str = "") -> None:
        """Mark the cut that is compared with the previewed one, above the entry with this key; None for no mark."""
        self._cut.hold(key, name)

    def warm_up(self) -> None:
        """Load in idle time the modules that the first displayed card needs."""
        self._cards.warm_up()

    @property
    def follows_end(self) -> bool:
        """Whether new entries are scrolled into view."""
        return self._reading.follows

    @property
    def visible_keys(self) -> list[int]:
        """Store keys of the visible cards, from the top."""
        return [self._layout.model.path.key(placed.at) for placed in self._layout.placed]

    @property
    def card_count(self) -> int:
        """The number of card widgets; bounded for any length of the path."""
        return self._cards.count

    def selected_text(self) -> str:
        """The selected text of the visible cards."""
        return "\n\n".join(filter(None, (self._cards.selected_text(), self._stream.selected_text())))

    # -- scrolling -------------------------------------------------------------------------------------------

    def scroll_by(self, dy: int) -> None:
        """Scroll by pixels, positive for down."""
        self._reading.scrolled()
        with self._cards.build_for(BUILD_SECONDS):
            self._move_by(dy)
            self._arrange_and_follow()

    def _move_by(self, dy: int) -> None:
        self._ahead.direction = dy
        self._hold_built()
        self._layout.scroll_by(dy)
        if abs(dy) >= self.viewport().height():
            self._cards.build_another()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()
        if event.reason() in BY_KEYS:
            self.card_cursor.start()
        else:
            self.card_cursor.place(focused=True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.card_cursor.place(focused=False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta().y()
        notches = event.angleDelta().y() / 120
        self.scroll_by(-pixels if pixels else -round(notches * self._theme.px(metrics.WHEEL_STEP)))
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Take the transcript's keys before the shortcuts of the window, while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()
            return True
        return super().event(event)

    def _takes(self, event: QKeyEvent) -> bool:
        """Return whether a key is one of the transcript; Esc is one while the cursor is inside a card."""
        return bool(self._keys.id_of(event)) or (event.key() == Qt.Key.Key_Escape and self.card_cursor.is_inside)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        id = self._keys.id_of(event)
        if event.matches(QKeySequence.StandardKey.Copy):
            self._requests.copy(self.selected_text(), wide=self.selection.is_wide)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.select_all()
        elif id:
            self.action_given.emit(id)
        elif event.key() == Qt.Key.Key_Escape and self.card_cursor.leave():
            pass
        else:
            event.ignore()  # for the parent widgets, and no scrolling by Qt

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Follow the scroll bar: scroll by a small step, or jump."""
        if self._bar.is_syncing:
            return
        self._reading.scrolled()
        value = self.verticalScrollBar().value()
        delta = value - self._layout.top
        with self._cards.build_for(BUILD_SECONDS):
            if abs(delta) <= 2 * self.viewport().height():
                self._move_by(delta)
            else:
                self._ahead.direction = delta
                if not self._has_card_at(value):
                    self._cards.release(set())
                    self._ahead.read_from(value)
                self._layout.go_to_y(value)
            self._arrange_and_follow()
        self.drag.scrolled()

    def _has_card_at(self, y: int) -> bool:
        """Return whether the card at a height of the whole transcript exists, so that it need not be built."""
        model = self._layout.model
        return len(model) > 0 and self._cards.get(model.path.key(model.heights.at(y))) is not None

    # -- laying out ------------------------------------------------------------------------------------------

    def _measure(self, model: TranscriptModel, at: int, sight: CardInSight) -> MeasuredCard:
        return self._cards.measure(model, at, self.viewport().width(), sight)

    @contextmanager
    def arranged_once(self) -> Iterator[None]:
        """Lay out the cards once at the end: a change of the width and of the place would do so twice.

        The window changes around them in the same turn, so cards may be left for later as when one scrolls.
        """
        outer, self._arranges_later = self._arranges_later, True
        try:
            yield
        finally:
            self._arranges_later = outer
            with self._cards.build_for(BUILD_SECONDS):
                self._arrange()

    def _arrange(self) -> None:
        if self._arranges_later:
            return
        self._cards.begin_layout()
        self._has_scrolled = False
        self._layout.arrange()
        path, width = self._layout.model.path, self.viewport().width()
        shown = {path.key(placed.at): placed for placed in self._layout.placed}
        ready = {path.key(at) for at in self._ahead.positions()}
        self._cards.release(set(shown) | ready)
        self._cards.tidy()
        self._cards.put({key: QRect(0, placed.y, width, placed.height) for key, placed in shown.items()})
        missing = [placed for key, placed in shown.items() if key in self._cards.missing]
        self.placeholders.show([QRect(0, placed.y, width, placed.height) for placed in missing])
        self._stream.place()
        self.card_cursor.place(focused=self.hasFocus())
        self._cut.place()
        self._bar.sync()
        self._reading.look(self._theme.px(metrics.EDGE))
        self.jump_button.show_new(self._reading.new_below, MOST_NEW)
        # a preview has its own line to look at
        self.jump_button.setVisible(not self._layout.at_end and self._cards.preview is None)
        self.selection.apply()
        self.idle.wake()

    def _arrange_late(self, _seconds: float) -> bool:
        """Lay out some of the visible cards that are missing, in idle time; return whether any was."""
        if not self._cards.is_late:
            return False
        if not self._cards.missing:
            self._arrange()
            return True
        with self._cards.build_for(LATE_BUILD_SECONDS):
            if self._reading.follows:
                self._reading.hold()
            else:
                self._hold_built()
            (self._arrange_and_follow if self._has_scrolled else self._arrange)()
        return True

    def _hold_built(self) -> None:
        """While cards are missing, measure from one that is built, which the user may be reading already."""
        if self._cards.missing:
            key = self._layout.model.path.key
            self._layout.hold(lambda at: self._cards.get(key(at)) is not None)

    @property
    def is_settled(self) -> bool:
        """Whether every visible card is shown with its content; otherwise some are built in later turns."""
        return not self._cards.is_late

    def _arrange_anew(self) -> None:
        """Lay out again after the space below the cards changed its height."""
        self._reading.hold()
        self._arrange()

    def _show_anew(self) -> None:
        """Lay out at a new position and stop following."""
        self._reading.stay()
        self._arrange()

    def _arrange_and_follow(self) -> None:
        """Lay out after the user scrolled; reaching the end starts following."""
        self._reading.follows = False
        self._arrange()
        self._reading.follows, self._has_scrolled = self._layout.at_end, True

    def _on_read(self, key: int) -> None:
        if key >= 0:
            self.visible_entry_changed.emit(key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self._reestimate()
            self._stream.fit()
        self._layout.height = event.size().height()
        with self._cards.build_for(BUILD_SECONDS):
            self._arrange_anew()

    def _reestimate(self) -> None:
        self._layout.end_space = self._theme.px(metrics.CARD_GAP)
        self._layout.model.estimate_anew(self._new_estimate())

    def _new_model(self, path: TranscriptPath, known: TranscriptModel | None = None) -> TranscriptModel:
        return TranscriptModel(path, self._new_estimate(), known)

    def _new_estimate(self) -> Callable[[PathShape, int], int]:
        return Estimates.of(self._theme, self.viewport().width()).height

    def _drop_preview(self) -> None:
        """End the preview, because it belongs to another path."""
        self._cards.preview = None
        self._cut.show(None)

    def _keep_preview(self, path: TranscriptPath) -> None:
        """Keep the preview on a path that was read again, such as after a pin; end it on any other path."""
        before = self._cards.preview
        self._cards.preview = None if before is None or not isinstance(path, TreePath) else before.on_path(path)
        self._cut.show(self._cards.preview)

    def _show_cut(self, cut: int) -> None:
        """Scroll the cut into view, with more of the summarised part than of the kept part."""
        self._reading.stay()
        self._layout.go_to(min(cut, len(self._layout.model) - 1))
        self._layout.scroll_by(-round(self.viewport().height() * metrics.CUT_PLACE))

    # -- actions ---------------------------------------------------------------------------------------------

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self.show_menu()
            return
        at = self._layout.under(event.pos().y())
        if at is not None:
            key = self._layout.model.path.key(at)
            self.card_cursor.take(key)
            self.card_cursor.hide()
            self.wanted.emit(key, Action(Request.ACTIVATE))
            self.wanted.emit(key, Action(Request.MENU))

    def show_menu(self) -> None:
        """Ask for the menu of the entry under the cursor."""
        if self.card_cursor.visible_key >= 0:
            self.wanted.emit(self.card_cursor.visible_key, Action(Request.MENU))

    def _on_released(self) -> None:
        self.drag.stop()
        self.card_cursor.hide()
        self._arrange()  # the held card may be out of view

    def offers(self, key: int) -> list[tuple[str, Action]]:
        """Return the actions that an entry's card offers, by name."""
        return self._requests.offers(key)

    def act(self, key: int, action: Action) -> None:
        """Run an action of an entry's card."""
        self._requests.act(key, action)

    def unread(self, key: int) -> list[int]:
        """Return the keys of a card's entries that must be read before the card can be shown or copied in full."""
        return self._cards.unread(self._layout.model, key)

    def show_whole(self, key: int, bodies: Mapping[int, Body]) -> None:
        """Show the long texts of an entry's card in full; `bodies` are those of the keys that `unread` returned."""
        self._cards.show_whole(key, bodies)
        self._arrange()
        at = self._layout.model.path.position(key)
        if at is not None:
            self.finding.arrived(at)

    # -- looks -----------------------------------------------------------------------------------------------

    def _on_theme_changed(self) -> None:
        self._cards.restyle(self._new_style())
        self._stream.restyle()
        self._reestimate()
        self._layout.offset = 0
        self._arrange_anew()
        self.viewport().update()

    def _new_style(self) -> CardStyle:
        style = CardStyle(self._theme, self._cache.blob)
        style.head = self._cache.blob_head
        style.load_picture = self._load_picture if self.load_picture is not None else None
        return style

    def load_pictures_with(self, load: LoadPicture) -> None:
        """Use `load` to read and decode large images; it must return them on the GUI thread."""
        self.load_picture = load
        self._cards.style.load_picture = self._load_picture

    def _load_picture(self, digest: str, size: QSize, take: Callable[[QImage], None]) -> None:
        def taken(image: QImage) -> None:
            take(image)
            for card in self._cards.live():
                card.update()

        assert self.load_picture is not None
        self.load_picture(digest, size, taken)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.color("bg"))
        self.placeholders.paint(painter, event.rect())
        painter.end()

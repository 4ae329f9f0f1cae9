"""The column of search results: a field and its filters above the hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.search.query import FilterWord, filter_words, values_of, with_filter, without
from stemmata.gui.search.query_field import QueryField
from stemmata.gui.search.result_rows import ResultRows
from stemmata.gui.search.rows import MoreRow, ResultHitRow, ResultRow, ResultsModel, SavedRow, SessionHeading
from stemmata.gui.search.words import count_text, date_words, help_text, role_words
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import label, literal, set_plain_tip, set_property
from stemmata.gui.widgets.surface import set_surface

Choices = Sequence[tuple[str, str, int]]  # value of a filter, its name, number of hits
MOST_CHOICES = 20  # entries of a menu
LONGEST_CHOICE = 32  # characters of a chosen value that a chip shows
MOST_ROWS = 2  # rows of chips
ROOM_FOR = 88_888  # hits of each chip, for which one row must have room
DATES = ("after", "before")  # filters of the chip *Date*
OTHERS = ("is", "has", "model", "file", "source", "cost")  # filters of the chip *More*, beside `in:active`


class FilterChips(QWidget):
    """The filters as buttons. Each changes the text of the query, which `changed` carries.

    Their height depends only on the width and the font, so that the results do not move while the user types.
    """

    changed = Signal(str)
    way_chosen = Signal(bool)  # whether to search by meaning

    def __init__(self, theme: Theme, text: Callable[[], str]) -> None:
        """Create the chips; `text` returns the typed query."""
        super().__init__()
        self._theme, self._text = theme, text
        self._counts: Mapping[str, int] = {}
        self._choices: dict[str, Choices] = {"project": (), "tool": ()}
        self._abandoned: int | None = None
        self._counts_more = self._more = False  # whether there may be more hits than the numbers say
        self.words = self._mode_button(self.tr("Words"), by_meaning=False)
        self.meaning = self._mode_button(self.tr("Meaning"), by_meaning=True)
        set_plain_tip(self.words, self.tr("Find the words of the query"))
        set_plain_tip(self.meaning, self.tr("Find prompts and summaries that mean the same in other words, too"))
        self.roles = {role: self._toggle("role", role) for role in role_words()}
        self.off_path = self._toggle("in", "abandoned")
        self._dates = self._menu_chip(self.tr("Date"), self.date_menu)
        self._projects = self._menu_chip(self.tr("Project"), lambda: self.choice_menu("project"))
        self._tools = self._menu_chip(self.tr("Tool"), lambda: self.choice_menu("tool"))
        self._others = self._menu_chip(self.tr("More"), self.other_menu)
        # the chips that go into the menu of *More* when the rows are too narrow
        self._foldable = (*self.roles.values(), self.off_path, self._dates, self._projects, self._tools)
        self._chips = (self.words, self.meaning, *self._foldable, self._others)
        for chip in self._chips:
            chip.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # else all chips would need room
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.refresh)
        theme.changed.connect(self.updateGeometry)
        self.show_way(by_meaning=False)
        self.refresh()

    def show_way(self, *, by_meaning: bool) -> None:
        """Show whether the search is one by words or by meaning."""
        self.words.setChecked(not by_meaning)
        self.meaning.setChecked(by_meaning)

    def show_counts(
        self, counts: Mapping[str, int], abandoned: int | None, *, counts_more: bool = False, more: bool = False
    ) -> None:
        """Show the number of hits of each role and of abandoned branches; None for a number that is not known.

        There may be more hits of each role with `counts_more`, and of abandoned branches and choices with `more`.
        """
        self._counts, self._abandoned = counts, abandoned
        self._counts_more, self._more = counts_more, more
        self.refresh()

    def offer(self, name: str, choices: Choices) -> None:
        """Set the choices of a filter's menu."""
        self._choices[name] = choices

    def refresh(self) -> None:
        """Show which filters the query has."""
        text = self._text()
        roles = values_of(text, "role")
        for role, chip in self.roles.items():
            self._show(chip, role_words()[role], self._counts.get(role, 0), more=self._counts_more, on=role in roles)
        is_off_path = "abandoned" in values_of(text, "in")
        self._show(self.off_path, self.tr("Abandoned"), self._abandoned or 0, more=self._more, on=is_off_path)
        date = self._date()
        self._show_choice(self._dates, self.tr("Date"), date_words().get(date, date))
        self._show_choice(self._projects, self.tr("Project"), "".join(values_of(text, "project")[:1]))
        self._show_choice(self._tools, self.tr("Tool"), "".join(values_of(text, "tool")[:1]))
        self._fold()
        more = (word for word in filter_words(text) if self._is_in_more(word))
        others = " ".join(text[word.start : word.end].strip() for word in more)
        self._others.setAccessibleName(f"{self.tr('More')}: {others}" if others else self.tr("More"))
        set_plain_tip(self._others, others)
        set_property(self._others, "chosen", "true" if others else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the chips that fit beside *More*."""
        super().resizeEvent(event)
        self.refresh()

    def sizeHint(self) -> QSize:
        """The height in the present width; the column decides the width."""
        return QSize(0, self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        rows = self._rows(width)
        return rows * self._row_height() + (rows - 1) * metrics.SPACE[3]

    def _row_height(self) -> int:
        return max(chip.sizeHint().height() for chip in self._chips)

    def _rows(self, width: int) -> int:
        """Return the number of rows: one if each chip has room in it for five digits, whatever the chips show now."""
        room = f" {number(ROOM_FOR)}"
        names = {chip: role_words()[role] + room for role, chip in self.roles.items()}
        names |= {self.off_path: self.tr("Abandoned") + room, self._dates: f"{self.tr('Date')} ▾"}
        names |= {self._projects: f"{self.tr('Project')} ▾", self._tools: f"{self.tr('Tool')} ▾"}
        widths = (_width(chip, names.get(chip, chip.text())) for chip in self._chips)
        needed = sum(widths) + metrics.SPACE[3] * (len(self._chips) - 1)
        return 1 if needed <= width else MOST_ROWS

    def _fold(self) -> None:
        """Place the chips in rows and hide those that do not fit. The focused chip is hidden last."""
        tried = list(self._foldable)
        places = self._places(tried)
        focused = next((chip for chip in tried if chip.hasFocus()), None)
        while focused is not None and focused not in places and len(tried) > 1:
            tried.remove(next(chip for chip in reversed(tried) if chip is not focused))
            places = self._places(tried)
        if focused is not None and focused not in places:
            self._others.setFocus()
        for chip in self._chips:
            chip.setVisible(chip in places)
        for chip, place in places.items():
            chip.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), place))

    def _places(self, foldable: Sequence[QPushButton]) -> dict[QPushButton, QRect]:
        """Return the places of the chips that fit, from left to right; *More* is the last one of the last row."""
        out: dict[QPushButton, QRect] = {}
        gap, height, others = metrics.SPACE[3], self._row_height(), self._others.sizeHint().width()
        left, row, last = 0, 0, self._rows(self.width()) - 1
        for chip in (self.words, self.meaning, *foldable):
            width = chip.sizeHint().width()
            if row < last and left + width > self.width():
                left, row = 0, row + 1
            room = self.width() - (others + gap if row == last else 0)
            if left + width <= room or chip not in self._foldable:
                out[chip] = QRect(left, row * (height + gap), width, height)
                left += width + gap
        out[self._others] = QRect(left if row == last else 0, last * (height + gap), others, height)
        return out

    def _is_in_more(self, word: FilterWord) -> bool:
        """Return whether no chip but *More* shows a filter."""
        if word.name in OTHERS or _is_active(word):
            return True
        if word.name == "role":
            return any(chip.isChecked() and chip.isHidden() for chip in self.roles.values())
        chips = {
            "in": self.off_path,
            "project": self._projects,
            "tool": self._tools,
            **dict.fromkeys(DATES, self._dates),
        }
        return word.name in chips and chips[word.name].isHidden()

    def _toggle(self, name: str, value: str) -> QPushButton:
        chip = push_button("", look="chip")
        chip.setCheckable(True)
        chip.clicked.connect(lambda checked: self.changed.emit(with_filter(self._text(), name, value * checked)))
        return chip

    def _mode_button(self, text: str, *, by_meaning: bool) -> QPushButton:
        chip = push_button(text, look="chip")
        chip.setCheckable(True)

        def choose() -> None:
            chip.setChecked(not chip.isChecked())  # the controller decides, and `show_way` shows it
            self.way_chosen.emit(by_meaning)

        chip.clicked.connect(choose)
        return chip

    def _menu_chip(self, text: str, menu: Callable[[], QMenu]) -> QPushButton:
        chip = push_button(f"{text} ▾", look="chip")
        chip.setAccessibleName(text)
        chip.clicked.connect(lambda: menu().popup(chip.mapToGlobal(QPoint(0, chip.height() + metrics.SPACE[1]))))
        return chip

    def _show(self, chip: QPushButton, name: str, count: int, *, more: bool, on: bool) -> None:
        chip.setText(f"{name} {number(count)}{'+' if more else ''}" if count else name)
        chip.setAccessibleName(name)
        set_plain_tip(chip, count_text(count, more=more) if count else "")
        chip.setChecked(on)

    def _show_choice(self, chip: QPushButton, name: str, value: str) -> None:
        has_value = bool(value) and value != date_words()[""]
        shown = value if len(value) <= LONGEST_CHOICE else f"{value[: LONGEST_CHOICE - 1]}…"
        chip.setText(f"{literal(shown) if has_value else name} ▾")
        chip.setAccessibleName(f"{name}: {value}" if has_value else name)
        set_property(chip, "chosen", "true" if has_value else "")

    def _date(self) -> str:
        """Return the value of `after:` if it is one of the menu, else the typed filters by date; "" for none."""
        text = self._text()
        dates = [text[word.start : word.end].strip() for word in filter_words(text) if word.name in DATES]
        after = "".join(values_of(text, "after")[:1])
        return after if after and len(dates) == 1 and after in date_words() else " ".join(dates)

    def date_menu(self) -> QMenu:
        """Return the menu of dates; the last one removes a typed `before:`, too."""
        return self._with_dates(self._menu())

    def _with_dates(self, menu: QMenu) -> QMenu:
        for value, word in date_words().items():
            if value:
                _mark(self._add(menu, word, "after", value), on=value == self._date())
        always = menu.addAction(date_words()[""])
        _mark(always, on=not self._date())
        always.triggered.connect(lambda: self.changed.emit(without(self._text(), *DATES)))
        return menu

    def choice_menu(self, name: str) -> QMenu:
        """Return the menu of the projects or the tools of the hits."""
        return self._with_choices(self._menu(), name)

    def _with_choices(self, menu: QMenu, name: str) -> QMenu:
        chosen = values_of(self._text(), name)
        for value, text, count in self._choices[name][:MOST_CHOICES]:
            counted = f"{text}  {number(count)}{'+' if self._more else ''}"
            _mark(self._add(menu, counted, name, value), on=value.lower() in chosen)
        every = self.tr("All projects") if name == "project" else self.tr("All tools")
        _mark(self._add(menu, every, name, ""), on=not chosen)
        return menu

    def other_menu(self) -> QMenu:
        """Return the menu of the filters whose chips do not fit, and of those that have no chip of their own."""
        listed = [
            (self.tr("Starred sessions"), "is", "starred"), (self.tr("With images"), "has", "image"),
            (self.tr("Active branches"), "in", "active"),
        ]  # fmt: skip
        menu = self._menu()
        self._add_folded(menu)
        for text, name, value in listed:
            is_on = value in values_of(self._text(), name)
            _mark(self._add(menu, text, name, "" if is_on else value), on=is_on)
        menu.addSeparator()
        clear = menu.addAction(self.tr("Remove all filters"))
        names = ("role", "in", *DATES, "project", "tool", *OTHERS)
        clear.triggered.connect(lambda: self.changed.emit(without(self._text(), *names)))
        return menu

    def _add_folded(self, menu: QMenu) -> None:
        """Add the hidden chips to a menu: a switch as a checked action, a chip with a menu as a submenu."""
        for chip in (chip for chip in self._foldable if chip.isHidden()):
            if chip.isCheckable():
                action = menu.addAction(chip.text())
                _mark(action, on=chip.isChecked())
                action.triggered.connect(chip.click)
            elif chip is self._dates:
                self._with_dates(menu.addMenu(self.tr("Date")))
            elif chip is self._projects:
                self._with_choices(menu.addMenu(self.tr("Project")), "project")
            else:
                self._with_choices(menu.addMenu(self.tr("Tool")), "tool")
        if menu.actions():
            menu.addSeparator()

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _add(self, menu: QMenu, text: str, name: str, value: str) -> QAction:
        action = menu.addAction(literal(text))
        action.triggered.connect(lambda: self.changed.emit(with_filter(self._text(), name, value)))
        return action


def _mark(action: QAction, *, on: bool) -> None:
    """Let an action show whether it is chosen."""
    action.setCheckable(True)
    action.setChecked(on)


def _width(chip: QPushButton, text: str) -> int:
    """Return the width of a chip with another text, in pixels."""
    width = chip.sizeHint().width()  # first, since it applies the style sheet's font
    mnemonic, size = Qt.TextFlag.TextShowMnemonic, chip.fontMetrics().size
    return width + size(mnemonic, text).width() - size(mnemonic, chip.text()).width()


def _is_active(word: FilterWord) -> bool:
    return word.name == "in" and "active" in word.value.lower()


class ResultsView(QWidget):
    """The results of a search in all sessions. A controller fills it on `query_changed` and acts on `row_chosen`."""

    query_changed = Signal(str)
    row_chosen = Signal(object)  # ResultRow
    row_deleted = Signal(object)  # SavedRow
    order_changed = Signal(bool)  # whether the best matches come first
    save_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("resultsView")
        set_surface(self, "panel")
        self._theme = theme
        self._entry: int | None = None  # entry of the selected hit, which stays selected when the rows change
        self._build_header()
        self.field = QueryField(theme)
        self.field.setPlaceholderText(self.tr("Search all sessions"))
        self.field.setAccessibleName(self.tr("Search all sessions"))
        set_plain_tip(self.field, help_text())
        self.field.textChanged.connect(self._on_text_changed)
        self.chips = FilterChips(theme, self.field.text)
        self.chips.changed.connect(self.set_query)
        self.message_label = label("", "dim", wrap=True)
        self.message_label.setMargin(metrics.SPACE[6])
        self.model = ResultsModel()
        self.list = self._build_list()
        self._lay_out()
        self.show_message("")

    def _build_header(self) -> None:
        self.header = ColumnHeader(self._theme, self.tr("Search"))
        self.order = push_button("", lambda: self.order_menu().popup(_below(self.order)), look="link")
        self.save = push_button(self.tr("Save"), self.save_requested.emit, look="link")
        set_plain_tip(self.save, self.tr("Save this search. Saved searches are listed while the field is empty."))
        close = IconButton(self._theme, "close", self.tr("Close the search"))
        close.clicked.connect(self.closed)
        for button in (self.order, self.save):
            button.setProperty("column", True)
        for widget in (self.order, self.save, close):
            self.header.add(widget)
        self.show_order(by_rank=False)

    def _build_list(self) -> ResultRows:
        out = ResultRows(self._theme, self.model)
        self.delegate = out.delegate
        out.setAccessibleName(self.tr("Results"))
        out.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # hits are painted in pieces, from left to right
        out.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        out.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        out.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        out.setMouseTracking(True)
        out.clicked.connect(lambda index: self._choose(index.row()))
        out.selectionModel().currentChanged.connect(self._on_current_changed)
        self._theme.changed.connect(out.scheduleDelayedItemsLayout)
        return out

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        inset = QVBoxLayout()
        inset.setContentsMargins(metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[4])
        inset.setSpacing(metrics.SPACE[5])
        inset.addWidget(self.field)
        inset.addWidget(self.chips)
        column.addLayout(inset)
        rule = QWidget()
        rule.setProperty("edge", "top")
        rule.setFixedHeight(metrics.BORDER)
        column.addWidget(rule)
        column.addWidget(self.message_label)
        column.addWidget(self.list, 1)

    # -- the query ----------------------------------------------------------------------------------------------

    def take_focus(self) -> None:
        """Focus the field and select its text."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def set_query(self, text: str) -> None:
        """Search for another text."""
        self.field.setText(text)

    def _on_text_changed(self, text: str) -> None:
        self._entry = None
        self.chips.refresh()
        self.query_changed.emit(text)

    def order_menu(self) -> QMenu:
        """Return the menu of the orders."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, by_rank in ((self.tr("Newest first"), False), (self.tr("Most relevant first"), True)):
            menu.addAction(text).triggered.connect(lambda _on=False, rank=by_rank: self.order_changed.emit(rank))
        return menu

    def show_order(self, *, by_rank: bool, fixed: bool = False) -> None:
        """Show the order of the hits; `fixed` shows that only the best match first is possible."""
        words = self.tr("Most relevant") if by_rank or fixed else self.tr("Newest")
        self.order.setEnabled(not fixed)
        self.order.setText(f"{words} ▾")
        self.order.setAccessibleName(self.tr("Order: {0}").format(words))

    # -- the rows -----------------------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[ResultRow], summary: tuple[str, str]) -> None:
        """Show results; `summary` counts them in the header, in words and in numbers. The selected hit stays."""
        self.header.set_chip(*summary)
        before, changed = self.model.rows, self.model.set_rows(rows)
        if changed is not None and all(self._fits(before[at], rows[at]) for at in changed):
            self._keep_place()
            return
        self.list.scheduleDelayedItemsLayout()
        self._show_selected()

    def _fits(self, old: ResultRow, new: ResultRow) -> bool:
        """Return whether a row can take the place of another row of the same hit or session."""
        height = self.delegate.height_of
        return _subject(old) == _subject(new) and height(old) == height(new)

    def _keep_place(self) -> None:
        """Keep the scroll position, since no row has moved; go to the selected hit if it is not the current row."""
        at = self.model.place_of(self._entry)
        if not self.list.currentIndex().isValid() or (at is not None and at != self.list.currentIndex().row()):
            self._show_selected()

    def _show_selected(self) -> None:
        """Go to the selected hit; without one, to the first hit at the top of the list."""
        at = self.model.place_of(self._entry)
        self._go_to(at if at is not None else self._first(), scrolls=at is not None)

    def show_message(self, text: str) -> None:
        """Show why there are no results; "" hides the message."""
        self.message_label.setText(text)
        self.message_label.setVisible(bool(text))

    def select(self, entry: int) -> None:
        """Select the hit in an entry."""
        self._entry = entry
        at = self.model.place_of(entry)
        if at is not None:
            self._go_to(at)

    @property
    def rows_from_top(self) -> Sequence[ResultRow]:
        """The rows, first those from the top of the visible part on."""
        top = max(self.list.indexAt(QPoint(0, 0)).row(), 0)
        return [*self.model.rows[top:], *self.model.rows[:top]]

    @property
    def selected(self) -> ResultRow | None:
        """The row of the results that is selected; None without one."""
        return self.model.row_at(self.list.currentIndex().row())

    def _first(self) -> int | None:
        rows = range(self.model.rowCount())
        return next((at for at in rows if self.model.index(at).flags() & Qt.ItemFlag.ItemIsSelectable), None)

    def _go_to(self, at: int | None, *, scrolls: bool = True) -> None:
        if at is None:
            return
        entry = self._entry
        index = self.model.index(at)
        self.list.setCurrentIndex(index)
        self._entry = entry
        if scrolls:
            self.list.scrollTo(index)
        else:
            self.list.scrollToTop()

    def _on_current_changed(self, index: QModelIndex) -> None:
        row = self.model.row_at(index.row())
        if isinstance(row, ResultHitRow):
            self._entry = row.hit.entry

    def _choose_current(self) -> None:
        self._choose(self.list.currentIndex().row())

    def _choose(self, at: int) -> None:
        row = self.model.row_at(at)
        if isinstance(row, ResultHitRow | MoreRow | SavedRow):
            self.row_chosen.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move in the results with the arrows, also from the field; Enter opens a hit, Esc closes the search."""
        key = Qt.Key(event.key())
        row = self.selected
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp) and self.field.hasFocus():
            self.list.setFocus()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose_current()
        elif key == Qt.Key.Key_Escape:
            self.closed.emit()
        elif key == Qt.Key.Key_Delete and isinstance(row, SavedRow):
            self.row_deleted.emit(row)
        else:
            super().keyPressEvent(event)


def _subject(row: ResultRow) -> object:
    """Return what a row is about: its hit, its session, or its kind."""
    match row:
        case ResultHitRow():
            return row.hit.entry
        case SessionHeading() | MoreRow():
            return type(row), row.session
        case _:
            return row


def _below(widget: QWidget) -> QPoint:
    return widget.mapToGlobal(widget.rect().bottomLeft())

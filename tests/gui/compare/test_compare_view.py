from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.gui.cards.piece import FramePiece, gap_between
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.compare.list_view import MOST_ROWS
from stemmata.gui.compare.panel import MOST_FILES
from stemmata.gui.compare.pieces import MOST_ENTRIES, EntryPieces, ShownTurn
from stemmata.gui.compare.row import RowPieces, SideOf
from stemmata.gui.compare.view import CompareView
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel
from tests.fakes.conversation import assistant, call, result, user
from tests.gui.compare.conftest import LEFT, MAIN, OTHER, Bench, MakeView

Key = Qt.Key


def figures(view: CompareView) -> list[str]:
    """The table's values, top down: left and right."""
    table, rows = view.panel.table, []
    for row in range(1, table.rowCount()):
        widgets = [item.widget() for at in (1, 2) if (item := table.itemAtPosition(row, at)) is not None]
        rows.append(" · ".join(widget.text() for widget in widgets if isinstance(widget, QLabel)))
    return [row for row in rows if row]


def heads(view: CompareView) -> list[str]:
    """The heads of the table's columns, as screen readers get them."""
    items = (view.panel.table.itemAtPosition(0, at) for at in (1, 2))
    return [widget.accessibleName() for item in items if item is not None and (widget := item.widget()) is not None]


def files(view: CompareView) -> list[str]:
    rows = (view.panel.file_rows.itemAt(at) for at in range(view.panel.file_rows.count()))
    widgets = (item.widget() for item in rows if item is not None)
    return [widget.accessibleName() for widget in widgets if widget is not None]


def place(view: CompareView) -> tuple[SideOf, bool]:
    """The selected side, and whether the turns have the keyboard's focus."""
    return view.list.side, view.list.hasFocus()


def press(view: CompareView, *keys: Key) -> None:
    for key in keys:
        QTest.keyClick(view.list, key)


def test_both_branches_stand_beside_each_other(make_view: MakeView) -> None:
    view = make_view()
    assert view.header.chip_label.text() == "from “Ported; key bindings unchanged”"
    assert [(side.title.text(), side.chip.text()) for side in view.head.sides] == [
        ("main", "active"), ("wrap first", "abandoned"),
    ]  # fmt: skip
    left, right = view.list.text_of(0, SideOf.LEFT), view.list.text_of(0, SideOf.RIGHT)
    assert "theming before wrapping" in left
    assert "edit selector.ts" in left
    assert "Colours come from the theme." in left
    assert "bash vitest exit 1" in right
    assert "1 tool · 3k · $0.12" in left
    assert view.list.text_of(1, SideOf.RIGHT) == ""


def test_no_mark_is_left_in_the_prompts(make_view: MakeView) -> None:
    view = make_view()
    assert not {"\ue002", "\ue003"} & set(view.list.text_of(0, SideOf.LEFT))


def test_the_panel_tells_the_difference(make_view: MakeView) -> None:
    view = make_view()
    assert heads(view) == [f"Left: {view.head.names[0]}", f"Right: {view.head.names[1]}"]
    assert figures(view)[:5] == ["3 · 1", "1 · 2", "0 · 1", "6k · ≈ 3k", "$0.24 · $0.12"]
    assert files(view) == ["/w/selector.ts: main only", "/w/wrap.ts: wrap first only"]
    assert view.panel.go_on.text() == "Continue from the right"
    assert view.panel.copy.text() == "Copy this turn to main"


def test_figures_are_replaced_by_those_of_the_next_comparison(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    view.show_comparison(Bench(LEFT[:1], ()).comparison, MAIN, OTHER)
    assert figures(view)[0] == "1 · 0"
    assert "Neither branch used a file." in [part.text() for part in view.panel.findChildren(QLabel)]


def test_keys_move_between_turns_and_sides(make_view: MakeView) -> None:
    view = make_view()
    assert (view.list.row, view.list.side) == (0, SideOf.RIGHT)
    press(view, Key.Key_J, Key.Key_J, Key.Key_J)
    assert view.list.row == 2
    assert view.list.turn is None
    assert view.list.accessibleDescription() == "wrap first: no turn"
    press(view, Key.Key_K, Key.Key_Left)
    assert (view.list.row, view.list.side) == (1, SideOf.LEFT)
    assert view.list.accessibleDescription() == "main, turn 2: Go on"
    press(view, Key.Key_End)
    assert view.list.row == 2
    press(view, Key.Key_Home, Key.Key_Right)
    assert (view.list.row, view.list.side) == (0, SideOf.RIGHT)
    press(view, Key.Key_PageDown, Key.Key_PageUp, Key.Key_X)
    assert view.list.row == 0


def test_tab_goes_through_the_sides_and_then_on(make_view: MakeView) -> None:
    view = make_view()
    view.list.select(0, SideOf.LEFT)
    press(view, Key.Key_Tab)
    assert place(view) == (SideOf.RIGHT, True)
    press(view, Key.Key_Tab)
    assert place(view) == (SideOf.RIGHT, False)
    view.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert place(view) == (SideOf.LEFT, True)
    view.panel.copy.setFocus()
    view.list.setFocus(Qt.FocusReason.BacktabFocusReason)
    assert place(view) == (SideOf.RIGHT, True)
    QTest.keyClick(view.list, Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert place(view) == (SideOf.LEFT, True)


def test_continuing_asks_for_the_end_of_the_selected_side(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    with qtbot.waitSignal(view.continue_requested) as asked:
        press(view, Key.Key_Return)
    assert asked.args == [14]
    press(view, Key.Key_Left)
    assert view.panel.go_on.text() == "Continue from the left"
    assert not view.panel.go_on.isEnabled()
    with qtbot.assertNotEmitted(view.continue_requested):
        press(view, Key.Key_Return)


def test_copying_asks_for_the_turn_and_the_other_end(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    with qtbot.waitSignal(view.copy_requested) as asked:
        view.panel.copy.click()
    assert asked.args == [(10, 11, 12, 13, 14), 9]
    press(view, Key.Key_J)
    assert not view.panel.copy.isEnabled()
    with qtbot.assertNotEmitted(view.copy_requested):
        press(view, Key.Key_C)


def test_escape_and_the_cross_leave(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    with qtbot.waitSignal(view.leave_requested):
        press(view, Key.Key_Escape)
    with qtbot.waitSignal(view.leave_requested):
        QTest.keyClick(view.panel.copy, Key.Key_Escape)


def test_filters_decide_what_is_shown(make_view: MakeView) -> None:
    view = make_view()
    assert view.filter_button.text() == "Prompts · Replies · Tools · Files"
    view.filters[ShownTurn.TOOLS].setChecked(False)
    view.filters[ShownTurn.REPLIES].setChecked(False)
    text = view.list.text_of(0, SideOf.LEFT)
    assert "selector.ts" not in text
    assert "Colours" not in text
    assert "theming" in text
    view.filters[ShownTurn.PROMPTS].setChecked(False)
    view.filters[ShownTurn.FILES].setChecked(False)
    assert "theming" not in view.list.text_of(0, SideOf.LEFT)
    assert view.panel.files.isHidden()
    assert view.filter_button.text() == "Nothing"


def test_a_click_selects_and_unfolds(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    row = view.list.pieces(0)
    point = next(
        QPoint(x, y) for y in range(row.height) for x in (60,)
        if (found := row.action_at(QPoint(x, y))) is not None and found[1].text == "call1"
    )  # fmt: skip
    QTest.mouseMove(view.list.viewport(), point)
    assert view.list.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    before = row.height
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert view.list.side is SideOf.LEFT
    assert view.list.pieces(0).height > before
    QTest.mouseClick(
        view.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, view.list.viewport().height() - 2)
    )


def test_the_selected_turn_can_be_copied_as_text(make_view: MakeView) -> None:
    view = make_view()
    QTest.keyClick(view.list, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    assert text == "Port `the-selector`, wrapping before theming.\n\nWrapping breaks.\n\nIt failed."


def many(turns: int) -> list[Entry]:
    out: list[Entry] = []
    for turn in range(turns):
        out += [
            user(f"Question {turn}"),
            assistant(f"Answer {turn}\n" * (turn % 9 + 1), call(f"k{turn}")),
            result(f"k{turn}"),
        ]
    return out


def test_five_hundred_turns_lay_out_only_what_is_in_sight(make_view: MakeView) -> None:
    bench = Bench(many(500), many(400))
    bench.pages.calls.clear()
    view = make_view(bench)
    assert view.list.built_count < MOST_ROWS
    assert sum(count for call, count in bench.pages.calls if call == "rows") < 300
    press(view, Key.Key_End)
    view.grab()
    assert view.list.row == 499
    assert not view.list.place_of(499, SideOf.LEFT).isEmpty()
    bar = view.list.verticalScrollBar()
    assert bar.value() > 0.9 * bar.maximum()
    for value in (0, 40, bar.maximum() // 2):
        bar.setValue(value)
        assert any(not view.list.place_of(row, SideOf.LEFT).isEmpty() for row in range(view.list.row_count))
    assert view.list.built_count <= MOST_ROWS
    QTest.qWait(1)


def test_the_wheel_scrolls_both_sides(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(Bench(many(30), many(30)))
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QWheelEvent

    place = QPointF(100, 100)
    event = QWheelEvent(
        place, view.list.mapToGlobal(place), QPoint(), QPoint(0, -240), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    view.list.wheelEvent(event)
    assert view.list.verticalScrollBar().value() > 0


def test_a_turn_of_many_entries_shows_its_first_ones_until_asked(make_view: MakeView) -> None:
    long = [user("go"), *(assistant(f"Step {at}") for at in range(MOST_ENTRIES + 5))]
    view = make_view(Bench(long, long))
    assert "Show 6 more entries" in view.list.text_of(0, SideOf.RIGHT)
    last = f"Step {MOST_ENTRIES + 4}"
    assert last not in view.list.text_of(0, SideOf.RIGHT)
    view.list._whole.add((0, SideOf.RIGHT))
    view.list._built.clear()
    assert last in view.list.text_of(0, SideOf.RIGHT)


@pytest.mark.parametrize("speaker", [user, assistant])
def test_a_long_text_shows_its_beginning(make_view: MakeView, speaker: object) -> None:
    text = "word " * 2000 + "END"
    view = make_view(Bench([user(text), assistant(text)], []))
    assert "Show all of this turn" in view.list.text_of(0, SideOf.LEFT)
    assert "END" not in view.list.text_of(0, SideOf.LEFT)
    view.list._whole.add((0, SideOf.LEFT))
    view.list._built.clear()
    assert view.list.text_of(0, SideOf.LEFT).count("END") == 2


def test_other_entries_have_cards_of_their_own(make_view: MakeView) -> None:
    summary = Entry(id="", kind=Kind.BRANCH_SUMMARY, blocks=(Text("We tried wrapping."),))
    view = make_view(Bench([summary, user("go on"), result("lost", "orphan")], [Entry(id="", kind=Kind.LABEL)]))
    text = view.list.text_of(0, SideOf.LEFT)
    assert "We tried wrapping." in text
    assert "Tool result" in text


def test_what_was_shortened_is_said(make_view: MakeView) -> None:
    view = make_view()
    assert view.panel.note.isHidden()


def test_looks_follow_the_theme(make_view: MakeView, theme: Theme) -> None:
    view = make_view()
    QTest.qWait(20)  # code gets its colours
    dark = view.grab().toImage()
    theme.set_scheme("light")
    assert view.grab().toImage().pixelColor(20, 300) != dark.pixelColor(20, 300)
    assert "theming before wrapping" in view.list.text_of(0, SideOf.LEFT)


def test_a_comparison_that_grows_stays_where_it_is_read(make_view: MakeView) -> None:
    view = make_view(Bench(many(30), many(30)))
    view.list.select(20, SideOf.LEFT)
    top = view.list.verticalScrollBar().value()
    view.show_comparison(Bench(many(31), many(30)).comparison, MAIN, OTHER)
    assert (view.list.row, view.list.side) == (20, SideOf.LEFT)
    assert not view.list.place_of(20, SideOf.LEFT).isEmpty()
    assert view.list.place_of(21, SideOf.LEFT).isEmpty()
    assert view.list.verticalScrollBar().value() > 0 < top
    view.show_comparison(Bench(many(3), many(2)).comparison, MAIN, OTHER)
    assert view.list.row == 2
    view.clear()
    view.show_comparison(Bench(many(30), many(30)).comparison, MAIN, OTHER)
    assert (view.list.row, view.list.side) == (0, SideOf.RIGHT)


def test_nothing_is_shown_without_a_comparison(make_view: MakeView) -> None:
    view = make_view()
    view.clear()
    assert view.list.turn is None
    press(view, Key.Key_J, Key.Key_Return)
    assert view.list.accessibleDescription() == ""
    assert view.list.row == 0


def test_long_names_give_way(make_view: MakeView) -> None:
    view = make_view(left=replace(MAIN, name="a very long name of a branch " * 5))
    assert isinstance(view.head.sides[0].title, ElidedLabel)
    assert view.head.sides[0].width() == view.head.sides[1].width()
    assert len(view.panel.copy.text()) < 40


def test_the_button_that_copies_fits_in_its_panel(make_view: MakeView) -> None:
    view = make_view(left=replace(MAIN, name="wrap before themes"))
    panel = view.panel
    panel.resize(400, 600)
    whole = panel.copy.text()
    panel.resize(panel.copy.sizeHint().width(), 600)
    assert panel.copy.sizeHint().width() <= panel.width() - 2 * metrics.SPACE[6]
    assert panel.copy.text().endswith("…")
    assert panel.copy.accessibleName() == whole == "Copy this turn to wrap before themes"


def test_an_ampersand_in_a_name_is_shown_on_the_button_that_copies(make_view: MakeView) -> None:
    panel = make_view(left=replace(MAIN, name="R&D")).panel
    panel.resize(600, 600)
    assert panel.copy.text() == "Copy this turn to R&&D"


def test_text_keeps_its_distance_to_a_call_of_the_entry_above(theme: Theme) -> None:
    style = CardStyle(theme, dict[str, bytes]().get)
    call = EntryPieces(style, [FramePiece(style, [])], 1)
    text = EntryPieces(style, [TextPiece(style, style.plain("Done."))], 2)
    assert gap_between(call, text) == style.space(5)
    assert gap_between(text, call) == style.space(3)


def click_on(view: CompareView, text: str) -> None:
    """Click on the first part of the left side whose action has this text."""
    row = view.list.pieces(0)
    spots = (QPoint(x, y) for y in range(0, row.height, 2) for x in range(20, view.head.middle, 6))
    for spot in spots:
        found = row.action_at(spot)
        if found is not None and (found[1].text == text or found[1].request.name == text):
            QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
            return
    pytest.fail(f"nothing says {text}")


def test_links_are_handed_on_and_long_turns_shown_whole(make_view: MakeView, qtbot: QtBot) -> None:
    text = "See [this](https://example.org/a)."
    view = make_view(Bench([user(text), assistant("word " * 1000 + "END")], []))
    with qtbot.waitSignal(view.link_activated) as asked:
        click_on(view, "https://example.org/a")
    assert asked.args == ["https://example.org/a"]
    click_on(view, "SHOW_ALL")
    assert "END" in view.list.text_of(0, SideOf.LEFT)


def test_code_is_copied_by_its_button(make_view: MakeView) -> None:
    view = make_view(Bench([user("go"), assistant("```\nx = 1\n```")], []))
    click_on(view, "COPY_TEXT")
    assert QGuiApplication.clipboard().text() == "x = 1"


def test_more_files_than_lines_are_counted(make_view: MakeView) -> None:
    calls = [assistant(call(f"f{at}", "write", f'{{"path":"/w/{at:03}.py"}}')) for at in range(MOST_FILES + 3)]
    read = assistant(call("r", "read", '{"path":"/w/000.py"}'))
    both = assistant(call("r", "write", '{"path":"/w/001.py"}'))
    view = make_view(Bench([user("go"), *calls], [user("go"), read, both]))
    assert files(view)[:2] == ["/w/000.py: both, but not changed in wrap first", "/w/001.py: both"]
    last = view.panel.file_rows.itemAt(MOST_FILES)
    assert last is not None
    widget = last.widget()
    assert isinstance(widget, QLabel)
    assert widget.text() == "… and 3 more"


def test_tips_tell_what_a_click_does(make_view: MakeView) -> None:
    view = make_view(Bench([user("See [this](https://example.org/a).")], []))
    row = view.list.pieces(0)
    tips = {row.tip_at(QPoint(x, y)) for y in range(0, row.height, 4) for x in range(20, view.head.middle, 8)}
    assert "https://example.org/a" in tips
    view.list.viewportEvent(QHelpEvent(QEvent.Type.ToolTip, QPoint(60, 60), view.mapToGlobal(QPoint(60, 60))))


def test_code_can_still_be_read_when_it_has_its_colours(make_view: MakeView) -> None:
    view = make_view(Bench([user("go"), assistant("```py\nreturn 'text'\n```")], []))
    [code] = [part for part in view.list.pieces(0).placed[0] if isinstance(part, CodePiece)]
    area = code.rect.translated(0, view.head.height()).adjusted(4, 4, -40, -4)
    code.highlighting.work(1)
    image = view.list.grab(area).toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert len(colours) > 3


def test_an_empty_cell_is_no_bright_box(make_view: MakeView, theme: Theme) -> None:
    """The left side has more turns, so the right side is empty beside the last one."""
    turns = make_view().list
    rows = map(turns.pieces, range(3))
    row = next(row for row in rows if not row.text(SideOf.RIGHT))
    empty = row.cell(SideOf.RIGHT)
    picture = QImage(empty.right() + 1, row.height, QImage.Format.Format_RGB32)
    picture.fill(theme.color("bg"))
    painter = QPainter(picture)
    row.paint_frame(painter, SideOf.RIGHT, "accent")
    painter.end()
    colors = {
        picture.pixelColor(x, y).name() for x in range(empty.left(), empty.right(), 5) for y in range(row.height)
    }
    assert theme.color("panel").name() not in colors
    assert theme.color("accent").name() not in colors
    assert len(colors) > 1  # its outline


def test_a_side_without_cards_says_so(make_view: MakeView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[SideOf, str]] = []
    monkeypatch.setattr(RowPieces, "paint_words", lambda _row, _painter, side, text: told.append((side, text)))
    turns = make_view().list
    last = turns.row_count - 1
    turns.select(last, SideOf.RIGHT)
    turns.grab()
    assert (SideOf.RIGHT, "No turn here") in told
    told.clear()
    turns = make_view(Bench([user("go")], [user("stop")])).list
    turns.set_shown(ShownTurn.TOOLS)
    qtbot.waitUntil(lambda: turns.built_count > 0)
    turns.grab()
    assert (SideOf.RIGHT, "Nothing to show") in told


def test_cards_offer_only_what_the_comparison_does(make_view: MakeView, qtbot: QtBot) -> None:
    compaction = Entry(id="k", kind=Kind.COMPACTION, target="u", blocks=(Text("The goal is to go."),))
    turns = make_view(Bench([user("go"), compaction], [user("stop")])).list
    qtbot.waitUntil(lambda: turns.built_count > 0)
    text = turns.text_of(0, SideOf.LEFT)
    assert "The goal is to go." in text
    assert "Undo" not in text
    assert "Edit" not in text
    assert "summarised entries" not in text


def test_settings_alone_are_no_turn(make_view: MakeView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[SideOf, str]] = []
    monkeypatch.setattr(RowPieces, "paint_words", lambda _row, _painter, side, text: told.append((side, text)))
    bench = Bench([user("go")], [Entry(id="m", kind=Kind.MODEL_CHANGE, model="m")])
    view = make_view(bench)
    turns = view.list
    turns.select(0, SideOf.RIGHT)
    qtbot.waitUntil(lambda: turns.built_count > 0)
    turns.grab()
    assert (SideOf.RIGHT, "No turn here") in told
    assert turns.spoken(0, SideOf.RIGHT).endswith(": no turn")
    assert figures(view)[0] == "1 · 0"

"""Results of tools as in an editor: numbers beside the lines, lines that scroll sideways, matches, lists of files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QMouseEvent, QTextBlock, QWheelEvent

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.text.terminal_text import terminal_text
from stemmata.domain.tool_calls.results import ResultForm, ToolResult
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.cards.gutter import LineNumbers
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.selection import TextSelection
from stemmata.gui.cards.sideways_bar import SidewaysBar
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from stemmata.gui.cards.tool_output import FORMS
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.clipboard import put_on_clipboard
from tests.fakes.cards import words
from tests.fakes.conversation import assistant, result

MakeCard = Callable[..., Card]
OPEN = frozenset({"call0"})
LONG_LINE = "word " * 200


def called(tool: str, **arguments: Any) -> Entry:
    return assistant(ToolCall("c", tool, json.dumps(arguments)))


def code(card: Card) -> CodePiece:
    return next(part for part in card.parts if isinstance(part, CodePiece))


def texts(card: Card) -> list[TextPiece]:
    """The texts that have numbers beside them."""
    return [part for part in card.parts if isinstance(part, TextPiece) and part.inset]


def numbers(piece: TextPiece) -> LineNumbers:
    assert piece.lines is not None
    return piece.lines.numbers


def painted(card: Card, piece: TextPiece) -> list[bool]:
    """Whether something is painted beside each line, left of the text."""
    picture = card.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    layout, block = piece.document.documentLayout(), piece.document.firstBlock()
    out: list[bool] = []
    while block.isValid():
        box = layout.blockBoundingRect(block).translated(QPointF(piece.rect.topLeft()))
        y = range(round(box.top()) + 2, round(box.top() + block.layout().lineAt(0).height()) - 1)
        x = range(piece.rect.x(), piece.rect.x() + piece.inset - 3)
        out.append(len({picture.pixel(column, line) for line in y for column in x}) > 1)
        block = block.next()
    return out


def test_numbers_of_a_tool_are_shown_once_and_not_copied(make_card: MakeCard) -> None:
    read = result("c", "   117→def f():\n   118→\tpass\n\n<system-reminder>Careful.</system-reminder>", "Read")
    card = make_card(called("Read", file_path="/p/a.py", offset=117, limit=2), read, unfolded=OPEN)
    (piece,) = texts(card)
    assert piece.text() == "def f():\n\tpass"
    assert painted(card, piece) == [True, True]
    assert "a.py:117–118 2 lines" in words(card)
    assert "Careful." in words(card)
    selection = TextSelection([piece])
    selection.select_all()
    assert selection.text() == "def f():\n\tpass"


def test_a_press_on_a_number_is_at_the_start_of_the_line(make_card: MakeCard) -> None:
    card = make_card(called("read", path="a"), result("c", "one\ntwo", "read"), unfolded=OPEN)
    (piece,) = texts(card)
    middle = piece.rect.height() * 3 // 4
    assert piece.position_at(QPoint(1, middle)) == 4
    assert piece.position_at(QPoint(piece.inset + 500, middle)) == 7


def test_a_line_that_wraps_has_one_number(make_card: MakeCard) -> None:
    card = make_card(called("read", path="a"), result("c", f"{LONG_LINE}\nend", "read"), unfolded=OPEN)
    (piece,) = texts(card)
    assert piece.document.firstBlock().layout().lineCount() > 1
    assert painted(card, piece) == [True, True]


def test_the_parts_of_a_long_file_go_on_counting(make_card: MakeCard, style: CardStyle) -> None:
    text = "\n".join(f"line {at}" for at in range(1, 1001))
    card = make_card(called("read", path="a"), result("c", text, "read"), unfolded=OPEN)
    pieces = texts(card)
    assert len(pieces) > 1
    firsts = [(piece.lines.start if piece.lines else -1, piece.text().split("\n")[0]) for piece in pieces]
    for start, first in firsts:
        assert f"line {numbers(pieces[0]).line_of(start) + 1}" == first
    assert numbers(pieces[0]).width == LineNumbers(style, "", range(1, 1001)).width


def test_lines_are_counted_from_the_nearest_known_place(style: CardStyle) -> None:
    text = "a\n" * 1000
    counted = LineNumbers(style, text, range(1, 1002))
    assert [counted.line_of(start) for start in (1999, 0, 1000, 1001, 1000)] == [999, 0, 500, 500, 500]
    assert LineNumbers(style, "", ()).width == LineNumbers(style, "", (0, 7)).width


def test_the_rest_of_a_divided_line_has_no_number(make_card: MakeCard) -> None:
    card = make_card(called("read", path="a"), result("c", "x" * 9000 + "\nend", "read"), unfolded=OPEN)
    assert [painted(card, piece)[0] for piece in texts(card)] == [True, False, False]


def test_output_of_a_command_is_clean_and_shows_what_failed(make_card: MakeCard, style: CardStyle) -> None:
    text = "\x1b[32m✓\x1b[0m keeps\n✗ truncates names\n 10 %\r 99 %\nAssertionError: 40 != 44\nend"
    run = called("bash", command="vitest run", description="Run the tests")
    card = make_card(run, result("c", text, "bash"), unfolded=OPEN)
    (piece,) = texts(card)
    assert piece.text() == "✓ keeps\n✗ truncates names\n 99 %\nAssertionError: 40 != 44\nend"
    colors = [_color(block) for block in _blocks(piece)]
    good, bad = style.color("good").name(), style.color("bad").name()
    assert [color == good for color in colors] == [True, False, False, False, False]
    assert [color == bad for color in colors] == [False, True, False, True, False]
    assert "Run the tests" in words(card)


def _blocks(piece: TextPiece) -> list[QTextBlock]:
    return [piece.document.findBlockByNumber(at) for at in range(piece.document.blockCount())]


def _color(block: QTextBlock) -> str:
    span = next(iter(block.textFormats()))  # it owns the format
    return span.format.foreground().color().name()


def test_a_short_output_has_no_numbers(make_card: MakeCard) -> None:
    card = make_card(called("bash", command="pwd"), result("c", "/home/ada", "bash"), unfolded=OPEN)
    assert texts(card) == []


def test_a_long_command_is_shown_whole(make_card: MakeCard) -> None:
    command = "for file in *.py; do\n  python -m py_compile $file\ndone"
    card = make_card(called("bash", command=command), result("c", "ok", "bash"), unfolded=OPEN)
    assert command in words(card)


def test_matches_stand_below_their_files_with_the_words_marked(make_card: MakeCard, style: CardStyle) -> None:
    text = "a.py:12:Width = width(x)\nb.py:7:no\nb.py-8-width"
    grep = assistant(ToolCall("c", "Grep", '{"pattern":"width","glob":"*.py","-n":true,"output_mode":"content"}'))
    card = make_card(grep, result("c", text, "Grep"), unfolded=OPEN)
    (piece,) = texts(card)
    assert piece.text() == "a.py\nWidth = width(x)\n\nb.py\nno\nwidth"
    assert painted(card, piece) == [False, True, False, False, True, True]
    ground = style.color("match").name()
    marked = [
        [
            (part.start, part.length)
            for part in block.textFormats()
            if part.format.background().color().name() == ground
        ]
        for block in _blocks(piece)
    ]
    assert [len(found) for found in marked] == [0, 2, 0, 0, 0, 1]
    assert "\nglob: *.py\n" in words(card)


def test_folders_of_listed_files_are_faint(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(called("glob", pattern="*"), result("c", "src/𝒳/a.py\nb.py", "glob"), unfolded=OPEN)
    piece = next(part for part in card.parts if isinstance(part, TextPiece) and "a.py" in part.text())
    first, second = _blocks(piece)
    assert [part.length for part in first.textFormats()] == [7, 4]
    assert len(second.textFormats()) == 1


@pytest.mark.parametrize("flag", [Flag(0), Flag.FAILED])
def test_an_error_is_told_as_one(make_card: MakeCard, flag: Flag) -> None:
    card = make_card(called("read", path="a"), result("c", "No such file", "read", flags=flag), unfolded=OPEN)
    assert ("Error" in words(card).split("\n")) is bool(flag)
    assert bool(texts(card)) is not bool(flag)


# -- sideways ------------------------------------------------------------------------------------------------------


@pytest.fixture
def wide(make_card: MakeCard, theme: Theme) -> Card:
    """A card with a line that is wider than the card, which does not wrap."""
    theme.set_code(wraps=False)
    read = result("c", f"{LONG_LINE}needle\nend", "read")
    return make_card(called("read", path="a"), read, unfolded=OPEN)


def turn(card: Card, at: QPoint, delta: QPoint, keys: Qt.KeyboardModifier) -> bool:
    event = QWheelEvent(
        QPointF(at), QPointF(at), QPoint(), delta, Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False
    )
    card.wheelEvent(event)
    return event.isAccepted()


NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def test_lines_that_do_not_wrap_are_scrolled_sideways(wide: Card) -> None:
    (piece,) = texts(wide)
    sideways = code(wide).sideways
    assert sideways is not None
    assert piece.document.firstBlock().layout().lineCount() == 1
    assert sideways.most > piece.rect.width()
    middle = piece.rect.center()
    assert turn(wide, middle, QPoint(0, -120), SHIFT)
    assert sideways.offset > 0
    before = piece.position_at(QPoint(piece.inset, 2))
    assert before > 0
    assert turn(wide, middle, QPoint(-1_000_000, 0), NONE)
    assert sideways.offset == sideways.most
    assert turn(wide, middle, QPoint(1_000_000, 1), NONE)
    assert sideways.offset == 0


def test_wide_blocks_are_scrolled_by_steps(wide: Card) -> None:
    sideways = code(wide).sideways
    assert sideways is not None
    wide.scroll_sideways(1)
    wide.scroll_sideways(1)
    assert sideways.offset == 2 * metrics.WHEEL_STEP
    for _ in range(3):
        wide.scroll_sideways(-1)
    assert sideways.offset == 0


def test_an_upright_wheel_scrolls_the_transcript(wide: Card) -> None:
    middle = texts(wide)[0].rect.center()
    assert not turn(wide, middle, QPoint(0, -120), NONE)
    assert not turn(wide, QPoint(5, 2), QPoint(-120, 0), NONE)


def test_numbers_stay_while_lines_are_scrolled(wide: Card) -> None:
    (piece,) = texts(wide)
    gutter = piece.rect.adjusted(0, 0, piece.inset - piece.rect.width() - 2, 0)
    before = wide.grab(gutter).toImage()
    turn(wide, piece.rect.center(), QPoint(-500, 0), NONE)
    assert wide.grab(gutter).toImage() == before


def test_the_handle_is_dragged(wide: Card) -> None:
    bar = next(part for part in wide.parts if isinstance(part, SidewaysBar))
    sideways = code(wide).sideways
    assert sideways is not None
    assert bar.rect.height() > 0
    kinds = QEvent.Type
    spots = [(kinds.MouseButtonPress, 5), (kinds.MouseMove, 5_000), (kinds.MouseButtonRelease, 5_000)]
    for kind, x in spots:
        point = QPointF(bar.rect.topLeft() + QPoint(x, 3))
        buttons = Qt.MouseButton.LeftButton
        event = QMouseEvent(kind, point, point, buttons, buttons, NONE)
        {
            kinds.MouseButtonPress: wide.mousePressEvent,
            kinds.MouseMove: wide.mouseMoveEvent,
            kinds.MouseButtonRelease: wide.mouseReleaseEvent,
        }[kind](event)
    assert sideways.offset == sideways.most
    assert not sideways.is_held
    assert wide.selection.is_empty
    bar.press(bar.rect.width() // 2)
    bar.release()
    assert 0 < sideways.offset < sideways.most


def test_a_match_out_of_view_is_scrolled_to(wide: Card) -> None:
    (piece,) = texts(wide)
    sideways = code(wide).sideways
    assert sideways is not None
    piece.reveal(piece.text().index("needle"))
    assert 0 < sideways.offset < sideways.most + 1
    assert piece.position_at(QPoint(piece.rect.width() - 1, 2)) > piece.text().index("needle")
    piece.reveal(0)
    assert sideways.offset == 0


def test_the_buttons_copy_and_wrap(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(called("read", path="a"), result("c", "one\ntwo", "read"), unfolded=OPEN)
    piece = code(card)
    found = {
        (action, piece.tip_at(QPoint(x, y)))
        for x in range(0, piece.rect.width(), 3)
        for y in range(0, 30, 3)
        if (action := piece.action_at(QPoint(x, y))) is not None
    }
    assert found == {
        (Action(Request.COPY_TEXT, "one\ntwo"), "Copy this code"),
        (Action(Request.WRAP), "Do not wrap long lines"),
    }
    style.always_wraps = True
    assert piece.tip_at(QPoint(piece.rect.width() - 30, 5)) in ("", "Copy this code")
    assert {piece.action_at(QPoint(x, 5)) for x in range(piece.rect.width())} == {
        None,
        Action(Request.COPY_TEXT, "one\ntwo"),
    }


@pytest.mark.parametrize("form", [ResultForm.OUTPUT, ResultForm.FILE])
def test_a_text_that_is_too_long_to_be_cleaned_at_once_is_cleaned_part_by_part(
    make_card: MakeCard, style: CardStyle, form: ResultForm
) -> None:
    text = "10 %\r99 %\r\n\x1b[32mok\x1b[0m\n" * 400
    content = make_card(result("c", "", "bash")).content
    assert content is not None
    (piece,) = FORMS[form](style, content, ToolResult(form, text, path="a.py"))
    assert isinstance(piece, CodePiece)
    waiting = list(piece.children)
    shown: list[str] = []
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, LongText):
            part.realise()
            waiting[:0] = part.children
        elif isinstance(part, TextPiece):
            shown.append(part.text())
    assert len(shown) > 1
    assert "\n".join(shown).rstrip("\n") == "\n".join(["99 %", "ok"] * 400)
    (copied,) = piece.actions
    assert copied.request is Request.COPY_OUTPUT
    put_on_clipboard(copied.text, change=terminal_text)
    assert QGuiApplication.clipboard().text()[:10] == "99 %\nok\n99"

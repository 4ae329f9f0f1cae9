"""Documents load nothing; code gets its colours in slices."""

from __future__ import annotations

from threading import Event, get_ident
from typing import Any

import pytest
from pygments.lexer import RegexLexerMeta
from pygments.lexers.javascript import JavascriptLexer
from PySide6.QtCore import QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QImage, QPainter, QPalette, QTextCursor, QTextDocument

from stemmata.domain.search.needle import text_needle
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import LONG_BLOCK, MOST_FILLED, TextPiece
from stemmata.gui.text import highlighting
from stemmata.gui.text.document import TextDocument
from stemmata.gui.text.highlighting import STYLES, Highlighting
from stemmata.gui.text.markdown import Prose
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from tests.fakes.waiting import PATIENCE


@pytest.mark.parametrize(
    "url", ["http://evil.example/x.png", "file:///etc/passwd", "x.png", "data:image/png;base64,AA"]
)
def test_a_document_loads_nothing(theme: Theme, url: str) -> None:
    document = TextDocument(theme.font("ui"))
    document.setHtml(f'<p>before <img src="{url}"> after</p>')
    document.height(300)
    assert document.resource(QTextDocument.ResourceType.ImageResource, QUrl(url)) is None


def test_height_leaves_out_what_qt_puts_behind_a_table(style: CardStyle) -> None:
    table = style.prose("<table><tr><td>a</td></tr></table>")
    assert table.height(300) < style.prose("<p>a</p><p>b</p><p>c</p>").height(300)
    assert table.lastBlock().text() == ""


@pytest.mark.parametrize(
    "html",
    [
        "<p>a</p><table border='1'><tr><td>b</td></tr><tr><td>c</td></tr></table>",
        "<table border='1'><tr><td>b</td></tr></table>",
        "<p>a</p><hr>",
    ],
)
def test_what_stands_last_is_shown_whole(style: CardStyle, html: str) -> None:
    document = style.prose(html)
    height = document.height(300)
    picture = QImage(300, height + 100, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    painter = QPainter(picture)
    document.drawContents(painter)
    painter.end()
    inked = [y for y in range(picture.height()) if any(picture.pixel(x, y) for x in range(300))]
    assert inked[-1] < height
    assert document.height(300) - inked[-1] < 20, "and little is left below it"


def test_a_narrow_document_is_higher(style: CardStyle) -> None:
    document = style.prose("<p>" + "some words " * 20 + "</p>")
    assert document.height(100) > document.height(500)


COLORS = {name: QColor(index, 1, 1) for index, name in enumerate(sorted(set(STYLES.values())))}


def colored(style: CardStyle, text: str, language: str) -> list[tuple[str, str]]:
    """The coloured words of a text, with the token of their colour."""
    document = style.code(text)
    work = Highlighting(text, language, COLORS, style.lexers)
    work.add(document)
    while not work.work(0):
        pass
    out = []
    names = {color.name(): name for name, color in COLORS.items()}
    block = document.firstBlock()
    while block.isValid():
        for found in block.layout().formats():
            part = block.text()[found.start : found.start + found.length]
            out.append((part, names[found.format.foreground().color().name()]))
        block = block.next()
    return out


def test_text_is_shaped_once_for_layout_and_painting(style: CardStyle) -> None:
    document = style.prose("<p>some words</p><table><tr><td>and</td><td>cells</td></tr></table>")
    document.height(300)
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText("more\nlines")
    document.height(300)
    block, kept = document.begin(), []
    while block.isValid():
        kept.append(block.layout().cacheEnabled())
        block = block.next()
    assert len(kept) > 4
    assert all(kept)


def test_matches_that_touch_in_a_long_paragraph_are_one_ground(style: CardStyle) -> None:
    style.needle = text_needle("yyy")
    part = TextPiece(style, style.plain(f"{'y' * LONG_BLOCK} and a yyy"))
    height = part.measure(300)
    picture = QImage(300, height, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    part.paint(painter, QRect(0, 0, 300, height))
    painter.end()
    line = part.document.firstBlock().layout().lineAt(0)
    right = int(line.naturalTextWidth() * (line.textLength() // 3 * 3) / line.textLength())
    assert right > 200
    assert {picture.pixel(x, 1) for x in range(1, right - 1)} == {style.color("match").rgb()}
    assert len(part.found()) > MOST_FILLED
    assert picture.pixelColor(1, height - 3) != style.color("match"), "only so many of a part are marked"


def test_code_gets_its_colours(style: CardStyle) -> None:
    found = colored(style, 'def go():\n    return "yes" + str(1)  # why\n', "python")
    assert ("def", "code_keyword") in found
    assert ("go", "code_name") in found
    assert ("yes", "code_string") in found
    assert ("1", "code_number") in found
    assert ("# why", "code_comment") in found


def test_a_string_over_several_lines(style: CardStyle) -> None:
    found = colored(style, '"""one\ntwo\nthree"""\nx = 1', "python")
    assert [text for text, name in found if name == "code_string"] == ['"""one', "two", 'three"""']
    assert ("1", "code_number") in found


def test_positions_count_utf16_units(style: CardStyle) -> None:
    document = style.code(text := 'x = "😀😀" + 12')
    work = Highlighting(text, "python", COLORS, style.lexers)
    work.add(document)
    while not work.work(1):
        pass
    last = document.firstBlock().layout().formats()[-1]
    assert (last.start, last.length) == (len('x = "😀😀" + ') + 2, 2)


@pytest.mark.parametrize("language", ["", "no-such-language"])
def test_unknown_languages_stay_plain(style: CardStyle, language: str) -> None:
    assert colored(style, "def go(): pass", language) == []


def test_very_long_code_stays_plain(style: CardStyle) -> None:
    assert colored(style, "x = 1\n" * (highlighting.MOST_LINES + 1), "python") == []
    assert colored(style, "x = 1 + " * 10_000, "python") == []


def test_colours_change_no_height(style: CardStyle) -> None:
    document = style.code(text := "def go():\n    return 1\n" * 20)
    before = document.height(300)
    work = Highlighting(text, "python", COLORS, style.lexers)
    work.add(document)
    while not work.work(1):
        pass
    assert document.height(300) == before


def painted(document: QTextDocument) -> bool:
    """Whether anything of the text is to be seen on black."""
    image = QImage(300, 100, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, QColor("white"))
    with QPainter(image) as painter:
        document.documentLayout().draw(painter, context)
    return any(image.pixelColor(x, y).lightness() > 100 for x in range(300) for y in range(50))


def test_coloured_code_is_still_to_be_seen(style: CardStyle) -> None:
    document = style.code("x = 1")
    document.height(300)
    assert painted(document)
    work = Highlighting("x = 1", "python", dict.fromkeys(COLORS, QColor("white")), style.lexers)
    work.add(document)
    while not work.work(0):
        pass
    assert painted(document)


def test_long_code_is_coloured_in_slices(style: CardStyle) -> None:
    text = "x = 1\n" * 200
    work = Highlighting(text, "python", COLORS, style.lexers)
    work.add(style.code(text))
    slices = 1
    while not work.work(0):
        slices += 1
    assert slices > 100


def test_parts_of_a_text_get_the_colours_of_the_whole(style: CardStyle) -> None:
    text = '"""😀 one\ntwo\nthree"""\nx = 1'
    later = style.code(text[text.index("two") :])
    work = Highlighting(text, "python", COLORS, style.lexers)
    work.add(style.code("elsewhere"))
    assert work.work(1)
    work.add(later, text.index("two"))
    assert not work.is_done
    assert work.work(1)
    found = later.firstBlock().layout().formats()
    assert [(one.start, one.length, one.format.foreground().color()) for one in found] == [
        (0, 3, COLORS["code_string"])
    ]


def test_the_first_use_of_a_language_is_loaded_on_another_thread(
    style: CardStyle, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    go = Event()
    load = highlighting._load

    def loading(languages: Any) -> object:
        threads.append(get_ident())
        assert go.wait(PATIENCE)
        return load(languages)

    monkeypatch.setattr(highlighting, "_load", loading)
    document = QTextDocument("x = 1")
    work = Highlighting("x = 1", "python", COLORS, style.lexers)
    work.add(document)
    assert not work.has_lexer
    assert not work.work(0.001)
    go.set()
    while not work.work(0.01):
        pass
    assert len(threads) == 1
    assert threads != [get_ident()]
    again = Highlighting("y = 2", "python", COLORS, style.lexers)
    again.add(document)
    assert again.has_lexer
    while not again.work(1):
        pass
    assert len(threads) == 1, "a lexer is loaded once"


def test_no_installed_package_is_asked_for_an_unknown_language(
    style: CardStyle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which takes a read of a file for each package."""
    asked: list[str] = []

    def packages(group: str) -> list[object]:
        asked.append(group)
        return []

    monkeypatch.setattr("pygments.plugin.iter_entry_points", packages)
    assert colored(style, "def go(): pass", "no-such-language") == []
    assert colored(style, "```no-such-language\nx\n```\n", "markdown")
    assert asked == []


@pytest.mark.parametrize(
    ("language", "text"),
    [("html", "<script>var a = 1</script>"), ("markdown", "```javascript\nvar a = 1\n```\n")],
)
def test_lexers_within_a_lexer_are_made_on_that_thread_too(
    style: CardStyle, monkeypatch: pytest.MonkeyPatch, language: str, text: str
) -> None:
    threads: list[int] = []
    make: Any = RegexLexerMeta.process_tokendef

    def noted(cls: RegexLexerMeta, name: str, tokens: object = None) -> object:
        threads.append(get_ident())
        return make(cls, name, tokens)

    monkeypatch.setattr(RegexLexerMeta, "process_tokendef", noted)
    monkeypatch.delattr(JavascriptLexer, "_tokens", raising=False)
    assert ("var", "code_keyword") in colored(style, text, language)
    assert threads
    assert get_ident() not in threads


def test_a_tab_in_code_is_as_wide_as_the_theme_says(theme: Theme, style: CardStyle) -> None:
    def width_of_tab() -> float:
        document = style.code("\tx")
        document.height(300)
        found: Any = document.firstBlock().layout().lineAt(0).cursorToX(1)
        return float(found[0] if isinstance(found, tuple) else found)

    space = style.font_metrics("code").horizontalAdvance(" ")
    assert width_of_tab() == pytest.approx(4 * space, abs=1)
    theme.set_code(tab_width=8)
    assert width_of_tab() == pytest.approx(8 * space, abs=1)


def margins(document: TextDocument, top: float = 0, bottom: float = 10_000) -> list[tuple[int, str]]:
    """Return the left edge of the margin of each quote, and the first text beside it, from top to bottom."""
    found = sorted(document.quotes(top, bottom), key=lambda area: (area.top(), area.left()))
    layout = document.documentLayout()
    at = [layout.hitTest(QPointF(300, area.top() + 1), Qt.HitTestAccuracy.FuzzyHit) for area in found]
    return [(round(area.left()), document.findBlock(place).text()) for area, place in zip(found, at, strict=True)]


def test_a_quote_has_one_margin_beside_all_of_its_paragraphs_and_a_quote_in_it_another(style: CardStyle) -> None:
    markdown = (
        "before\n\n> one\n>\n> two\n>\n> - listed\n>\n> > inner\n>\n> three\n\n"
        "after\n\n> last\n\n- item\n\n  > in a list\n"
    )
    (segment,) = style.markdown.segments(markdown)
    assert isinstance(segment, Prose)
    document, step = style.prose(segment.html), style.space(metrics.QUOTE)
    document.height(400)
    found = margins(document)
    assert [(x, text) for x, text in found if text != "in a list"] == [(0, "one"), (step, "inner"), (0, "last")]
    assert [x for x, text in found if text == "in a list"] == [style.px(metrics.LIST_INDENT)]
    outer = next(area for area in document.quotes(0, 10_000) if area.left() == 0)
    layout, block = document.documentLayout(), document.firstBlock()
    while block.text() != "three":
        block = block.next()
    assert outer.bottom() == layout.blockBoundingRect(block).bottom()
    assert outer.height() > 5 * style.font_metrics("ui").height()
    assert list(style.prose("<p>no quote</p>").quotes(0, 100)) == []


TABLE = ("| a | b |", "|---|---|", "| 1 | 2 |")


def quoted(style: CardStyle, *lines: str) -> tuple[TextDocument, int]:
    """Return the document of a text, and its height."""
    (segment,) = style.markdown.segments("\n".join(lines))
    assert isinstance(segment, Prose)
    document = style.prose(segment.html)
    return document, document.height(400)


def test_a_table_does_not_break_the_margin_of_its_quote(style: CardStyle) -> None:
    table, line = [f"> {row}" for row in TABLE], style.font_metrics("ui").height()
    inside = [f"> {row}" for row in table]
    document, height = quoted(style, "> before", ">", *table, ">", "> after", ">", "> > deep", "> >", *inside)
    outer, inner = sorted(document.quotes(0, height), key=lambda area: area.left())
    assert (outer.left(), inner.left()) == (0, style.space(metrics.QUOTE))
    assert outer.top() < line
    assert inner.top() > 5 * line
    assert inner.bottom() == outer.bottom() > height - line
    (low, deep) = document.quotes(height - line, height)
    assert {low.left(), deep.left()} == {outer.left(), inner.left()}, "also where only the table is painted"


def test_a_quote_of_a_table_alone_has_its_margin(style: CardStyle) -> None:
    document, height = quoted(style, *(f"> {row}" for row in TABLE), "", "out")
    (area,) = document.quotes(0, height)
    assert area.height() > 2 * style.font_metrics("ui").height()
    assert area.bottom() <= height - style.font_metrics("ui").height()


def test_tables_of_a_list_have_the_margins_of_their_quotes_only(style: CardStyle) -> None:
    of_item = [f"  {row}" for row in TABLE]
    document, height = quoted(style, "- item", "", *(f"  > {row}" for row in TABLE), "", "- next", "", *of_item)
    (area,) = document.quotes(0, height)
    assert area.left() == style.px(metrics.LIST_INDENT)
    assert area.bottom() < height * 0.6, "the other table has none"


def test_a_quote_is_painted_with_a_bar_at_its_side(style: CardStyle) -> None:
    (segment,) = style.markdown.segments("> quoted\n")
    assert isinstance(segment, Prose)
    piece = TextPiece(style, style.prose(segment.html))
    height = piece.measure(300)
    picture = QImage(300, height, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    painter = QPainter(picture)
    piece.paint(painter, QRect(0, 0, 300, height))
    painter.end()
    bar = style.color("line").rgb()
    assert picture.pixel(0, height // 2) == bar
    assert picture.pixel(style.px(metrics.QUOTE_BAR), height // 2) != bar

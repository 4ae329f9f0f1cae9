"""The style of cards: a snapshot of the theme that all cards share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPixmap, QTextBlockFormat, QTextCursor

from stemmata.domain.search.needle import Needle, TextNeedle
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.text.document import TextDocument, Wrap
from stemmata.gui.text.highlighting import Lexers
from stemmata.gui.text.markdown import Markdown, few_marks
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

_TAG = re.compile(r"<(\w+)(?: class=\"(\w+)\")?")
_UNBROKEN = re.compile(r"\S{1000}")  # finding word boundaries in such text takes longer than a frame
CSS = """
p {{ margin-top: 0px; margin-bottom: {gap}px; line-height: {line}%; }}
li {{ line-height: {line}%; margin-bottom: {hair}px; }}
li p {{ margin-bottom: {hair}px; }}
ul, ol {{ margin-top: 0px; margin-bottom: {gap}px; }}
li ul, li ol {{ margin-bottom: {hair}px; }}
div {{ line-height: {line}%; }}
.task {{ text-indent: -{box}px; }}
.hung {{ margin-left: {box}px; text-indent: -{box}px; }}
a {{ color: {accent}; text-decoration: none; }}
.h1, .h2, .h3, .h4, .h5, .h6 {{ font-weight: 600; margin-top: {gap}px; margin-bottom: {hair}px; }}
.h1 {{ font-size: {large}px; }}
.h2 {{ font-size: {medium}px; }}
code {{ font-family: "{code}"; font-size: {code_size}px; }}
pre {{ font-family: "{code}"; font-size: {code_size}px; color: {dim}; margin-top: {hair}px; margin-bottom: {gap}px; }}
blockquote {{ color: {dim}; margin-left: {indent}px; margin-right: 0px; margin-top: 0px; margin-bottom: {gap}px; }}
table {{ border-collapse: collapse; border-style: solid; border-color: {line_color}; }}
table {{ margin-top: {gap}px; margin-bottom: {gap}px; }}
.note {{ font-size: {note}px; }}
.dense {{ font-size: {small}px; }}
th {{ font-weight: 600; text-align: left; }}
"""

ImageSource = Callable[[str], bytes | None]
LoadPicture = Callable[[str, QSize, Callable[[QImage], None]], None]  # SHA-256, size in pixels, receiver


class CardStyle:
    """A snapshot of the theme, replaced when the theme changes. `blob` returns the bytes of an image."""

    def __init__(self, theme: Theme, blob: ImageSource) -> None:
        self.theme = theme
        self.blob = blob
        self.head = blob  # returns the first bytes of an image
        self.load_picture: LoadPicture | None = None  # reads and decodes on another thread; None decodes here
        self.picture_sizes: dict[str, QSize] = {}  # by SHA-256, as far as known; invalid for unreadable pictures
        self.folder = ""  # the session's folder; paths inside it are displayed relative to it
        self.needle: Needle = TextNeedle()  # the query of the find bar, which is highlighted
        self.ratio = 1.0  # device pixel ratio
        self.answered: frozenset[Request] | None = None  # the requests that the view answers; None for all
        self.always_wraps = False  # whether lines and tables that are too wide wrap; overrides the setting
        self.markdown = Markdown()
        self.lexers = Lexers()
        self._fonts: dict[str, QFont] = {}
        self._metrics: dict[str, QFontMetrics] = {}

    @property
    def wraps_code(self) -> bool:
        """Whether long lines of code wrap; otherwise they are scrolled sideways."""
        return self.always_wraps or self.theme.wraps_code

    def offers(self, action: Action | None) -> bool:
        """Whether the view answers the request of an action; True without an action."""
        return action is None or self.answered is None or action.request in self.answered

    def px(self, size: float) -> int:
        """Scale a size to pixels."""
        return self.theme.px(size)

    def space(self, step: int) -> int:
        """Return a step of `metrics.SPACE` in pixels."""
        return self.theme.px(metrics.SPACE[step])

    def color(self, name: str) -> QColor:
        """Return the colour of a token."""
        return self.theme.color(name)

    def colors(self, names: set[str]) -> dict[str, QColor]:
        """Return the colours of tokens."""
        return {name: self.theme.color(name) for name in names}

    def font(self, role: str) -> QFont:
        """Return the font of a role."""
        if role not in self._fonts:
            self._fonts[role] = self.theme.font(role)
        return self._fonts[role]

    def font_metrics(self, role: str) -> QFontMetrics:
        """Return the metrics of a role's font."""
        if role not in self._metrics:
            self._metrics[role] = QFontMetrics(self.font(role))
        return self._metrics[role]

    def icon(self, name: str, color: str) -> QPixmap:
        """Return an icon in a token's colour."""
        return self.theme.pixmap(name, color, ratio=self.ratio)

    def prose(self, html: str, wrap: Wrap = Wrap.WORDS) -> TextDocument:
        """Return a document of prose."""
        document = TextDocument(self.font("ui"), wrap)
        document.setIndentWidth(self.px(metrics.LIST_INDENT))
        document.setDefaultStyleSheet(self._css(html))
        document.setHtml(html.rstrip())
        self._note_quotes(document, html)
        return document

    def insert(self, cursor: QTextCursor, html: str) -> None:
        """Insert prose into a document that `prose` made."""
        document = cursor.document()
        document.setDefaultStyleSheet(self._css(html))
        cursor.insertHtml(html.rstrip())
        if isinstance(document, TextDocument):
            self._note_quotes(document, html)

    def _note_quotes(self, document: TextDocument, html: str) -> None:
        if "<blockquote>" in html:
            document.quote_indent = self.space(metrics.QUOTE)

    def code(self, text: str, *, wraps: bool = True) -> TextDocument:
        """Return a document of code. Without `wraps`, its lines may be wider than the place for it."""
        tab = self.theme.tab_width * self.font_metrics("code").horizontalAdvance(" ")
        wrap = Wrap.ANYWHERE if _UNBROKEN.search(text) is not None else Wrap.WORDS
        document = TextDocument(self.font("code"), wrap if wraps else Wrap.NEVER, tab=tab)
        return self._spaced(document, text, "code", metrics.CODE_LINE_PERCENT)

    def _spaced(self, document: TextDocument, text: str, role: str, line: int) -> TextDocument:
        document.setPlainText(few_marks(text))
        spacing = QTextBlockFormat()
        percent = self.line_height(role, line)
        spacing.setLineHeight(percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        return document

    def plain(self, text: str) -> TextDocument:
        """Return a document of unformatted text in the font of prose."""
        return self._spaced(TextDocument(self.font("ui")), text, "ui", metrics.LINE_PERCENT)

    def line_height(self, role: str, percent: int) -> int:
        """Return the line distance in pixels for a percentage of the font's own, the unit of text documents."""
        wanted = self.font(role).pixelSize() * percent / 100
        return round(100 * wanted / self.font_metrics(role).height())

    def _css(self, html: str) -> str:
        """Return only the rules for elements in the HTML, because Qt parses the sheet for every document."""
        found = {name for match in _TAG.findall(html) for name in match}
        key = frozenset(found & self._selectors)
        css = self._sheets.get(key)
        if css is None:
            rules = [rule for names, rule in self._rules() if names & found]
            css = self._sheets[key] = "\n".join(rules)
        return css

    @cached_property
    def _sheets(self) -> dict[frozenset[str], str]:
        return {}

    @cached_property
    def _selectors(self) -> set[str]:
        return {name for names, _ in self._rules() for name in names}

    def _rules(self) -> list[tuple[set[str], str]]:
        """Return each rule with the elements and classes that it names."""
        rules = [rule for rule in self._render_css().splitlines() if rule]
        return [(set(re.findall(r"\w+", rule.partition("{")[0])), rule) for rule in rules]

    def _render_css(self) -> str:
        size = self.font("ui").pixelSize()
        return CSS.format(
            dim=self.color("dim").name(),
            accent=self.color("accent").name(),
            line_color=self.color("line").name(),
            line=self.line_height("ui", metrics.LINE_PERCENT),
            small=self.font("code_small").pixelSize(),
            note=self.font("small").pixelSize(),
            large=size + self.space(2),
            medium=size + self.space(1),
            code=self.font("code").family(),
            code_size=self.font("code").pixelSize(),
            gap=self.space(4),
            hair=self.space(1),
            indent=self.space(metrics.QUOTE),
            box=self.font_metrics("ui").horizontalAdvance("☐ "),
        )

"""The results of tools as an editor shows them: lines with numbers, matches below files, lists of files."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor

from stemmata.domain.entries.blocks import Image, plain_text
from stemmata.domain.entries.entry import Flag
from stemmata.domain.search.needle import text_needle
from stemmata.domain.tool_calls.results import ResultForm, ToolResult, tool_result
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, OutputPiece, marks
from stemmata.gui.cards.tool_parts import caption, note, of_result
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.text.document import TextDocument

FEW_LINES = 2  # lines of an output that need no numbers
MOST_WORDS = 300  # searched words marked in a part of a text
LONGEST = 600  # characters of a line that are looked at
_BAD = re.compile(
    r"\s{0,40}(?:[✗✘✕✖×]|not ok\b|FAIL(?:ED)?\b|E  "
    r"|(?:[\w.]{0,80}(?:Error|Exception)|[Ee]rror|ERROR|fatal|panic)(?:\[\w{1,9}\])?:)"
)
_GOOD = re.compile(r"\s{0,40}(?:[✓✔]|ok\b|PASS(?:ED)?\b)")
_LANGUAGES = {
    "yml": "yaml", "kt": "kotlin", "h": "c", "hpp": "cpp", "cc": "cpp", "cxx": "cpp", "hh": "cpp", "pyi": "python",
    "mjs": "js", "cjs": "js", "mts": "ts", "cts": "ts", "cs": "csharp", "htm": "html", "svg": "xml", "plist": "xml",
    "jsonl": "json", "cfg": "ini", "conf": "ini", "zsh": "bash", "ps1": "powershell",
}  # fmt: skip
_NAMES = {"dockerfile": "docker", "makefile": "make", "gnumakefile": "make", "cmakelists.txt": "cmake"}
_NAMES |= {"cargo.lock": "toml", "uv.lock": "toml", "poetry.lock": "toml", ".bashrc": "bash", ".gitconfig": "ini"}


def language_of(path: str) -> str:
    """Return the language of a file by its name: the ending itself when unknown, "" without one."""
    name = PurePosixPath(path.replace("\\", "/"))
    ending = name.suffix.lstrip(".").lower()
    return _NAMES.get(name.name.lower()) or _LANGUAGES.get(ending, ending)


def result(
    style: CardStyle, content: CardContent, answer: LoadedEntry | None, arguments: Mapping[str, Any], tool: str = ""
) -> list[Piece]:
    """Return the pieces of a call's result: images, and the text in the form of the tool."""
    if answer is None:
        return []
    images = [block for block in answer.body.blocks if isinstance(block, Image)]
    out = [parts.picture(style, image, images) for image in images]
    text = plain_text(answer.body.blocks)
    if not text.strip():
        return out
    own = CardContent(answer, unfolded=content.unfolded, whole=content.whole)
    failed = bool(answer.row.flags & Flag.FAILED)
    shown = parts.first_part(own, text)
    found = tool_result(tool or answer.row.tool, arguments, shown, failed=failed)
    out += [caption(style, tr("Error"))] if failed else []
    if found.form is ResultForm.OUTPUT and not found.before:
        long = parts.long_json(style, own, text, _json_name(own))
        if long:
            return of_result([*out, *long], answer)
    out += _words_of_tool(style, found.before)
    out += FORMS[found.form](style, own, found)
    out += _words_of_tool(style, found.after)
    out += [] if shown is text else [parts.show_all(style, own, len(text))]
    return of_result(out, answer)


def _words_of_tool(style: CardStyle, text: str) -> list[Piece]:
    shown = " · ".join(filter(None, map(str.strip, text.split("\n"))))
    return [note(style, shown)] if shown else []


# -- forms ---------------------------------------------------------------------------------------------------------


def _file(style: CardStyle, _content: CardContent, found: ToolResult) -> list[Piece]:
    return [OutputPiece(style, found.text, language_of(found.path), gap=1, numbers=found.numbers, framed=False)]


def _output(style: CardStyle, _content: CardContent, found: ToolResult) -> list[Piece]:
    text = found.text.rstrip("\n")
    numbers = found.numbers if len(found.numbers) > FEW_LINES else ()
    made = partial(_tones, style)
    return [OutputPiece(style, text, color="dim", gap=1, numbers=numbers, made=made, framed=False)]


def _matches(style: CardStyle, _content: CardContent, found: ToolResult) -> list[Piece]:
    made = partial(_marked, style, found, _Lines(found.text))
    language = language_of(found.path)
    return [CodePiece(style, found.text, language, gap=1, numbers=found.numbers, made=made, framed=False)]


def _paths(style: CardStyle, _content: CardContent, found: ToolResult) -> list[Piece]:
    return [CodePiece(style, found.text, gap=1, made=partial(_folders, style), framed=False)]


def _prose(style: CardStyle, content: CardContent, found: ToolResult) -> list[Piece]:
    return parts.long_prose(style, CardContent(content.entry, whole=True), found.text, gap=1)


def _json(style: CardStyle, content: CardContent, found: ToolResult) -> list[Piece]:
    return parts.json_code(style, content, found.text, _json_name(content), framed=False)


def _json_name(content: CardContent) -> str:
    """Return the name of the JSON of a result within its card."""
    return f"result {content.entry.row.key}"


Form = Callable[[CardStyle, CardContent, ToolResult], list[Piece]]
FORMS: Mapping[ResultForm, Form] = {
    ResultForm.OUTPUT: _output,
    ResultForm.FILE: _file,
    ResultForm.MATCHES: _matches,
    ResultForm.PATHS: _paths,
    ResultForm.PROSE: _prose,
    ResultForm.JSON: _json,
}


# -- looks of lines ------------------------------------------------------------------------------------------------


class _Lines:
    """The line of each character of a text."""

    def __init__(self, text: str) -> None:
        self._ends = [at for at, character in enumerate(text) if character == "\n"]

    def index(self, start: int) -> int:
        """Return the index of the line with this character."""
        return bisect_left(self._ends, start)


def _lines(document: TextDocument) -> Iterator[tuple[int, str]]:
    """Yield the start and the text of each line of a document, in UTF-16 units."""
    block = document.firstBlock()
    while block.isValid():
        yield block.position(), block.text()
        block = block.next()


def _tones(style: CardStyle, document: TextDocument, _start: int) -> None:
    """Colour the lines of an output that tell of a failure or a success, as a terminal does."""
    cursor = QTextCursor(document)
    for at, line in _lines(document):
        tone = "bad" if _BAD.match(line) else "good" if _GOOD.match(line) else ""
        if tone:
            _format(cursor, at, at + _units(line), style.color(tone))


def _folders(style: CardStyle, document: TextDocument, _start: int) -> None:
    """Make the folders of paths faint, so that the names of the files are easy to find."""
    cursor = QTextCursor(document)
    for at, line in _lines(document):
        end = max(line[:LONGEST].rstrip("/").rfind("/"), line[:LONGEST].rstrip("\\").rfind("\\")) + 1
        if end:
            _format(cursor, at, at + _units(line[:end]), style.color("faint"))


def _marked(style: CardStyle, found: ToolResult, lines: _Lines, document: TextDocument, start: int) -> None:
    """Make the names of files strong, and mark the words that were searched."""
    cursor, first = QTextCursor(document), lines.index(start)
    ground = style.color("match")
    left = MOST_WORDS
    for number, (at, line) in enumerate(_lines(document)):
        if first + number in found.heads:
            _format(cursor, at, at + _units(line), style.color("tool"), strong=True)
            continue
        for word in found.words:
            places = list(marks(line[:LONGEST], text_needle(word)).items())[:left]
            left -= len(places)
            for place, stop in places:
                _format(cursor, at + place, at + stop, None, ground)


def _format(
    cursor: QTextCursor,
    start: int,
    stop: int,
    color: QColor | None,
    ground: QColor | None = None,
    *,
    strong: bool = False,
) -> None:
    """Format a span, given in UTF-16 units from the document's start."""
    cursor.setPosition(start)
    cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
    look = QTextCharFormat()
    if color is not None:
        look.setForeground(color)
    if ground is not None:
        look.setBackground(ground)
    if strong:
        look.setFontWeight(QFont.Weight.DemiBold)
    cursor.mergeCharFormat(look)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2

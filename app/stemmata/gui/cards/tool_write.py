"""A file that a tool wrote: its content, coloured by its language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Flag
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.cards.tool_kinds import arguments_of
from stemmata.gui.cards.tool_parts import first_text, result
from stemmata.gui.core.pages import LoadedEntry

_PATHS = ("file_path", "filePath", "path", "filename")
_CONTENTS = ("content", "contents", "file_text", "text")
_LANGUAGES = {"yml": "yaml", "kt": "kotlin", "h": "c", "hpp": "cpp", "pyi": "python", "mjs": "js", "cs": "csharp"}


def pieces(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a written file: its text, coloured by the language of its name."""
    arguments = arguments_of(call)
    text = written(arguments)
    path = first_text(arguments, _PATHS)
    if not text:
        return []
    shown = parts.first_part(content, text)
    out: list[Piece] = [CodePiece(style, shown.rstrip("\n"), language_of(path), gap=2)]
    if shown is not text:
        out.append(parts.show_all(style, content, len(text)))
    failed = answer is not None and answer.row.flags & Flag.FAILED
    return [*out, *(result(style, content, answer) if failed else [])]


def written(arguments: Mapping[str, Any]) -> str:
    """Return the content of a written file from the call's arguments; "" when they do not contain it."""
    return first_text(arguments, _CONTENTS)


def language_of(path: str) -> str:
    """Return the language of a file by the ending of its name: the ending itself when unknown, "" without one."""
    ending = PurePosixPath(path.replace("\\", "/")).suffix.lstrip(".").lower()
    return _LANGUAGES.get(ending, ending)

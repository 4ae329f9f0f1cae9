"""Files that tools read, search, list and write, and commands that they run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stemmata.domain.entries.blocks import (
    COMMAND_ARGUMENTS,
    PATH_ARGUMENTS,
    ToolCall,
    command_line,
    first_text,
    main_argument,
)
from stemmata.domain.entries.entry import Flag
from stemmata.domain.files.changed_lines import FileChange
from stemmata.domain.tool_calls.kinds import arguments_of
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.diff_piece import DiffPiece
from stemmata.gui.cards.line_piece import MarkedLine, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.cards.tool_output import language_of, result
from stemmata.gui.cards.tool_parts import note, rest_of
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

LONG_COMMAND = 70  # characters; the line of the call often has no room for more
_CONTENTS = ("content", "contents", "file_text", "text")
_SKETCHES = ("code_edit", "code", "changes", "new_source", "content", "contents")
_READING = (
    *PATH_ARGUMENTS, "files", "paths", "offset", "limit", "start_line", "end_line", "startLine", "endLine",
    "view_range", "description", "explanation", "command", "start_line_one_indexed",
    "end_line_one_indexed_inclusive", "should_read_entire_file",
)  # fmt: skip
_COMMANDS = ("description", "explanation", "yield_time_ms", "max_output_tokens", "timeout")
SEARCHED = ("pattern", "query", "regex")
_SEARCHING = ("description", "explanation", "output_mode", "-n")  # arguments that the result shows anyway


def read(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a file that was read: its lines with their numbers."""
    arguments = arguments_of(call)
    return [*rest_of(style, arguments, _READING), *result(style, content, answer, arguments, call.name)]


def searched(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a search: the searched folder and the matches."""
    arguments = arguments_of(call)
    asked = next((name for name in SEARCHED if isinstance(arguments.get(name), str)), "")  # in the line of the call
    line = main_argument(arguments)
    named = [] if asked else [name for name, value in arguments.items() if value == line]  # in the line of the call
    shown = rest_of(style, arguments, (*_SEARCHING, asked, *named))
    return [*shown, *result(style, content, answer, arguments, call.name)]


def ran(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a command: its purpose, its text when the line of the call is too short, its output."""
    arguments = arguments_of(call)
    out: list[Piece] = []
    if told := first_text(arguments, ("description", "explanation")):
        out.append(note(style, told))
    command = command_line(arguments)
    if len(command) > LONG_COMMAND or "\n" in command:
        shown = parts.first_part(content, command)
        out.append(CodePiece(style, shown.rstrip("\n"), "bash", gap=2))
        out += [parts.show_all(style, content, len(command))] if shown is not command else []
    out += rest_of(style, arguments, (*COMMAND_ARGUMENTS, *_COMMANDS) if command else _COMMANDS)
    return [*out, *result(style, content, answer, arguments, call.name)]


def changed(style: CardStyle, change: FileChange, *, is_only: bool) -> list[Piece]:
    """Return the pieces of a changed file. The only file of a call is named in the line of the call."""
    path = within_folder(style.folder, change.path)
    name = f"{path} → {within_folder(style.folder, change.moved)}" if change.moved else path
    verbs = {"Add": tr("New file"), "Delete": tr("Deleted")}
    verb = verbs.get(change.verb, "")
    head = [Word(name, "tool", "code", shorten="middle"), *([Word(verb, "faint")] if verb else [])]
    out: list[Piece] = [] if is_only and not verb and not change.moved else [MarkedLine(style, head, gap=2)]
    if change.lines:
        language = language_of(change.path)
        out.append(DiffPiece(style, change.text, gap=1, numbers=change.numbers, language=language))
    return out


def within_folder(folder: str, path: str) -> str:
    """Return a path relative to the session's folder when it is inside."""
    return path.removeprefix(folder.rstrip("/\\") + "/") if folder else path


def wrote(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a written file: its lines, coloured by the language of its name."""
    arguments = arguments_of(call)
    text = written(arguments)
    if not text:
        return []
    shown = parts.first_part(content, text).rstrip("\n")
    numbers = range(1, shown.count("\n") + 2)
    language = language_of(first_text(arguments, PATH_ARGUMENTS))
    out: list[Piece] = [CodePiece(style, shown, language, gap=1, numbers=numbers, framed=False)]
    if len(shown) < len(text.rstrip("\n")):
        out.append(parts.show_all(style, content, len(text)))
    failed = answer is not None and answer.row.flags & Flag.FAILED
    return [*out, *(result(style, content, answer, arguments, call.name) if failed else [])]


def sketched(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of an edit that another model applies: its words, and the code with the places left out."""
    arguments = arguments_of(call)
    text = first_text(arguments, _SKETCHES)
    if not text:
        return []
    told = first_text(arguments, ("instructions", "explanation", "description"))
    shown = parts.first_part(content, text)
    language = language_of(first_text(arguments, PATH_ARGUMENTS))
    out: list[Piece] = [note(style, told)] if told else []
    out.append(CodePiece(style, shown.rstrip("\n"), language, gap=1, framed=False))
    out += [parts.show_all(style, content, len(text))] if shown is not text else []
    failed = answer is not None and answer.row.flags & Flag.FAILED
    return [*out, *(result(style, content, answer, arguments, call.name) if failed else [])]


def written(arguments: Mapping[str, Any]) -> str:
    """Return the content of a written file from the call's arguments; "" when they do not contain it."""
    return first_text(arguments, _CONTENTS)

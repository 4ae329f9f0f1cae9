"""A tool call with its result: one line, and all of it when unfolded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, first_text
from stemmata.domain.entries.entry import Flag
from stemmata.domain.files.changed_lines import FileChange, changes_of
from stemmata.domain.tool_calls.kinds import MOST_READ, ToolKind, arguments_of, kind_of
from stemmata.domain.tool_calls.results import first_line, last_line
from stemmata.gui.cards import parts, tool_agent, tool_files, tool_tasks, tool_web, written_text
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import MarkedLine, Word
from stemmata.gui.cards.piece import FramePiece, Piece, SinglePiece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece
from stemmata.gui.cards.tool_line import MOST_ARGUMENT, argument_line, outcomes, within
from stemmata.gui.cards.tool_output import result
from stemmata.gui.cards.tool_parts import Inside, caption, note
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.theme import metrics

LONG_ARGUMENT = 200  # characters; a longer text of several arguments is shown below its name
PROSE_ARGUMENTS = frozenset(
    {"plan", "response", "message", "question", "thought", "prompt", "summary", "task", "instructions", "result"}
)
MOST_FILES = 40  # changed files of a call that are shown
INSIDES: dict[ToolKind, Inside] = {
    ToolKind.TASKS: tool_tasks.pieces,
    ToolKind.WEB: tool_web.pieces,
    ToolKind.AGENT: tool_agent.pieces,
    ToolKind.READ: tool_files.read,
    ToolKind.WRITE: tool_files.wrote,
    ToolKind.SEARCH: tool_files.searched,
    ToolKind.FILES: tool_files.searched,
    ToolKind.EDIT: tool_files.sketched,
    ToolKind.SHELL: tool_files.ran,
}


def piece(
    style: CardStyle, content: CardContent, part: str, call: ToolCall | None, answer: LoadedEntry | None
) -> FramePiece:
    """Return the foldable frame of a tool call and its result. `call` is None for a result without its call."""
    tool = call.name if call is not None else answer.row.tool if answer is not None else ""
    arguments = arguments_of(call) if call is not None else {}
    is_open = part in content.unfolded
    left = [
        Word(tool or tr("tool"), "tool", "code", icon="triangle-down" if is_open else "triangle-right", faint=True),
        Word(
            within(style.folder, _headline(kind_of(tool, arguments), arguments, call)),
            "dim",
            "code",
            shorten="middle",
        ),
    ]
    right = [Word(outcome.text, outcome.tone, "code") for outcome in outcomes(tool, call, answer)]
    line = MarkedLine(style, left, right, height=metrics.TOOL_ROW, action=Action(Request.FOLD, part))
    inside = (
        [*_inside(style, content, call, answer), *_written(style, content, part, call, answer)] if is_open else []
    )
    return FramePiece(style, [line, *inside, *([_Space(style)] if inside else [])], gap=3)


def _inside(style: CardStyle, content: CardContent, call: ToolCall | None, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of an open call: its changes, else the form of its kind, else its arguments and result."""
    failed = answer is not None and bool(answer.row.flags & Flag.FAILED)
    changes = changes_of(call, answer.body.details if answer is not None else "")
    if changes:
        return [*_changes(style, changes), *(_result(style, content, call, answer) if failed else [])]
    if call is None:
        return _result(style, content, call, answer)
    own = INSIDES.get(kind_of(call.name, arguments_of(call)))
    shown = own(style, content, call, answer) if own is not None else []
    if shown:
        return shown
    has_arguments = arguments_of(call) or len(call.arguments) > MOST_READ
    out = _arguments(style, content, call) if has_arguments else []
    shown = _result(style, content, call, answer)
    return [*out, *([caption(style, tr("Result"))] if out and shown and not failed else []), *shown]


def _changes(style: CardStyle, changes: Sequence[FileChange]) -> list[Piece]:
    out: list[Piece] = []
    for change in changes[:MOST_FILES]:
        out += tool_files.changed(style, change, is_only=len(changes) == 1)
    if len(changes) > MOST_FILES:
        out.append(note(style, tr("%Ln more files", None, len(changes) - MOST_FILES)))
    return out


def _result(style: CardStyle, content: CardContent, call: ToolCall | None, answer: LoadedEntry | None) -> list[Piece]:
    name, arguments = (call.name, arguments_of(call)) if call is not None else ("", {})
    return result(style, content, answer, arguments, name)


def _written(
    style: CardStyle, content: CardContent, part: str, call: ToolCall | None, answer: LoadedEntry | None
) -> list[Piece]:
    """Return the texts of the call and of its result that were asked for because the form leaves their words out."""
    out = written_text.pieces(style, content, content.entry, only=part) if call is not None else []
    return [*out, *(written_text.pieces(style, content, answer) if answer is not None else [])]


def _arguments(style: CardStyle, content: CardContent, call: ToolCall) -> list[Piece]:
    """Return the pieces of a call's arguments: long texts unchanged below their names, all others as JSON."""
    arguments = arguments_of(call)
    texts = {name: value for name, value in arguments.items() if isinstance(value, str)}
    if len(arguments) != 1 or not texts:
        texts = {name: value for name, value in texts.items() if "\n" in value.strip() or len(value) > LONG_ARGUMENT}
    rest = {name: value for name, value in arguments.items() if name not in texts}
    out: list[Piece] = [caption(style, tr("Arguments"))]
    if rest or not arguments:
        written = json.dumps(rest, ensure_ascii=False) if texts else call.arguments
        out += parts.json_code(style, content, written, f"arguments {call.id}")
    for name, text in texts.items():
        out += [caption(style, name)] if len(arguments) > 1 else []
        out += _argument(style, content, name, text)
    return out


def _argument(style: CardStyle, content: CardContent, name: str, text: str) -> list[Piece]:
    """Return the pieces of a text: Markdown for an argument that holds words, else the text as it is written."""
    if name in PROSE_ARGUMENTS:
        return parts.long_prose(style, content, text, gap=1)
    shown = parts.first_part(content, text)
    out: list[Piece] = [CodePiece(style, shown.rstrip("\n"), gap=1, framed=False)]
    return out if shown is text else [*out, parts.show_all(style, content, len(text))]


def _headline(kind: ToolKind, arguments: Mapping[str, Any], call: ToolCall | None) -> str:
    """Return the words that distinguish a call from other calls of the tool, such as a path or a pattern."""
    own = tool_tasks.headline(arguments) if kind is ToolKind.TASKS else ""
    if kind is ToolKind.PATCH:
        own = _files_changed(changes_of(call))
    if kind in (ToolKind.SEARCH, ToolKind.FILES):
        own = first_text(arguments, tool_files.SEARCHED)[:MOST_ARGUMENT]
    return (own or argument_line(arguments)) + (_lines_read(arguments) if kind is ToolKind.READ else "")


def _files_changed(changes: Sequence[FileChange]) -> str:
    """Return the first file of a patch and the number of the others; "" when it changes none."""
    if not changes:
        return ""
    return changes[0].path + (f" +{len(changes) - 1}" if len(changes) > 1 else "")


def _lines_read(arguments: Mapping[str, Any]) -> str:
    """Return the lines that a call reads, as `:10–29`; "" when it reads the whole file."""
    first, last = first_line(arguments), last_line(arguments)
    return f":{first}–{last}" if last else f":{first}" if first > 1 else ""


class _Space(SinglePiece):
    """The space between the last line and the frame."""

    def measure(self, _width: int) -> int:
        return self.style.space(2)

"""User messages that a tool wrote (its commands, their output, reminders), shown as quiet lines without a card."""

from __future__ import annotations

from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Flag
from stemmata.domain.text.tool_wrappers import IDE_NOTES, WrappedPart, content_of, wrapped_parts
from stemmata.gui.cards import note, parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import MarkedLine, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr

SHOWN = 200  # characters of the line


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return one foldable line for a user message that a tool wrote; [] for a message of the person."""
    row, blocks = content.entry.row, content.entry.body.blocks
    if not all(isinstance(block, Text) for block in blocks):
        return []
    text = plain_text(blocks)
    found = wrapped_parts(text)
    if not found and not row.flags & Flag.INJECTED:
        return []
    is_open = note.PART in content.unfolded
    words = _words(found) if found else [Word(_line(row.preview) or tr("Note"), "faint", icon="info")]
    icon = "triangle-down" if is_open else "triangle-right"
    action = Action(Request.FOLD, note.PART)
    line = MarkedLine(style, [Word("", "faint", icon=icon), *words], parts.time_word(row.time), action=action)
    inside = "\n".join(part.text for part in found if part.text) if found else text
    return [line, *parts.output(style, content, inside)] if is_open and inside.strip() else [line]


def _words(found: list[WrappedPart]) -> list[Word]:
    """Return a command and the first line of its output; for other messages of a tool, the kind of the note."""
    said = content_of(found)
    tone = "bad" if said.failed else "faint"
    if said.command:
        answered = [Word(_line(said.output), tone, "code")] if said.output else []
        return [Word(_line(said.command), "dim", "code", icon="terminal"), *answered]
    if said.output:
        return [Word(_line(said.output), tone, "code", icon="terminal")]
    return [Word(_line(said.summary) or _title(found[0].tag), "faint", icon="info")]


def _title(tag: str) -> str:
    titles = {
        "task-notification": tr("Task notification"),
        "system-reminder": tr("Reminder for the model"),
        "local-command-caveat": tr("Note for the model about the commands that follow"),
    }
    if tag in IDE_NOTES:
        return tr("Editor's note for the model")
    if tag.endswith("-hook"):
        return tr("Hook's note for the model")
    return titles.get(tag) or tr("The command printed nothing")


def _line(text: str) -> str:
    return " ".join(text[: 2 * SHOWN].split())[:SHOWN]

"""Cards of one line: a picked model, a pruning, a note of an extension."""

from __future__ import annotations

from stemmata.domain.chat.silence import MEMORY_FLUSH
from stemmata.domain.context.projection import CUT, OUT, SUPERSEDED
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.text.phrases import from_data
from stemmata.domain.tool_calls.notes import note_name
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.text.phrases import translate_phrase

PART = "note"


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a note: a change of the model, a label, an answer of a command."""
    row = content.entry.row
    match row.kind:
        case Kind.MODEL_CHANGE:
            model = f"{row.provider}/{row.model}" if row.provider else row.model
            return [_line(style, tr("Model: {model}").format(model=model), "model")]
        case Kind.THINKING_LEVEL_CHANGE:
            return [_line(style, tr("Thinking: {level}").format(level=row.name), "bulb")]
        case Kind.TOOL_PRUNE:
            return [_line(style, tr("Tool outputs above are pruned from the context"), "prune")]
        case Kind.OMISSION:
            return [_line(style, _omitted(row.name, content.entry.details.get("number")), "prune")]
        case Kind.SKILL:
            return [_line(style, _skill(content), "list")]
        case _:
            return _message(style, content)


def _skill(content: CardContent) -> str:
    name = content.entry.row.name
    if not plain_text(content.entry.body.blocks):
        return tr("Skill “{name}” deactivated").format(name=name)
    by_prompt = content.entry.details.get("by") == "prompt"
    text = tr("Skill “{name}” activated by the message below") if by_prompt else tr("Skill “{name}” activated")
    return text.format(name=name)


def _omitted(how: str, number: object) -> str:
    """Return in words how an entry is left out of the context or sent again.

    `number` is the number of results that a pruning left out.
    """
    if how in SUPERSEDED:
        count = number if isinstance(number, int) else 1
        return tr("%Ln tool results above are pruned: later ones replace them", None, count)
    words = {
        OUT: tr("An entry above is excluded from the context"),
        CUT: tr("An entry above is cut: only its beginning and end are sent"),
    }
    return words.get(how, tr("An entry above is sent in full again"))


def _line(style: CardStyle, words: str, icon: str) -> Piece:
    return LinePiece(style, [Word(words, "faint", icon=icon)])


def _message(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a message that neither the user nor the model wrote."""
    row, body = content.entry.row, content.entry.body
    if row.name == MEMORY_FLUSH and row.flags & Flag.OWN:
        return [_line(style, tr("Storing notes in memory before a compaction"), "bulb")]
    title = translate_phrase(note_name(row)) or (tr("System") if row.role is Role.SYSTEM else tr("Note"))
    head = parts.heading(style, title, "system", parts.time_word(row.time))
    phrase = from_data(content.entry.details.get("phrase")) if row.flags & Flag.OWN else ""
    if phrase:
        return [head, *parts.blocks(style, content, (Text(translate_phrase(phrase)),))]
    text = plain_text(body.blocks)
    if row.role is Role.SYSTEM and PART not in content.unfolded and len(text) > parts.FIRST_PART:
        return [head, parts.fold_line(style, PART, row.preview, open=False)]
    return [head, *parts.blocks(style, content, body.blocks)]

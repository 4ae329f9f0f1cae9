"""What a tool wrote in the person's name: commands of its own, their output, reminders. Quiet lines, not cards.

Claude Code wraps these in tags: `<command-name>`, `<local-command-stdout>`, `<system-reminder>` and so on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stemmata.domain.blocks import Text, plain_text
from stemmata.domain.entries import Flag
from stemmata.gui.cards import note, parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr

SHOWN = 200  # characters of the line
_OPENING = re.compile(r"\s*<([a-z-]{3,40})>")
_CODES = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")  # of a terminal: colours and the like
_SUMMARY = re.compile(r"<summary>(.{1,300}?)</summary>", re.DOTALL)
_COMMAND = ("command-name", "command-message", "command-args", "command-contents")
_OUTPUT = ("local-command-stdout", "bash-stdout")
_ERRORS = ("local-command-stderr", "bash-stderr")
_TAGS = frozenset(
    {*_COMMAND, *_OUTPUT, *_ERRORS, "local-command-caveat", "bash-input", "task-notification", "system-reminder"}
)


@dataclass(frozen=True, slots=True)
class Part:
    tag: str
    text: str


def parts_of(text: str) -> list[Part]:
    """The wrapped parts of a text that consists of nothing else; [] for any other text."""
    out: list[Part] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _OPENING.match(text, at)
        if found is None or found[1] not in _TAGS:
            return []
        close = text.find(f"</{found[1]}>", found.end())
        stop = len(text) if close < 0 else close  # a long text may have lost its end
        out.append(Part(found[1], _CODES.sub("", text[found.end() : stop]).strip("\n")))
        at = len(text) if close < 0 else close + len(found[1]) + 3
    return out


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """A line that unfolds; nothing for what the person wrote."""
    row, blocks = content.entry.row, content.entry.body.blocks
    if not all(isinstance(block, Text) for block in blocks):
        return []
    text = plain_text(blocks)
    found = parts_of(text)
    if not found and not row.flags & Flag.INJECTED:
        return []
    is_open = note.PART in content.unfolded
    words = _words(found) if found else [Word(_line(row.preview) or tr("Note"), "faint", icon="info")]
    icon = "triangle-down" if is_open else "triangle-right"
    action = Action(Request.FOLD, note.PART)
    line = LinePiece(style, [Word("", "faint", icon=icon), *words], parts.time_word(row.time), action=action)
    inside = "\n".join(part.text for part in found if part.text) if found else text
    return [line, *parts.output(style, content, inside)] if is_open and inside.strip() else [line]


def _words(found: list[Part]) -> list[Word]:
    """The command, and the first line of what came out; else what kind of note it is."""
    texts = {part.tag: part.text for part in reversed(found)}
    name = texts.get("command-name") or texts.get("bash-input")
    output = next((texts[tag] for tag in (*_OUTPUT, *_ERRORS) if texts.get(tag, "").strip()), "")
    tone = "bad" if output and output in (texts.get(tag) for tag in _ERRORS) else "faint"
    if name:
        called = f"{name.strip()} {texts.get('command-args', '').strip()}".strip()
        told = [Word(_line(output), tone, "code")] if output else []
        return [Word(_line(called), "dim", "code", icon="terminal"), *told]
    if output:
        return [Word(_line(output), tone, "code", icon="terminal")]
    summary = _SUMMARY.search(texts.get("task-notification", ""))
    if summary:
        return [Word(_line(summary[1]), "faint", icon="info")]
    return [Word(_title(found[0].tag), "faint", icon="info")]


def _title(tag: str) -> str:
    titles = {
        "task-notification": tr("News of a task"),
        "system-reminder": tr("Reminder for the model"),
        "local-command-caveat": tr("Note for the model about the commands that follow"),
    }
    return titles.get(tag) or tr("The command said nothing")


def _line(text: str) -> str:
    return " ".join(text[: 2 * SHOWN].split())[:SHOWN]

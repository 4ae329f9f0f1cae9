"""The blocks of a streaming reply: text, thinking, calls. Each converts received text to pieces of a card."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from time import thread_time
from typing import Protocol

from PySide6.QtGui import QTextCursor

from stemmata.domain.chat.streaming import BlockKind
from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.tool_calls.kinds import MOST_READ, arguments_of
from stemmata.gui.cards import parts
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import FramePiece, Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece, copy_room
from stemmata.gui.cards.tool_line import argument_line, within
from stemmata.gui.cards.words import tr
from stemmata.gui.core.streams import OpenBlock
from stemmata.gui.text.document import TextDocument
from stemmata.gui.text.markdown import few_marks
from stemmata.gui.text.open_text import ClosedText, CodeBegan, CodeEnded, CodeGrew, OpenText, Step
from stemmata.gui.theme import metrics

MOST_CHARS = 80  # characters of a call's arguments in its line
SHOWN_THOUGHT = 300  # characters shown from the end of streaming thinking
MOST_JOINED = 500  # characters of several blocks in one piece
LONG_BLOCK = 1_000  # characters; longer blocks are rendered when there is time for it
SLICE = 1_000  # characters split into blocks at once
FLOOD = 20_000  # received characters that count as a flood
MOST_CODE = 8_000  # characters of code per piece
MOST_INSERTED = 2_000  # characters of code that are laid out at once


class GrowingBlock(Protocol):
    """Splits the text of a block that streams into finished pieces, and open pieces, which later text may change."""

    @property
    def is_behind(self) -> bool:
        """Whether received text is not processed yet."""
        ...

    def take(self, until: float) -> Iterator[Piece]:
        """Process the text received since the last call; yields the newly finished pieces one by one.

        When this thread's processor time reaches `until` seconds, the rest waits for the next call. The caller lays
        out each piece before it asks for the next one, so that the time for that counts, too.
        """
        ...

    def open(self) -> Sequence[Piece]: ...


def growing(style: CardStyle, block: OpenBlock) -> GrowingBlock:
    """Return the growing form of a block that streams."""
    match block.kind:
        case BlockKind.TEXT:
            return GrowingText(style, block)
        case BlockKind.THINKING:
            return GrowingThought(style, block)
        case BlockKind.TOOL_CALL:
            return GrowingCall(style, block)
        case _:
            return GrowingUnknown(style, block)


class GrowingText:
    """The pieces of text that streams: its finished paragraphs, and the paragraph that still grows."""

    def __init__(self, style: CardStyle, block: OpenBlock) -> None:
        self._style, self._block = style, block
        self._text = OpenText()
        self._taken = 0
        self._rest = ""  # received and not processed
        self._at = 0  # number of processed characters of the rest
        self._steps: deque[Step] = deque()  # found in the processed characters and not shown yet
        self._is_flood = False
        self._code: OpenCode | None = None
        self._over = False

    @property
    def is_behind(self) -> bool:
        is_ending = self._block.done is not None and not self._over
        is_code_behind = self._code is not None and self._code.is_behind
        return self._at < len(self._rest) or bool(self._steps) or is_ending or is_code_behind

    def take(self, until: float) -> Iterator[Piece]:
        if self._taken < len(self._block.pieces):
            self._rest = "".join([self._rest[self._at :], *self._block.pieces[self._taken :]])
            self._taken, self._at = len(self._block.pieces), 0
        self._is_flood = len(self._rest) - self._at > FLOOD
        while self._steps or self._splits_more():
            if self._steps:
                yield from self._settled(self._steps.popleft(), flood=self._is_flood)
            if thread_time() > until:
                break

    def open(self) -> list[Piece]:
        if self._code is not None:
            if not self._is_flood:
                self._code.show(self._text.tail if self._text.in_code and not self._steps else "")
            return [self._code]
        if self._steps:
            return []  # the tail belongs below them
        tail = self._text.tail
        return parts.prose(self._style, tail) if tail.strip() else []

    def _splits_more(self) -> bool:
        """Split the next received characters into steps, or end the text; returns False when nothing was left."""
        if self._at < len(self._rest):
            start, self._at = self._at, self._at + SLICE
            steps = self._text.feed(self._rest[start : self._at])
            self._steps.extend(_joined(steps) if self._is_flood else steps)
            return True
        if self._block.done is not None and not self._over:
            self._over = True
            self._steps.extend(self._text.end())
        return bool(self._steps)

    def _settled(self, step: Step, *, flood: bool) -> Sequence[Piece]:
        """Return finished pieces. Long blocks, and blocks of a fast stream, are rendered when they become visible."""
        match step:
            case ClosedText(text, joint):
                gap = 4 if joint is None else 0
                if flood or len(text) > LONG_BLOCK:
                    return [LongText(self._style, text, partial(parts.prose, self._style), gap, joint=joint)]
                made = parts.prose(self._style, text, gap=gap)
                if made:
                    made[0].joint = joint
                return made
            case CodeBegan(language):
                self._code = OpenCode(self._style, language)
            case CodeGrew(text):
                return self._grown(text, flood=flood)
            case CodeEnded():
                return self._ended(flood=flood)
        return []

    def _grown(self, text: str, *, flood: bool) -> list[Piece]:
        """Return the pieces of open code.

        Very long code is split into pieces; the stored reply does not show that.
        """
        assert self._code is not None
        self._code.grow(text)
        if len(self._code.source) <= MOST_CODE:
            return []
        full, self._code = self._code, OpenCode(self._style, self._code.language)
        return [full.settled(late=flood)]

    def _ended(self, *, flood: bool) -> list[Piece]:
        code, self._code = self._code, None
        return [code.settled(late=flood)] if code is not None and code.source else []


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Join short blocks that follow each other, because many short pieces take longer to place than a long one."""
    out: list[Step] = []
    for step in steps:
        last = out[-1] if out else None
        if (
            isinstance(step, ClosedText)
            and isinstance(last, ClosedText)
            and len(last.text) + len(step.text) <= MOST_JOINED
        ):
            out[-1] = ClosedText(last.text + step.text, last.joint)
        else:
            out.append(step)
    return out


class OpenCode(FramePiece):
    """Streaming code: new text is appended, and earlier text is not laid out again."""

    def __init__(self, style: CardStyle, language: str) -> None:
        self.language = language
        self.source = ""
        self._shown = 0
        self._document: TextDocument | None = None
        super().__init__(style, [], padding=(4, 5), gap=4, free=copy_room(style))

    @property
    def is_behind(self) -> bool:
        """Whether complete lines are not shown yet."""
        return self._shown < len(self.source.rstrip("\n"))

    def grow(self, lines: str) -> None:
        """Append complete lines."""
        self.source += lines

    def show(self, tail: str) -> None:
        """Add new text to the document, at most MOST_INSERTED characters; `tail` is the incomplete last line."""
        if self._document is None:  # most code of a flood is never shown while it grows
            self._document = self.style.code("")
            self.children = [TextPiece(self.style, self._document)]
        fresh = (self.source + tail)[self._shown :].rstrip("\n")[:MOST_INSERTED]
        if fresh:
            cursor = QTextCursor(self._document)
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(few_marks(fresh))
            self._shown += len(fresh)

    def settled(self, *, late: bool) -> Piece:
        """Return the finished code; with `late` it is rendered once it comes into view."""
        build = partial(_code, self.style, self.language)
        code = self.source.rstrip("\n")
        return LongText(self.style, code, build, font="code") if late else build(code)[0]


def _code(style: CardStyle, language: str, text: str) -> list[Piece]:
    return [CodePiece(style, text, language)]


class GrowingThought:
    """The pieces of thinking that streams: the last lines while it streams, one line when it has ended."""

    is_behind = False

    def __init__(self, style: CardStyle, block: OpenBlock) -> None:
        self._style, self._block = style, block
        self._over = False

    def take(self, _until: float) -> Iterator[Piece]:
        if self._block.done is not None and not self._over:
            self._over = True
            yield LinePiece(self._style, [Word(tr("Thought"), "faint", icon="bulb")], gap=2)

    def open(self) -> list[Piece]:
        if self._over:
            return []
        line = LinePiece(self._style, [Word(tr("Thinking…"), "faint", icon="bulb")], gap=2)
        shown = _end_of(self._block.pieces, SHOWN_THOUGHT)
        return [line, *(parts.prose(self._style, shown, color="dim", gap=2) if shown else [])]


class GrowingCall:
    """A streaming call: the tool's name and the arguments received so far."""

    is_behind = False

    def __init__(self, style: CardStyle, block: OpenBlock) -> None:
        self._style, self._block = style, block
        self._over = False

    def take(self, _until: float) -> Iterator[Piece]:
        done = self._block.done
        if not isinstance(done, ToolCall) or self._over:
            return
        self._over = True
        known = argument_line(arguments_of(done)) if len(done.arguments) <= MOST_READ else done.arguments[:MOST_CHARS]
        yield self._line(within(self._style.folder, known), [])

    def open(self) -> list[Piece]:
        if self._over:
            return []
        size = sum(map(len, self._block.pieces))
        words = [Word(tr("%Ln characters", None, size), "faint", "code")] if size else []
        return [self._line(_end_of(self._block.pieces, MOST_CHARS), words)]

    def _line(self, argument: str, right: Sequence[Word]) -> FramePiece:
        left = [
            Word(self._block.name or tr("tool"), "tool", "code", icon="terminal"),
            Word(argument, "dim", "code", shorten="middle"),
        ]
        return FramePiece(self._style, [LinePiece(self._style, left, right, height=metrics.TOOL_ROW)], gap=3)


class GrowingUnknown:
    """A streaming block of an unknown kind: its name."""

    is_behind = False

    def __init__(self, style: CardStyle, block: OpenBlock) -> None:
        self._style, self._block = style, block

    def take(self, _until: float) -> Iterator[Piece]:
        yield from ()

    def open(self) -> list[Piece]:
        return [LinePiece(self._style, [Word(self._block.name or tr("More"), "faint")], gap=2)]


def _end_of(pieces: Sequence[str], size: int) -> str:
    """Return about the last `size` characters of a text on one line, from the start of a word."""
    out = ""
    for piece in reversed(pieces):
        out = piece + out
        if len(out) > size:
            return "… " + " ".join(out[-size:].partition(" ")[2].split())
    return " ".join(out.split())

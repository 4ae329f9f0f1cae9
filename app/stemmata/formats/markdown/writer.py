"""Export the path to the leaf, or all branches, as a readable Markdown document without active content."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from markdown_it import MarkdownIt
from markdown_it.token import Token

from stemmata.domain.entries.blocks import (
    Block,
    Image,
    Text,
    Thinking,
    ToolCall,
    UnknownBlock,
    arguments_of,
    main_argument,
    plain_text,
)
from stemmata.domain.entries.entry import MESSAGE_KINDS, Flag, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.domain.tool_calls.notes import ToolNote, note_name, tool_note
from stemmata.formats.pi.serialise import iso
from stemmata.formats.shared.compaction_words import compaction_words
from stemmata.formats.shared.export_entries import entries_of
from stemmata.formats.shared.missing_text import NO_OUTPUT, is_empty, missing_text, note_line

_ACTIVE = frozenset({"html_block", "html_inline", "image"})
_SAFE_LINK = re.compile(r"(?:https?:|mailto:|#|[^:]*$)", re.IGNORECASE)
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_MARKS = ("<", "![", "](", "]:", "```", "~~~")  # one of them is in each text that is active or has a code block
_END = "stemmata-end-of-text"


class _AnyLink(MarkdownIt):
    """A parser that accepts every link address, so that unsafe addresses can be found and escaped."""

    def validateLink(self, _url: str) -> bool:
        return True


class InertMarkdown:
    """Neutralise Markdown. Reuse one instance for a whole document, because it keeps its parser."""

    @cached_property
    def _parser(self) -> MarkdownIt:
        return _AnyLink("commonmark", {"html": True}).enable(["table", "strikethrough"])

    def _parse(self, text: str) -> list[Token]:
        return self._parser.parse(text)

    def of(self, text: str) -> str:
        """Return the text without active content and without an unclosed code block."""
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        if not any(mark in text for mark in _MARKS):
            return text
        tokens = self._parse(text)
        if _is_active(tokens):
            text = _escaped(text, tokens)
            tokens = self._parse(text)
            if _is_active(tokens):
                return fenced(text)
        return self._closed(text, tokens)

    def _closed(self, text: str, tokens: list[Token]) -> str:
        if not tokens or tokens[-1].type != "fence" or tokens[-1].map is None:
            return text
        block = "\n".join(_lines(text)[tokens[-1].map[0] :])  # what is above does not change whether it is closed
        after = self._parse(f"{block}\n\n{_END}")
        return f"{text}\n{tokens[-1].markup}" if after[-1].type == "fence" else text


def fenced(text: str, language: str = "") -> str:
    """Return the text as a code block whose fence is longer than any run of backticks in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def code_span(text: str) -> str:
    """Return the text as inline code on one line."""
    line = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}" if line else ""


def _is_active(tokens: list[Token]) -> bool:
    waiting = list(tokens)
    while waiting:
        token = waiting.pop()
        if token.type in _ACTIVE:
            return True
        if token.type == "link_open" and not _SAFE_LINK.match(str(token.attrs.get("href", ""))):
            return True
        waiting.extend(token.children or ())
    return False


def _lines(text: str) -> list[str]:
    """Return the lines of a text, which end as in the parser: with LF, CR LF or CR."""
    return re.split(r"\r\n|\n|\r", text)


def _escaped(text: str, tokens: list[Token]) -> str:
    """Escape active markup outside code blocks."""
    lines = _lines(text)
    code = {at for token in tokens if token.type in ("fence", "code_block") and token.map for at in range(*token.map)}
    for at, line in enumerate(lines):
        if at not in code:
            lines[at] = _HTML.sub("&lt;", line).replace("![", "\\![").replace("](", "]\\(")
    return "\n".join(lines)


_SUBJECT_LENGTH = 80


class MarkdownWriter:
    """Export sessions as Markdown."""

    name = "markdown"

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """Yield the document as UTF-8 in chunks."""
        for part in _Document(source).parts():
            yield part.encode("utf-8", "replace") + b"\n\n"

    def left_out(self, source: ExportSource) -> LeftOut:
        """Count the messages that are not on the path to the leaf; with all branches, the entries in the trash."""
        tree = source.tree
        if source.is_whole:
            return LeftOut(trashed=sum(tree.in_trash(source.leaf)) if tree.trash else 0)
        written = set(tree.path(source.leaf))
        messages = (entry for entry, kind in enumerate(tree.columns.kind) if kind in MESSAGE_KINDS)
        return LeftOut(others=sum(entry not in written for entry in messages))


class _Document:
    """Build the document: one heading per speaker; tool calls and results are folded below it."""

    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self._inert = InertMarkdown()
        self._speaker = ""

    def parts(self) -> Iterator[str]:
        """Yield blocks of text, which the caller separates with blank lines."""
        session = self._source.session
        yield f"# {self._line(session.title) or 'Session'}"
        facts = {
            "Source": session.source,
            "Folder": session.cwd,
            "Model": session.model,
            "Started": iso(session.created_at) if session.created_at else "",
        }
        yield "\n".join(f"- {name}: {code_span(value)}" for name, value in facts.items() if value)
        yield from self._entries(self._source.tree.path(self._source.leaf))
        if self._source.is_whole:
            yield from self._other_branches()

    def _entries(self, path: Sequence[int]) -> Iterator[str]:
        for entry, row, body in entries_of(self._source, path):
            yield from self._entry(entry, row, body)
            label = self._source.tree.labels.get(entry)
            if label:
                yield f"*Label: {self._line(label)}*"

    def _other_branches(self) -> Iterator[str]:
        """Yield the branches beside the active one, each from the entry at which it leaves the written ones."""
        tree, leaf = self._source.tree, self._source.leaf
        written = bytearray(len(tree))
        for entry in tree.path(leaf):
            written[entry] = 1
        for number, end in enumerate((end for end in tree.kept_leaves(leaf) if not written[end]), 2):
            own = [entry for entry in tree.path(end) if not written[entry]]
            for entry in own:
                written[entry] = 1
            fork = tree.parents[own[0]]
            above = None if fork < 0 else self._source.rows([fork])[0]
            yield f"# Branch {number}"
            if above is None:
                yield "*Begins the session anew.*"
            else:
                yield f"*Follows: {self._line(above.preview) or missing_text(above)}*"
            self._speaker = ""
            yield from self._entries(own)

    def _entry(self, entry: int, row: EntryRow, body: Body) -> Iterator[str]:
        match row.kind:
            case Kind.MESSAGE | Kind.CUSTOM_MESSAGE:
                yield from self._message(row, body)
            case Kind.COMPACTION:
                sizes = compaction_words(self._source, entry, body.details)
                yield from self._heading(f"Compaction ({sizes})" if sizes else "Compaction")
                yield self._inert.of(plain_text(body.blocks))
            case Kind.BRANCH_SUMMARY if body.blocks:
                yield from self._heading("Summary of the abandoned branch")
                yield self._inert.of(plain_text(body.blocks))
            case Kind.MODEL_CHANGE:
                yield f"*Model: {code_span(f'{row.provider}/{row.model}')}*"
            case Kind.THINKING_LEVEL_CHANGE:
                yield f"*Thinking: {code_span(row.name)}*"
            case _:
                line = note_line(row, body)
                if line:
                    yield f"*{self._line(line)}*"

    def _message(self, row: EntryRow, body: Body) -> Iterator[str]:
        match row.role:
            case Role.TOOL_RESULT:
                failed = " failed" if Flag.FAILED in row.flags else ""
                text = f"*{NO_OUTPUT}.*" if is_empty(row, body) else fenced(plain_text(body.blocks))
                yield from self._folded(f"Result of {row.tool or 'a tool'}{failed}", text)
                yield from (self._block(block) for block in body.blocks if isinstance(block, Image))
                return
            case Role.BASH_EXECUTION:
                yield from self._heading("You ran")
                yield fenced(f"$ {row.name}\n{plain_text(body.blocks)}")
                return
            case Role.ASSISTANT:
                yield from self._heading(" · ".join(filter(None, ("Assistant", self._line(row.model)))))
            case Role.CUSTOM:
                yield from self._heading(self._line(note_name(row)) or "Note")
            case Role.USER:
                note = tool_note(row, body.blocks)
                if note is not None and not is_empty(row, body):
                    yield from self._note(note)
                    return
                name = self._line(note_name(row)) or "You"
                yield from self._heading(name if note is None else "Note")
            case _:
                yield from self._heading(self._line(row.name) or "System")
        for block in body.blocks:
            yield from self._folded_or_plain(block)
        if row.role is Role.ASSISTANT and row.flags & (Flag.FAILED | Flag.ABORTED):
            yield "*The reply ended in an error.*" if Flag.FAILED in row.flags else "*The reply was stopped.*"
        elif is_empty(row, body):
            yield f"*{missing_text(row)}.*"

    def _note(self, note: ToolNote) -> Iterator[str]:
        yield from self._heading("Note")
        if note.inside.strip():
            yield from self._folded(note.title, fenced(note.inside))
        else:
            yield f"*{self._line(note.title)}*"

    def _folded_or_plain(self, block: Block) -> Iterator[str]:
        match block:
            case Thinking(text) if text:
                yield from self._folded("Thinking", self._inert.of(text))
            case ToolCall(_, name, arguments):
                title = ": ".join(filter(None, (name, _subject(block))))
                yield from self._folded(title, fenced(_pretty(arguments), "json"))
            case _:
                text = self._block(block)
                if text:
                    yield text

    def _block(self, block: Block) -> str:
        match block:
            case Text(text):
                return self._inert.of(text)
            case Image(media_type, _, size, name):
                return f"*Image {code_span(name or media_type)}, {size:,} bytes*"
            case UnknownBlock(kind, text):
                return f"*{self._line(kind) or 'Unknown'} block*\n\n{fenced(_pretty(text), 'json')}"
        return ""

    def _heading(self, speaker: str) -> Iterator[str]:
        if speaker != self._speaker:
            self._speaker = speaker
            yield f"## {speaker}"

    def _folded(self, title: str, content: str) -> Iterator[str]:
        summary = html.escape(" ".join(title.split()))
        yield f"<details>\n<summary>{summary}</summary>\n\n{content}\n\n</details>"

    def _line(self, text: str) -> str:
        """Escape text from the session for use inside a line of the document."""
        line = " ".join(text.split())
        return "".join(f"\\{letter}" if letter in "\\`*_{}[]()<>#!|&" else letter for letter in line)


def _subject(call: ToolCall) -> str:
    """Return the main argument, shortened to one line of _SUBJECT_LENGTH characters."""
    line = " ".join(main_argument(arguments_of(call)).split())
    return line if len(line) <= _SUBJECT_LENGTH else f"{line[: _SUBJECT_LENGTH - 1]}…"


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # not JSON, or nested too deeply to be indented
        return text

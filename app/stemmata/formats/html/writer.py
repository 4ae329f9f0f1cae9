"""Export a session as one HTML file: the branches as a graph, and below each other the entries of the chosen one.

Without scripts the page shows all entries, each with a link to the one that it follows. The script of the page shows
one branch at a time, searches, and folds. The policy in the head of the page forbids every other script, and every
request.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property

from stemmata.assets import resource
from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow, whole_entry
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.files.changed_lines import FileChange, changes_of
from stemmata.domain.navigator.outline import Density, Outline, Row, Shape, outline_of
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.domain.text.terminal_text import terminal_text
from stemmata.domain.tool_calls.notes import ToolNote, note_name, one_title, tool_note
from stemmata.domain.tool_calls.outcomes import exit_code
from stemmata.formats.html.markup import Markup, one_line, preformatted
from stemmata.formats.html.tool_forms import call_html, difference_html, pretty, result_html
from stemmata.formats.pi.serialise import iso
from stemmata.formats.shared.compaction_words import compaction_words
from stemmata.formats.shared.export_entries import PAGE, entries_of
from stemmata.formats.shared.missing_text import NO_OUTPUT, is_empty, missing_text, note_line

ROW = 26  # height of a row of the graph in CSS pixels, as in session.css
LANE = 14  # distance of two lanes
COLOURS = 8  # number of lane colours in a theme
MOST_LANES = 12  # lanes that are drawn; those further right share the last one
LONG_OUTPUT = 20  # lines from which on the output of a command is folded at first
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class HtmlWriter:
    """Export sessions as HTML."""

    name = "html"

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """Yield the page as UTF-8 in chunks."""
        for part in _Page(source).parts():
            yield part.encode("utf-8", "replace") + b"\n"

    def left_out(self, source: ExportSource) -> LeftOut:
        """Return the entries in the trash."""
        return LeftOut(trashed=sum(source.tree.in_trash(source.leaf)) if source.tree.trash else 0)


class _Page:
    """Build the page: head, branches, entries."""

    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self._tree = source.tree
        self._outline = outline_of(source.tree, Density.TURNS, source.leaf)
        self._markup = Markup()

    def parts(self) -> Iterator[str]:
        """Yield the parts of the page, which may be separated by line ends."""
        style, script = _style(), _asset("session.js")
        policy = (
            f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        )
        title = one_line(self._source.session.title) or "Session"
        yield (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="referrer" content="no-referrer">\n<title>{title}</title>\n<style>{style}</style>\n</head>'
        )
        yield f"<body>\n{self._header(title)}"
        yield from self._branches()
        yield from self._transcript()
        yield f"<script>{script}</script>\n</body>\n</html>"

    def _header(self, title: str) -> str:
        session = self._source.session
        count = len(self._tree.kept_leaves(self._source.leaf))
        facts = (
            session.source,
            session.cwd,
            session.model,
            iso(session.created_at)[:10] if session.created_at else "",
            f"{len(self._tree)} entries",
            "1 branch" if count == 1 else f"{count} branches",
        )
        listed = " · ".join(one_line(fact) for fact in facts if fact)
        return (
            '<a class="skip" href="#transcript">Skip to the transcript</a>\n'
            f'<header><div><h1>{title}</h1><p class="facts">{listed}</p></div>\n'
            '<div class="tools" id="tools" hidden><input type="search" id="search" aria-label="Search" '
            'autocomplete="off" placeholder="Press / to search">'
            '<output id="found"></output><button type="button" id="back" aria-label="Previous match">↑</button>'
            '<button type="button" id="next" aria-label="Next match">↓</button>'
            '<button type="button" id="unfold" aria-pressed="false">Unfold all</button>'
            '<button type="button" id="theme">Dark or light</button></div></header>'
        )

    # -- branches -----------------------------------------------------------------------------------------------

    def _branches(self) -> Iterator[str]:
        outline = self._outline
        width = (min(outline.deepest, MOST_LANES) + 2) * LANE
        yield (
            '<nav aria-label="Branches"><div class="graph">'
            f'<svg width="{width}" height="{len(outline) * ROW}" aria-hidden="true">'
        )
        for place in range(len(outline)):
            yield _drawn(outline, place)
        yield "</svg>\n<ol>"
        for start in range(0, len(outline), PAGE):
            places = range(start, min(start + PAGE, len(outline)))
            rows = [outline.row(place) for place in places]
            texts = self._source.rows([row.text_entry for row in rows])
            for place, row, text in zip(places, rows, texts, strict=True):
                yield self._branch_row(place, row, text)
        yield "</ol></div></nav>"

    def _branch_row(self, place: int, row: Row, text: EntryRow) -> str:
        lane = min(self._outline.lanes.lane[place], MOST_LANES)
        kind = row.shape.name.lower().replace("_", "-")
        label = f'<b class="label">{one_line(row.label)}</b>' if row.label else ""
        noun = "tool" if row.tools == 1 else "tools"
        tools = f'<span class="count">{row.tools} {noun}</span>' if row.tools else ""
        preview = one_line(text.preview) or missing_text(text)
        if row.shape is Shape.COMPACTION:
            preview = f"Compacted {compaction_words(self._source, row.entry, self._details(row.entry))}".strip()
        return (
            f'<li class="{kind} lane-{lane}" data-last="{row.last}"><a href="#e{row.entry}">'
            f"{label}<span>{preview}</span>{tools}</a></li>"
        )

    def _details(self, entry: int) -> str:
        [body] = self._source.bodies([entry])
        return body.details

    # -- entries ------------------------------------------------------------------------------------------------

    def _transcript(self) -> Iterator[str]:
        leaf = -1 if self._source.leaf is None else self._source.leaf
        yield f'<main id="transcript" tabindex="-1" data-leaf="{leaf}">'
        above = -1
        for entry, row, body in entries_of(self._source, self._order()):
            note = tool_note(row, body.blocks)
            content = self._entry(row, body) if note is None else _note(note)
            follows = self._tree.parents[entry]
            jump = ""
            if follows >= 0 and follows != above:
                jump = f'<p class="follows"><a href="#e{follows}">Continues an earlier entry</a></p>'
            above = entry
            heading = self._heading(entry, row, shows=bool(content), is_note=note is not None)
            look = "note" if note is not None else _class(row)
            look = look if content else f"{look} quiet"
            yield (
                f'<article id="e{entry}" class="{look}" data-up="{follows}" data-row="{self._place(entry)}">'
                f"{jump}{heading}{content}</article>"
            )
        yield "</main>"

    def _order(self) -> list[int]:
        """Return the entries in the order of the graph, without those in the trash."""
        hidden = self._tree.in_trash(self._source.leaf)
        kept = [entry for entry in range(len(self._tree)) if not hidden[entry]]
        return sorted(kept, key=lambda entry: (self._place(entry), entry))

    def _place(self, entry: int) -> int:
        """Return the place of the entry's row in the graph, -1 above the first row."""
        place = self._outline.place_of(entry)
        return -1 if place is None else place

    @cached_property
    def _answered(self) -> frozenset[str]:
        """The ids of the calls that have a result, which shows the call as well."""
        results = [entry for entry in range(len(self._tree)) if self._tree.role(entry) is Role.TOOL_RESULT]
        pages = (results[start : start + PAGE] for start in range(0, len(results), PAGE))
        return frozenset(row.call for page in pages for row in self._source.rows(page) if row.call)

    @cached_property
    def _calls(self) -> dict[str, ToolCall]:
        """The tool calls whose result is still to be written to the page, by id."""
        return {}

    def _heading(self, entry: int, row: EntryRow, *, shows: bool, is_note: bool) -> str:
        """Return the heading of an entry; "" for one that `shows` nothing or goes on with what is above it."""
        speaker = self._speaker(entry, row, shows=shows, is_note=is_note)
        if not shows:
            return ""
        label = self._tree.labels.get(entry)
        marks = [f'<b class="label">{one_line(label)}</b>'] if label else []
        others = self._tree.alternatives(entry)
        if len(others) > 1 and row.role is not Role.TOOL_RESULT:
            at = others.index(entry)
            before, after = others[at - 1], others[(at + 1) % len(others)]
            marks.append(
                f'<span class="siblings"><a href="#e{before}" aria-label="Previous version">‹</a> '
                f'{at + 1} / {len(others)} <a href="#e{after}" aria-label="Next version">›</a></span>'
            )
        if row.time:
            moment = iso(row.time)
            marks.append(f'<time datetime="{moment}">{moment[:16].replace("T", " ")}</time>')
        if not speaker and not label and len(others) < 2:
            return ""
        return f"<h2><span>{speaker}</span><small>{''.join(marks)}</small></h2>"

    def _speaker(self, entry: int, row: EntryRow, *, shows: bool, is_note: bool) -> str:
        """Return the speaker of an entry, "" where the page names the same one above it.

        A tool result is said by the one who called the tool. So a reply that begins with calls, and shows nothing
        itself, is named above its first result.
        """
        above, named = self._speakers.get(self._tree.parents[entry], ("", ""))
        if is_note:  # a line between the messages, as in the window
            self._speakers[entry] = above, named
            return ""
        goes_on = row.role is Role.TOOL_RESULT or not (shows or row.role is Role.ASSISTANT)
        speaker = above if goes_on else one_line(self._name(entry, row))
        self._speakers[entry] = speaker, speaker if shows else named
        return "" if speaker == named and row.role in {Role.ASSISTANT, Role.TOOL_RESULT} else speaker

    def _name(self, entry: int, row: EntryRow) -> str:
        if row.kind is not Kind.COMPACTION:
            return _speaker(row)
        sizes = compaction_words(self._source, entry, self._details(entry))
        return f"Compaction, {sizes}" if sizes else "Compaction"

    @cached_property
    def _speakers(self) -> dict[int, tuple[str, str]]:
        """For each written entry: its speaker, and the last speaker that the page named on the path to it."""
        return {}

    def _entry(self, row: EntryRow, body: Body) -> str:
        match row.kind:
            case Kind.MESSAGE | Kind.CUSTOM_MESSAGE:
                return self._message(row, body)
            case Kind.COMPACTION | Kind.BRANCH_SUMMARY:
                return self._markup.of(plain_text(body.blocks)) if body.blocks else ""
            case Kind.MODEL_CHANGE:
                return f"<p>Model: <code>{one_line(f'{row.provider}/{row.model}')}</code></p>"
            case Kind.THINKING_LEVEL_CHANGE:
                return f"<p>Thinking: <code>{one_line(row.name)}</code></p>"
        line = note_line(row, body)
        return f"<p>{one_line(line)}</p>" if line else ""

    def _message(self, row: EntryRow, body: Body) -> str:
        if row.role is Role.TOOL_RESULT:
            return self._result(row, body)
        if row.role is Role.BASH_EXECUTION:
            return _shell(row.name, plain_text(body.blocks))
        parts = [self._block(block) for block in body.blocks]
        if row.role is Role.ASSISTANT and row.flags & (Flag.FAILED | Flag.ABORTED):
            reason = "The reply ended in an error." if Flag.FAILED in row.flags else "The reply was stopped."
            parts.append(f'<p class="ended">{reason}</p>')
        elif is_empty(row, body):
            parts.append(f'<p class="ended">{missing_text(row)}.</p>')
        return "".join(parts)

    def _result(self, row: EntryRow, body: Body) -> str:
        call = self._calls.pop(row.call, None)
        entry = whole_entry(row, body)
        code = exit_code(entry)
        ending = "failed" if Flag.FAILED in row.flags else "" if code is None else f"exit {code}"
        subject = "" if call is None else _subject(call)
        failed = Flag.FAILED in row.flags or bool(code)
        bad = " class=bad" if failed else ""
        changes = [] if failed else changes_of(call, body.details)
        told = _counts(changes) if changes else f"<i{bad}>{ending}</i>"
        summary = f"<b>{one_line(row.tool) or 'tool'}</b> <span>{one_line(subject)}</span> {told}"
        inside = "".join(difference_html(change, is_only=len(changes) == 1) for change in changes)
        if not inside:
            text, is_error = plain_text(body.blocks), Flag.FAILED in row.flags
            output = result_html(self._markup, call, row.tool, text, body.details, failed=is_error)
            inside = (call_html(self._markup, call) if call is not None else "") + output
            if is_empty(row, body):
                inside += f'<p class="ended">{NO_OUTPUT}.</p>'
        pictures = "".join(self._picture(block) for block in body.blocks if isinstance(block, Image))
        return f"<details><summary>{summary}</summary>{inside}</details>{pictures}"

    def _block(self, block: Block) -> str:
        match block:
            case Text(text):
                return self._markup.of(text)
            case Thinking(text) if text:
                return f'<details class="thinking"><summary>Thinking</summary>{self._markup.of(text)}</details>'
            case ToolCall(id, name):
                if id in self._answered:
                    self._calls[id] = block
                    return ""
                summary = f"<b>{one_line(name)}</b> <span>{one_line(_subject(block))}</span> <i>result missing</i>"
                return f"<details><summary>{summary}</summary>{call_html(self._markup, block)}</details>"
            case Image():
                return self._picture(block)
            case UnknownBlock(kind, text):
                title = one_line(kind) or "Unknown block"
                return f"<details><summary>{title}</summary>{preformatted(pretty(text))}</details>"
        return ""

    def _picture(self, image: Image) -> str:
        caption = one_line(f"{image.name or image.media_type}, {image.size:,} bytes")
        data = self._source.blob(image.blob) if image.media_type in _PICTURES else None
        if data is None:
            return f'<p class="ended">Picture that is not in this file: {caption}</p>'
        encoded = base64.b64encode(data).decode()
        return (
            f'<figure><img alt="{one_line(image.name) or "Picture"}" src="data:{image.media_type};base64,{encoded}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )


def _note(note: ToolNote) -> str:
    """Return a message that a tool wrote in the name of the user, as one line that unfolds."""
    said = note.said
    bad = " class=bad" if said.failed else ""
    if said.command:
        title = f"<b>{one_line(one_title(said.command))}</b> <span{bad}>{one_line(one_title(said.output))}</span>"
    else:
        title = f"<span{bad}>{one_line(note.title)}</span>"
    if not note.inside.strip():
        return f"<p>{title}</p>"
    return f"<details><summary>{title}</summary>{preformatted(terminal_text(note.inside))}</details>"


def _shell(command: str, output: str) -> str:
    """Return a command that the user ran, with its output, folded when it is long."""
    opened = "<details open>" if output.count("\n") < LONG_OUTPUT else "<details>"
    output = preformatted(terminal_text(output))
    return f"{opened}<summary><b>$</b> <span>{one_line(command)}</span></summary>{output}</details>"


def _counts(changes: Sequence[FileChange]) -> str:
    """Return how many lines a call added and removed."""
    added, removed = (sum(counts) for counts in zip(*(change.counts for change in changes), strict=True))
    bad = " class=bad" if removed else ""
    return f"<i>+{added}</i> <i{bad}>−{removed}</i>"


def _class(row: EntryRow) -> str:
    if row.kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY):
        return "summary"
    if row.kind is not Kind.MESSAGE:
        return "note"
    return row.role.name.lower().replace("_", "-")


def _speaker(row: EntryRow) -> str:
    """Return the heading of an entry, "" for one that continues what is above it."""
    if row.kind is Kind.BRANCH_SUMMARY:
        return "Summary of the abandoned branch"
    if row.kind is Kind.CUSTOM_MESSAGE:
        return note_name(row) or "Note"
    if row.kind is not Kind.MESSAGE:
        return ""
    names = {
        Role.USER: note_name(row) or "You", Role.ASSISTANT: row.model or "Assistant", Role.BASH_EXECUTION: "You ran",
        Role.TOOL_RESULT: "", Role.SYSTEM: row.name or "System",
    }  # fmt: skip
    return names.get(row.role, note_name(row) or "Note")


def _subject(call: ToolCall) -> str:
    """Return the argument that describes the purpose of a call, on one line."""
    line = preview_of(Entry(id="", kind=Kind.MESSAGE, role=Role.ASSISTANT, blocks=(call,)))
    return line.removeprefix(call.name).strip()


# -- the graph -----------------------------------------------------------------------------------------------------


def _drawn(outline: Outline, place: int) -> str:
    """Return the SVG of a row: the line to the next row of its lane, the line from its fork, and its mark."""
    lanes = outline.lanes
    x, y = _x(lanes.lane[place]), place * ROW + ROW // 2
    colour = lanes.colour[place] % COLOURS + 1
    out = []
    if lanes.starts(place) and lanes.parent[place] >= 0:
        fork = lanes.parent[place]
        left, top = _x(lanes.lane[fork]), fork * ROW + ROW // 2
        out.append(
            f'<path class="c{colour}" d="M{left} {top}V{y - ROW}Q{left} {y - ROW // 2} {x} {y - ROW // 2}V{y}"/>'
        )
    if lanes.below[place] >= 0:
        following = lanes.below[place]
        tone = lanes.colour[following] % COLOURS + 1
        out.append(f'<path class="c{tone}" d="M{x} {y}V{following * ROW + ROW // 2}"/>')
    out.append(_mark(outline.row(place).shape, x, y, colour))
    return "".join(out)


def _x(lane: int) -> int:
    return (min(lane, MOST_LANES) + 1) * LANE


def _mark(shape: Shape, x: int, y: int, colour: int) -> str:
    match shape:
        case Shape.USER:
            return f'<circle class="c{colour} full" cx="{x}" cy="{y}" r="4.5"/>'
        case Shape.COMPACTION:
            return f'<path class="compacted" d="M{x} {y - 6}l6 6-6 6-6-6z"/>'
        case Shape.BRANCH_SUMMARY:
            return f'<rect class="c{colour} full" x="{x - 4}" y="{y - 4}" width="8" height="8"/>'
    return f'<circle class="c{colour} ring" cx="{x}" cy="{y}" r="4"/>'


# -- style and script ----------------------------------------------------------------------------------------------


def _style() -> str:
    """Return the style sheet: the colours of both themes, then the rules."""
    dark, light = (_colours(name) for name in ("dark", "light"))
    lanes = "".join(f".lane-{lane} a{{padding-left:{_x(lane) + LANE}px}}" for lane in range(MOST_LANES + 1))
    tones = "".join(f".c{number}{{stroke:var(--lane-{number})}}" for number in range(1, COLOURS + 1))
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n{lanes}{tones}\n{_asset('session.css')}"
    )


def _colours(theme: str) -> str:
    colours = json.loads(resource("themes", f"{theme}.json").read_text("utf-8"))["colors"]
    return "".join(f"--{name.replace('_', '-')}:{value};" for name, value in colours.items())


def _asset(name: str) -> str:
    return resource("export", name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the text's hash as a content security policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

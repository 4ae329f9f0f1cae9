"""Decides in which form the result of a tool is shown, and separates its content from the words around it.

Agents print line numbers, headers and tags into the texts that their tools return. A reader wants the lines of the
file with their numbers beside them, as in an editor. The table `FORMS` names the form for each kind of tool; a text
that does not look like that form is output. All work is linear in the text, and only texts of a limited length are
taken apart, because that happens whenever a card is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, NamedTuple, TypeGuard

from stemmata.domain.entries.blocks import PATH_ARGUMENTS, command_line, files_named, first_text
from stemmata.domain.text.terminal_text import terminal_text, with_one_line_end
from stemmata.domain.tool_calls.envelopes import EnclosedText, enclosed_texts, file_in
from stemmata.domain.tool_calls.kinds import ToolKind, kind_of
from stemmata.domain.tool_calls.shell_reads import HEADS, shell_read


class ResultForm(Enum):
    """The forms in which the text of a result is shown."""

    OUTPUT = auto()  # the output of a command or of an unknown tool
    FILE = auto()  # lines of one file
    MATCHES = auto()  # lines of files that match, below the names of the files
    PATHS = auto()  # names of files
    PROSE = auto()  # Markdown
    JSON = auto()


FORMS: Mapping[ToolKind, ResultForm] = {
    ToolKind.READ: ResultForm.FILE,
    ToolKind.SEARCH: ResultForm.MATCHES,
    ToolKind.FILES: ResultForm.PATHS,
    ToolKind.WEB: ResultForm.PROSE,
    ToolKind.AGENT: ResultForm.PROSE,
}  # the results of all other kinds are output


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The text of a result without numbers, tags and headers of the tool.

    `numbers` has the number of each line, 0 for a line without one; it is empty when no numbers are shown. `heads`
    are the indices of lines that name a file. `path` is the file that the lines come from, "" when unknown. `before`
    and `after` are the words of the tool around the text. `words` are searched words, to be marked in the text.
    """

    form: ResultForm
    text: str
    numbers: Sequence[int] = ()
    path: str = ""
    before: str = ""
    after: str = ""
    heads: frozenset[int] = frozenset()
    words: tuple[str, ...] = ()


MOST_CHARACTERS, MOST_LINES = 100_000, 5_000  # of a text that is divided into lines, which takes about 5 ms
MOST_CLEANED = 300_000  # characters of a text whose escape sequences are removed, which takes about 5 ms
_STARTS = ("offset", "start_line", "startLine", "line_start", "start")
_PATTERNS = ("pattern", "query", "regex", "search")
_ARROW = re.compile(r" {0,8}(\d{1,7})[→\t]")
_BAR = re.compile(r"(\d{5,7})\| ?")
_PADDED = re.compile(r" {0,6}(\d{1,7})\|")
_SPACED = re.compile(r" {0,6}(\d{1,7}) \| ?")
_COLON = re.compile(r"(\d{1,7}): ?")
_DOT = re.compile(r"(\d{1,7})\. ?")
_STYLES = (_ARROW, _BAR, _SPACED, _PADDED, _COLON, _DOT)
_MOST_BEFORE = 8  # lines of a tool above the first line of a file
# A list or a table of Markdown looks the same: these count only with more than one line.
_NEED_MORE = (_COLON, _DOT, _SPACED, _PADDED)
_TAGS = re.compile(r"</?(?:files?|content|path|type|output|system-reminder|result)(?: lines=\"[\d-]{1,20}\")?>")
_PATH_TAG = re.compile(r"<path>[^<\n]*</path>|<type>[^<\n]*</type>")
_MORE = re.compile(r"\n\n?(\[[^\n\]]{0,300}\]|\(File has more lines[^\n]{0,300}|\(End of file[^\n]{0,200})\s*$")
_REMINDER = re.compile(r"\n*<system-reminder>.*", re.DOTALL)
_MESSAGE = re.compile(
    r"\s*<system-reminder>|File unchanged since|PDF file read|(?:File does not exist|Wasted call|\[Old tool result)"
)  # words of Claude Code in place of a file
_NAMED = re.compile(r"^--- (\S[^\n]{0,400}) ---\n", re.MULTILINE)
_GEMINI = re.compile(
    r"\s*IMPORTANT: The file content has been truncated\.\n.*?--- FILE CONTENT[^\n]*---\n", re.DOTALL
)
_RUN = re.compile(r"(?:Exit Code|Error|Signal|Background PIDs|Process Group PGID)(?:: [^\n]*)?|<shellId: [^\n]*>")
_MATCH = re.compile(r"(?!\d+:)((?:[A-Za-z]:[\\/])?[^:\n]{1,400}):(\d{1,7}):")
_IN_FILE = re.compile(r"(\d{1,7})[:-]")
_BESIDE = re.compile(r"-(\d{1,7})-")
_LONGEST_START = 420  # characters of a path and a number
_HEAD = re.compile(r"File: ([^\n]{1,400})|(\S[^\n]{0,400}):")
_TAGGED = re.compile(r'<match path="([^"\n]{1,400})" line=(\d{1,7})>\n?|</match>')
_SECTION = re.compile(r"## Matches in ([^\n]{1,400})")
_PLACE = re.compile(r"### (?:[^\n]{0,400} › )?L(\d{1,7})(?:-\d{1,7})?")
_LINE_OF = re.compile(r"\s{0,8}(?:Line |L)(\d{1,7}): ?")
_FOUND = re.compile(r"(?:Found \d+ |No (?:matches|files))[^\n]*|\(?Results (?:are|is) [^\n]*|\[[^\n]*\]")
_META = re.compile(r"[.^$*+?{}\[\]()\\]")
_ESCAPED = re.compile(r"\\([^\w\s])")
_MOST_WORDS = 8
_LISTED = re.compile(r"(?:Found \d+ |Directory listing for |No files)[^\n]*:?\n")
_GREPS = re.compile(r"(?:rg|grep|git grep|ag|ack)\s(?=[^\n]*-\w*n\b|[^\n]*--line-number)[^\n]*")
_FINDS = re.compile(r"(?:find|fd|git ls-files|rg --files)(?:\s(?![^\n]*-(?:exec|printf|ls)\b)[^\n|]*)?")
_LAST = re.compile(r" ([\w./~@+-]{1,400}\.\w{1,8})$")
_GOES_TO = re.compile(r"(?:cd (?:'[^'\n]*'|\"[^\"\n]*\"|\S+) (?:&&|;) )?(.*)", re.DOTALL)


def form_of(kind: ToolKind) -> ResultForm:
    """Return the form of the results of a kind of tools."""
    return FORMS.get(kind, ResultForm.OUTPUT)


def tool_result(tool: str, arguments: Mapping[str, Any], text: str, *, failed: bool = False) -> ToolResult:
    """Return the result of a call of `tool` in the form that is shown.

    A failed result, and one that does not look like the form of its tool, is output.
    """
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_LINES:
        return _long(tool, arguments, text, failed=failed)
    kind = kind_of(tool, arguments)
    is_file = kind is ToolKind.READ
    enclosed = [] if kind is ToolKind.OTHER else enclosed_texts(text, of_files=is_file)
    if len(enclosed) > 1:
        return _several(tool, arguments, enclosed, failed=failed)
    if enclosed:
        [only] = enclosed
        asked = {"offset": only.first, **arguments} if only.first else arguments
        found = _shown(kind, tool, asked, only.text, failed=failed)
        return replace(found, before=_joined(only.notes, found.before))
    return _shown(kind, tool, arguments, text, failed=failed)


def _shown(kind: ToolKind, tool: str, arguments: Mapping[str, Any], text: str, *, failed: bool) -> ToolResult:
    if kind is ToolKind.SHELL:
        return _ran(command_line(arguments), text)
    text = terminal_text(text)
    taken = None if failed else _TAKEN.get(form_of(kind), _none)(tool, arguments, text)
    return taken or _other(text)


def _several(tool: str, arguments: Mapping[str, Any], parts: Sequence[EnclosedText], *, failed: bool) -> ToolResult:
    """Return the texts that one call got, each below the file or the command that it belongs to."""
    kind = kind_of(tool, arguments)
    out = _Found()
    for part in parts:
        asked = {"command": part.name} if kind is ToolKind.SHELL else {"path": part.name, "offset": part.first or 1}
        found = _shown(kind, tool, asked, part.text, failed=failed)
        out.add_part(part.name, replace(found, before=_joined(part.notes, found.before)))
    return replace(out.made(), path=_like_all([part.name for part in parts]))


def first_line(arguments: Mapping[str, Any]) -> int:
    """Return the number of the first line that a call reads; 1 when it reads a file from its start."""
    lines = arguments.get("view_range")
    starts = [*map(arguments.get, _STARTS), *(lines[:1] if isinstance(lines, list) else ())]
    return max(next((int(start) for start in starts if _is_number(start)), 1), 1)


def last_line(arguments: Mapping[str, Any]) -> int:
    """Return the number of the last line that a call reads; 0 when it is unknown."""
    for name in ("end_line", "endLine"):
        if _is_number(arguments.get(name)):
            return max(int(arguments[name]), 0)
    lines = arguments.get("view_range")
    if isinstance(lines, list) and len(lines) > 1 and _is_number(lines[1]):
        return max(int(lines[1]), 0)
    limit = arguments.get("limit")
    return first_line(arguments) + int(limit) - 1 if _is_number(limit) and limit > 0 else 0


def path_of(arguments: Mapping[str, Any]) -> str:
    """Return the file that a call names; "" when it names none."""
    return first_text(arguments, PATH_ARGUMENTS)


def literals(pattern: object) -> tuple[str, ...]:
    """Return the words that a search pattern consists of; () for one with other parts of regular expressions.

    Patterns of transcripts are not run as regular expressions, because that may take for ever.
    """
    if not isinstance(pattern, str) or not 0 < len(pattern) <= 200:  # longer than anything that is searched by hand
        return ()
    words = [word.removeprefix("\\b").removesuffix("\\b") for word in pattern.split("|")]
    if any(_META.search(_ESCAPED.sub("", word)) for word in words):
        return ()
    plain = (_ESCAPED.sub(r"\1", word) for word in words)
    return tuple(dict.fromkeys(filter(None, plain)))[:_MOST_WORDS]


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9


def _long(tool: str, arguments: Mapping[str, Any], text: str, *, failed: bool) -> ToolResult:
    """Return a text that is too long to be taken apart; the lines of a file still get their numbers.

    Of a text above MOST_CLEANED, escape sequences and overwritten text are removed when its parts are shown.
    """
    text = with_one_line_end(terminal_text(text) if len(text) <= MOST_CLEANED else text, overwrites=True)
    if (
        form_of(kind_of(tool, arguments)) is ResultForm.FILE
        and not failed
        and _style_of(text[:MOST_CHARACTERS]) is None
    ):
        first = first_line(arguments)
        return ToolResult(ResultForm.FILE, text, range(first, first + text.count("\n") + 1), path_of(arguments))
    is_prose = form_of(kind_of(tool, arguments)) is ResultForm.PROSE and not failed
    return ToolResult(ResultForm.PROSE if is_prose else ResultForm.OUTPUT, text)


def _none(_tool: str, _arguments: Mapping[str, Any], _text: str) -> None:
    return None


def _other(text: str) -> ToolResult:
    is_one = text[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]") and "}\n{" not in text
    if is_one and '"' in text:
        return ToolResult(ResultForm.JSON, text)
    return ToolResult(ResultForm.OUTPUT, text)


# -- lines of a file -----------------------------------------------------------------------------------------------


class _Style(NamedTuple):
    """How a tool prints the numbers of lines, and the index of the first line that has one."""

    pattern: re.Pattern[str]
    at: int


def _file(_tool: str, arguments: Mapping[str, Any], text: str) -> ToolResult | None:
    path = path_of(arguments) or next(iter(files_named(arguments)), "")
    inside = file_in(text)
    before, text = (inside.notes, inside.text) if inside is not None else ("", text)
    numbered = numbered_lines(text)
    if numbered is not None:
        return replace(numbered, path=path, before=_joined(before, numbered.before))
    if not text.strip() or _MESSAGE.match(text):
        return None
    if several := _files(text):
        return several
    told, text, after = _around(text)
    first = first_line(arguments)
    numbers = range(first, first + text.count("\n") + 1)
    return ToolResult(ResultForm.FILE, text, numbers, path, _joined(before, told), after)


def _files(text: str) -> ToolResult | None:
    """Return the files below lines with their names, as Gemini's read_many_files prints them; None without any."""
    if _NAMED.match(text) is None:
        return None
    names = list(_NAMED.finditer(text))
    out = _Found()
    for at, name in enumerate(names):
        own = text[name.end() : names[at + 1].start() if at + 1 < len(names) else len(text)].strip("\n")
        out.add_part(name[1], ToolResult(ResultForm.FILE, own, range(1, own.count("\n") + 2)))
    return replace(out.made(), path=_like_all([name[1] for name in names]))


def _like_all(names: Sequence[str]) -> str:
    """Return the first name when all files have the same ending, so that they have the same language; else ""."""
    return names[0] if len({name.rpartition(".")[2] for name in names}) == 1 else ""


def numbered_lines(text: str) -> ToolResult | None:
    """Return the lines of a text in which a tool has printed their numbers; None for any other text.

    The numbers rise by one from line to line. Lines above the first one and below the last one are the tool's words.
    """
    style = _style_of(text)
    if style is None:
        return None
    lines = text.split("\n")
    shown: list[str] = []
    first = 0
    for line in lines[style.at :]:
        found = style.pattern.match(line)
        if found is None or (shown and int(found[1]) != first + len(shown)):
            break
        first = first or int(found[1])
        shown.append(line[found.end() :])
    end = style.at + len(shown)
    if style.pattern in _NEED_MORE and len(shown) < 2 and not style.at:
        return None
    before, after = ("\n".join(part) for part in (lines[: style.at], lines[end:]))
    numbers = range(first, first + len(shown))
    return ToolResult(ResultForm.FILE, "\n".join(shown), numbers, "", _untagged(before), _untagged(after))


def _style_of(text: str) -> _Style | None:
    end = 0
    for at in range(_MOST_BEFORE):
        start, end = end, text.find("\n", end) + 1
        line = text[start : end - 1 if end else None]
        for pattern in _STYLES:
            if (found := pattern.match(line)) is not None and int(found[1]) > 0:
                is_in_tags = text[:start].rstrip().endswith(">")
                return _Style(pattern, at) if not at or pattern not in _NEED_MORE or is_in_tags else None
        if not end:
            break
    return None


def _untagged(text: str) -> str:
    return _TAGS.sub("", _PATH_TAG.sub("", text)).strip("\n")


def _around(text: str) -> tuple[str, str, str]:
    """Return the words of the tool above a file, the file, and the words below it."""
    before = after = ""
    above = _GEMINI.match(text)
    if above is not None:
        before, text = above[0].partition("--- FILE CONTENT")[0].strip(), text[above.end() :]
    below = _REMINDER.search(text) or _MORE.search(text)
    if below is not None:
        after, text = _untagged(below[0]).strip(), text[: below.start()]
    return before, text.rstrip("\n"), after


# -- commands ------------------------------------------------------------------------------------------------------


def _ran(command: str, text: str) -> ToolResult:
    """Return the output of a command; of one that prints a file or searches, in the form of such tools."""
    before, text, after = _unwrapped(terminal_text(text))
    went = _GOES_TO.fullmatch(command)
    command = went[1] if went is not None else command
    found = _printed(command, text) or _searched(command, text)
    if found is not None:
        return replace(found, before=_joined(before, found.before), after=_joined(found.after, after))
    other = _other(text)
    numbers = range(1, text.rstrip("\n").count("\n") + 2)
    return replace(other, before=before, after=after, numbers=numbers if other.form is ResultForm.OUTPUT else ())


def _joined(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def _unwrapped(text: str) -> tuple[str, str, str]:
    """Return the text of the agent above the output of a command, the output, and the text below it."""
    before = after = ""
    above = HEADS.match(text)
    if above is not None and above[0].endswith("Output:\n"):
        told = above[0].removesuffix("Output:\n").strip().split("\n")
        before = "\n".join(line for line in told if not line.startswith("Command: "))  # the call shows the command
        text = text[above.end() :]
    elif text.startswith("Output: "):
        text = text.removeprefix("Output: ")
    lines = text.rstrip("\n").split("\n")
    count = 0
    while count < len(lines) - 1 and count < 4 and _RUN.fullmatch(lines[-1 - count]):  # few lines, see _RUN
        count += 1
    if count:
        after, text = "\n".join(lines[-count:]), "\n".join(lines[:-count])
    return before, text, after


def _printed(command: str, text: str) -> ToolResult | None:
    """Return the lines of the file that a command prints whole or in part; None for other commands."""
    read = shell_read(command)
    if read is None:
        return None
    numbered = numbered_lines(text) if read.numbered else None
    if numbered is not None:
        return replace(numbered, path=read.path)
    text = text.rstrip("\n")
    return ToolResult(ResultForm.FILE, text, range(read.first, read.first + text.count("\n") + 1), read.path)


def _searched(command: str, text: str) -> ToolResult | None:
    """Return the findings of a command that searches in files or for files; None for other commands."""
    if _FINDS.fullmatch(command):
        return _paths("", {}, text)
    if not _GREPS.fullmatch(command):
        return None
    file = _LAST.search(command)
    return found_lines(text, file[1] if file is not None else "")


# -- searches ------------------------------------------------------------------------------------------------------


def _matches(_tool: str, arguments: Mapping[str, Any], text: str) -> ToolResult | None:
    words = next((found for name in _PATTERNS if (found := literals(arguments.get(name)))), ())
    matches = found_lines(text, path_of(arguments))
    return replace(matches, words=words) if matches is not None else _paths("", {}, text)


def found_lines(text: str, path: str = "") -> ToolResult | None:
    """Return the lines that a search found, below the names of their files; None when none has a number.

    It reads `file:12:line` and `file-13-line` of grep, `12:line` of a search in the one file `path`, and lines with
    numbers below the name of their file, as Gemini (`L12: line`) and opencode (`Line 12: line`) print them.
    """
    tagged = _of_tags(text) or _of_sections(text)
    if tagged is not None:
        return tagged
    lines = text.rstrip("\n").split("\n")
    files = frozenset(found[1] for line in lines if (found := _MATCH.match(line)) is not None)
    if files:
        read = [_of_grep(line, files) for line in lines]
    elif any(map(_LINE_OF.match, lines)):
        read = list(map(_below_name, lines))
    else:
        read = list(map(_in_file, lines))
        numbers = [line.number for line in read if line.number]
        if numbers != sorted(set(numbers)):
            return None
    if not any(line.number for line in read):
        return None
    out = _Found()
    for line in read:
        out.add(line)
    return out.made(path)


def _of_tags(text: str) -> ToolResult | None:
    """Return the matches that Copilot puts into `<match path="…" line=1>` tags; None for any other text."""
    if "<match path=" not in text:
        return None
    out = _Found()
    path, number = "", 0
    at = 0
    for tag in (*_TAGGED.finditer(text), None):
        inside = text[at : len(text) if tag is None else tag.start()].strip("\n")
        if not number and inside.strip():
            out.rest.append(inside.strip())
        for line in inside.split("\n") if number and inside else ():
            out.add(_FoundLine(path, number, line))
            number += 1
        if tag is not None:
            at, path, number = tag.end(), tag[1] or "", int(tag[2] or 0)
    return out.made()


def _of_sections(text: str) -> ToolResult | None:
    """Return the matches that Zed puts below headings, in fences; None for any other text."""
    if _SECTION.search(text) is None:
        return None
    out = _Found()
    path, number, is_inside = "", 0, False
    for line in text.split("\n"):
        if line.startswith("```"):
            is_inside = not is_inside and number > 0
        elif is_inside:
            out.add(_FoundLine(path, number, line))
            number += 1
        elif (section := _SECTION.fullmatch(line)) is not None:
            path = section[1]
        elif (place := _PLACE.fullmatch(line)) is not None:
            out.add(_FoundLine("", 0, ""))
            number = int(place[1])
        elif line.strip():
            out.rest.append(line.strip())
    return out.made()


class _FoundLine(NamedTuple):
    """A line of a search: its file ("" for the one above), its number (0 for a line without one) and its text."""

    path: str
    number: int
    text: str


def _of_grep(line: str, files: frozenset[str]) -> _FoundLine:
    if (found := _MATCH.match(line)) is not None:
        return _FoundLine(found[1], int(found[2]), line[found.end() :])
    for found in _BESIDE.finditer(line[:_LONGEST_START]):
        if line[: found.start()] in files:
            return _FoundLine(line[: found.start()], int(found[1]), line[found.end() :])
    return _FoundLine("", 0, line)


def _below_name(line: str) -> _FoundLine:
    if (found := _LINE_OF.match(line)) is not None:
        return _FoundLine("", int(found[1]), line[found.end() :])
    if (head := _HEAD.fullmatch(line)) is not None and not _FOUND.fullmatch(line):
        return _FoundLine(head[1] or head[2], 0, "")
    return _FoundLine("", 0, line)


def _in_file(line: str) -> _FoundLine:
    found = _IN_FILE.match(line)
    return _FoundLine("", int(found[1]), line[found.end() :]) if found is not None else _FoundLine("", 0, line)


class _Found:
    """Collects the lines of a search, with an empty line above each name of a file."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.numbers: list[int] = []
        self.heads: list[int] = []
        self.rest: list[str] = []  # words of the tool
        self._path = ""

    def add(self, line: _FoundLine) -> None:
        if line.path and line.path != self._path:
            self._put_space()
            self._path = line.path
            self.heads.append(len(self.lines))
            self._put(line.path, 0)
        if line.number:
            self._put(line.text, line.number)
        elif line.path:
            pass
        elif _FOUND.fullmatch(line.text):
            self.rest.append(line.text)
        elif not line.text.strip("-"):
            self._put_space()
        else:
            self._put(line.text, 0)

    def add_part(self, name: str, found: ToolResult) -> None:
        """Add a whole result below the name of its file or its command."""
        self._put_space()
        if name:
            self.heads.append(len(self.lines))
            self._put(name, 0)
        start, lines = len(self.lines), found.text.split("\n")
        self.heads += [start + head for head in found.heads]
        self.lines += lines
        self.numbers += found.numbers or [0] * len(lines)
        self.rest += filter(None, (found.before, found.after))

    def made(self, path: str = "") -> ToolResult:
        """Return the result. `path` is the file of all lines when none of them names one."""
        if self.lines and not self.lines[-1] and not self.numbers[-1]:
            del self.lines[-1], self.numbers[-1]
        rest, heads = "\n".join(self.rest), frozenset(self.heads)
        text, only = "\n".join(self.lines), "" if heads else path
        return ToolResult(ResultForm.MATCHES, text, tuple(self.numbers), only, after=rest, heads=heads)

    def _put_space(self) -> None:
        if self.lines and self.lines[-1]:
            self._put("", 0)

    def _put(self, text: str, number: int) -> None:
        self.lines.append(text)
        self.numbers.append(number)


def _paths(_tool: str, _arguments: Mapping[str, Any], text: str) -> ToolResult | None:
    above = _LISTED.match(text)
    before, text = (above[0].strip(), text[above.end() :]) if above is not None else ("", text)
    is_list = bool(text.strip()) and not _FOUND.fullmatch(text.strip())
    return ToolResult(ResultForm.PATHS, text.rstrip("\n"), before=before) if is_list else None


def _prose(_tool: str, _arguments: Mapping[str, Any], text: str) -> ToolResult | None:
    return ToolResult(ResultForm.PROSE, text)


_Taken = Callable[[str, Mapping[str, Any], str], ToolResult | None]
_TAKEN: Mapping[ResultForm, _Taken] = {
    ResultForm.FILE: _file,
    ResultForm.MATCHES: _matches,
    ResultForm.PATHS: _paths,
    ResultForm.PROSE: _prose,
}

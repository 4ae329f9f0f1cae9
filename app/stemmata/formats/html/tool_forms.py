"""What is inside a tool call of the page: its arguments and its result, each in the form of the tool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from stemmata.domain.entries.blocks import COMMAND_ARGUMENTS, PATH_ARGUMENTS, ToolCall, command_line, first_text
from stemmata.domain.files.changed_lines import ChangedLine, FileChange
from stemmata.domain.text.json_text import parse_json
from stemmata.domain.text.links import is_safe_link
from stemmata.domain.tool_calls.kinds import ToolKind, arguments_of, details_of, kind_of
from stemmata.domain.tool_calls.results import ResultForm, ToolResult, tool_result
from stemmata.domain.tool_calls.tasks import tasks_of
from stemmata.domain.tool_calls.web_pages import FoundPage, found_pages, written_pages
from stemmata.formats.html.markup import Markup, escaped, one_line, preformatted

LONG_COMMAND = 70  # characters; the line of the call has no room for more
LONGEST_NOTE = 200  # characters of an argument in a line
MOST_PAGES = 20  # pages listed
FEW_LINES = 2  # lines of an output that need no numbers
_CONTENTS = ("content", "contents", "file_text", "text")
_SKETCHES = ("code_edit", "code", "changes", "new_source", "content", "contents")
_PROMPTS = ("prompt", "task", "message", "instructions")
_SEARCHED = ("pattern", "query", "regex", "search_term", "searchTerm", "url")
_TOLD = ("description", "explanation")
_PROSE = frozenset(
    {"plan", "response", "message", "question", "thought", "prompt", "summary", "task", "instructions"}
)


def call_html(markup: Markup, call: ToolCall) -> str:
    """Return the arguments of a call, without those that its line shows."""
    arguments = arguments_of(call)
    match kind_of(call.name, arguments):
        case ToolKind.SHELL if command := command_line(arguments):
            told = _note(first_text(arguments, _TOLD))
            shown = preformatted(command) if len(command) > LONG_COMMAND or "\n" in command else ""
            return told + shown + _rest(arguments, (*COMMAND_ARGUMENTS, *_TOLD))
        case ToolKind.READ | ToolKind.FILES | ToolKind.SEARCH if arguments:
            return _rest(arguments, (*PATH_ARGUMENTS, "files", "paths", *_SEARCHED[:3], *_TOLD, "command"))
        case ToolKind.WRITE if text := first_text(arguments, _CONTENTS):
            return _lines(text.rstrip("\n"), range(1, text.count("\n") + 2))
        case ToolKind.EDIT if text := first_text(arguments, _SKETCHES):
            return _note(first_text(arguments, ("instructions", *_TOLD))) + preformatted(text)
        case ToolKind.TASKS if tasks := tasks_of(arguments):
            items = "".join(f"<li>{task.mark} {one_line(task.text)}</li>" for task in tasks)
            return f'<ul class="tasks">{items}</ul>'
        case ToolKind.AGENT if prompt := first_text(arguments, _PROMPTS):
            return f'<div class="prompt">{markup.of(prompt)}</div>'
        case ToolKind.WEB if arguments:
            return _link(arguments)
    return _arguments(markup, call, arguments)


def result_html(
    markup: Markup, call: ToolCall | None, tool: str, text: str, details: str = "", *, failed: bool = False
) -> str:
    """Return the text of a result in the form of its tool. `details` are those of the result."""
    name, arguments = (call.name, arguments_of(call)) if call is not None else (tool, {})
    pages = ""
    if kind_of(name) is ToolKind.WEB:
        pages = "".join(map(_page, islice(found_pages(details_of(details), text), MOST_PAGES)))
        text = written_pages(text)[1]
    if not text.strip():
        return pages
    found = tool_result(name, arguments, text, failed=failed)
    return pages + _note(found.before) + _shown(markup, found) + _note(found.after)


def _page(page: FoundPage) -> str:
    """Return a page that a search found: its title as a link, when its address may be opened, and an excerpt."""
    title = one_line(page.title or page.address)
    if is_safe_link(page.address):
        title = f'<a href="{one_line(page.address)}" rel="noopener noreferrer">{title}</a>'
    return f"<p>{title}<br>{one_line(page.excerpt or page.address)}</p>"


def _shown(markup: Markup, found: ToolResult) -> str:
    match found.form:
        case ResultForm.PROSE:
            return markup.of(found.text)
        case ResultForm.JSON:
            return preformatted(pretty(found.text))
        case ResultForm.PATHS:
            return preformatted(found.text)
    text = found.text.rstrip("\n") if found.form is ResultForm.OUTPUT else found.text
    is_short = found.form is ResultForm.OUTPUT and text.count("\n") < FEW_LINES
    return preformatted(text) if is_short or not found.numbers else _lines(text, found.numbers, found.heads)


def _lines(text: str, numbers: Iterable[int], heads: frozenset[int] = frozenset()) -> str:
    """Return lines with their numbers, which are not part of the text, so that they are not copied."""
    return f'<pre class="lines">{"".join(_numbered(text, numbers, heads))}</pre>'


def _numbered(text: str, numbers: Iterable[int], heads: frozenset[int]) -> Iterator[str]:
    lines = escaped(text).split("\n")  # all at once: a long session has half a million lines
    for at, (line, number) in enumerate(zip(lines, numbers, strict=False)):
        element = "b" if at in heads else "span"
        mark = f' data-line="{number}"' if number else ""
        yield f"<{element}{mark}>{line}\n</{element}>"


def _arguments(markup: Markup, call: ToolCall, arguments: Mapping[str, Any]) -> str:
    """Return the arguments of a tool without a form of its own: long texts below their names, all others as JSON."""
    texts = {name: value for name, value in arguments.items() if isinstance(value, str)}
    if len(arguments) != 1 or not texts:
        texts = {name: value for name, value in texts.items() if "\n" in value.strip() or len(value) > LONGEST_NOTE}
    rest = {name: value for name, value in arguments.items() if name not in texts}
    out = [preformatted(pretty(json.dumps(rest) if texts else call.arguments))] if rest or not arguments else []
    for name, text in texts.items():
        out += [_note(name)] if len(arguments) > 1 else []
        out.append(markup.of(text) if name in _PROSE else preformatted(text))
    return "".join(out)


def _rest(arguments: Mapping[str, Any], without: Iterable[str] = ()) -> str:
    hidden = frozenset(without)
    shown = (f"{name}: {_short(value)}" for name, value in arguments.items() if name not in hidden)
    return _note(" · ".join(shown))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:LONGEST_NOTE] + ("…" if len(text) > LONGEST_NOTE else "")


def _link(arguments: Mapping[str, Any]) -> str:
    """Return the address of a call as a link when it may be opened, and its other arguments."""
    url = first_text(arguments, ("url",))
    if not is_safe_link(url):
        return _rest(arguments)
    return (
        f'<p><a href="{one_line(url)}" rel="noopener noreferrer">{one_line(url)}</a></p>{_rest(arguments, ("url",))}'
    )


def _note(text: str) -> str:
    shown = " · ".join(filter(None, map(str.strip, text.split("\n"))))
    return f'<p class="file">{one_line(shown)}</p>' if shown else ""


def pretty(text: str) -> str:
    """Return JSON with one value a line; any other text unchanged."""
    try:
        return json.dumps(parse_json(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # not JSON, or nested too deeply to be indented
        return text


# -- differences -----------------------------------------------------------------------------------------------------


def difference_html(change: FileChange, *, is_only: bool = False) -> str:
    """Return the changed lines of a file; `is_only`: without its name, which is in the line of the call."""
    name = " → ".join(filter(None, (change.path, change.moved)))
    verb = {"Add": "New file ", "Delete": "Deleted "}.get(change.verb, "")
    head = (
        f'<p class="file">{verb}<code>{one_line(name)}</code></p>'
        if name and not (is_only and not verb and not change.moved)
        else ""
    )
    lines = "".join(map(_changed, change.lines))
    return f'{head}<pre class="diff">{lines}</pre>' if lines else head


def _changed(line: ChangedLine) -> str:
    """Return a line of a difference; its number is not part of the text, so that it is not copied."""
    element = {"+": "ins", "-": "del"}.get(line.sign, "span")
    number = f' data-line="{line.number}"' if line.number else ""
    return f"<{element}{number}>{line.sign}{escaped(line.text)}\n</{element}>"

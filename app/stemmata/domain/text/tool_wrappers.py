"""Recognises text in user messages that the tool wrote and not the person: commands, their output, reminders.

Claude Code wraps such text in tags: `<command-name>`, `<local-command-stdout>`, `<system-reminder>`,
`<ide_opened_file>` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CAVEAT = "Caveat: The messages below"  # begins the note about commands in versions that did not wrap it in a tag
_OPENING = re.compile(r"\s*<([a-z_-]{3,40})>")
_CODES = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")  # terminal codes, such as colours
_SUMMARY = re.compile(r"<(summary|status)>(.{1,300}?)</\1>", re.DOTALL)
_COMMAND = ("command-name", "command-message", "command-args", "command-contents")
_OUTPUT = ("local-command-stdout", "bash-stdout")
_ERRORS = ("local-command-stderr", "bash-stderr")
IDE_NOTES = ("ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics")
_NOTES = (
    "local-command-caveat", "task-notification", "system-reminder", "user-prompt-submit-hook", "post-tool-use-hook",
    *IDE_NOTES,
)  # fmt: skip
_TAGS = frozenset({*_COMMAND, *_OUTPUT, *_ERRORS, *_NOTES, "bash-input"})
INJECTED = (*(f"<{tag}>" for tag in (*_OUTPUT, *_ERRORS, *_NOTES)), CAVEAT, "[Request interrupted by user")


@dataclass(frozen=True, slots=True)
class WrappedPart:
    """One tag of a tool wrapper and the text inside it."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class WrapperContent:
    """The command, output and note summary found in the wrapped parts of one message; "" for each that is absent."""

    command: str = ""  # with its arguments, as it was typed
    output: str = ""
    failed: bool = False  # the output was written to the error stream
    summary: str = ""

    @property
    def words(self) -> str:
        """The command, else the output, else the summary; "" for a note that is meant only for the model."""
        return self.command or self.output or self.summary


def wrapped_parts(text: str) -> list[WrappedPart]:
    """Return the parts of a text that consists only of wrapped parts; [] for any other text."""
    parts, rest = _split(text)
    return [] if rest else parts


def content_of(parts: Sequence[WrappedPart]) -> WrapperContent:
    """Return the command, output and summary found in the parts; the first part of each tag counts."""
    texts = {part.tag: part.text for part in reversed(parts)}
    name = texts.get("command-name") or texts.get("bash-input") or ""
    output = next((texts[tag] for tag in (*_OUTPUT, *_ERRORS) if texts.get(tag, "").strip()), "")
    news = dict(reversed(_SUMMARY.findall(texts.get("task-notification", ""))))
    return WrapperContent(
        f"{name.strip()} {texts.get('command-args', '').strip()}".strip() if name else "",
        output.strip(),
        bool(output) and output in (texts.get(tag) for tag in _ERRORS),
        news.get("summary") or news.get("status", ""),
    )


def without_wrappers(text: str) -> str:
    """Return the person's own text; when a tool wrote all of it, the content of the wrappers ("" for a mere note)."""
    if text.startswith(CAVEAT):
        return ""
    parts, rest = _split(text)
    return rest if rest or not parts else content_of(parts).words


def prompt_in(text: str) -> str:
    """Return the person's own text; "" when a tool wrote all of it."""
    return "" if text.startswith(CAVEAT) else _split(text)[1]


def _split(text: str) -> tuple[list[WrappedPart], str]:
    """Return the wrapped parts at the beginning of the text, and the rest stripped of white space."""
    out: list[WrappedPart] = []
    at, end = 0, len(text)
    while at < end:
        found = _OPENING.match(text, at)
        if found is None or found[1] not in _TAGS:
            break
        close = text.find(f"</{found[1]}>", found.end())
        stop = end if close < 0 else close  # the closing tag of a long text may have been cut off
        out.append(WrappedPart(found[1], _CODES.sub("", text[found.end() : stop]).strip("\n")))
        at = end if close < 0 else close + len(found[1]) + 3
    return out, text[at:].strip() if out else text

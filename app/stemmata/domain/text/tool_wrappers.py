"""What a tool writes in the person's name: commands of its own, their output, reminders for the model.

Claude Code wraps these in tags: `<command-name>`, `<local-command-stdout>`, `<system-reminder>`, `<ide_opened_file>`
and so on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CAVEAT = "Caveat: The messages below"  # how Claude Code began its note about commands before it wrapped it
_OPENING = re.compile(r"\s*<([a-z_-]{3,40})>")
_CODES = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")  # of a terminal: colours and the like
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
class Part:
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """What wrapped parts come to: a command as it was typed, what came out of it, a note's summary; "" for none."""

    command: str = ""
    output: str = ""
    failed: bool = False  # the output is that of errors
    summary: str = ""

    @property
    def words(self) -> str:
        """What a person would call it, "" for a note that is for the model alone."""
        return self.command or self.output or self.summary


def parts_of(text: str) -> list[Part]:
    """The wrapped parts of a text that consists of nothing else; [] for any other text."""
    parts, rest = _split(text)
    return [] if rest else parts


def told(parts: Sequence[Part]) -> Told:
    texts = {part.tag: part.text for part in reversed(parts)}
    name = texts.get("command-name") or texts.get("bash-input") or ""
    output = next((texts[tag] for tag in (*_OUTPUT, *_ERRORS) if texts.get(tag, "").strip()), "")
    news = dict(reversed(_SUMMARY.findall(texts.get("task-notification", ""))))
    return Told(
        f"{name.strip()} {texts.get('command-args', '').strip()}".strip() if name else "",
        output.strip(),
        bool(output) and output in (texts.get(tag) for tag in _ERRORS),
        news.get("summary") or news.get("status", ""),
    )


def spoken(text: str) -> str:
    """The text as a person would tell it: without what is wrapped before it, or what the wrapped parts come to."""
    if text.startswith(CAVEAT):
        return ""
    parts, rest = _split(text)
    return rest if rest or not parts else told(parts).words


def prompt_in(text: str) -> str:
    """What the person asked, "" where a tool wrote all of it."""
    return "" if text.startswith(CAVEAT) else _split(text)[1]


def _split(text: str) -> tuple[list[Part], str]:
    """The wrapped parts that the text begins with, and the rest without white space around it."""
    out: list[Part] = []
    at, end = 0, len(text)
    while at < end:
        found = _OPENING.match(text, at)
        if found is None or found[1] not in _TAGS:
            break
        close = text.find(f"</{found[1]}>", found.end())
        stop = end if close < 0 else close  # a long text may have lost its end
        out.append(Part(found[1], _CODES.sub("", text[found.end() : stop]).strip("\n")))
        at = end if close < 0 else close + len(found[1]) + 3
    return out, text[at:].strip() if out else text

"""Takes the texts of results out of the JSON, the tags and the fences that some agents put around them.

Cline answers each call with JSON objects of `query` and `result`, Codex once did with `output` and `metadata`.
Copilot and Goose put files into fences of Markdown. A reader wants the lines inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.untrusted import parse_json

_TEXTS = ("result", "output", "stdout", "contents", "content", "text")
_NAMES = ("query", "path", "file_path", "filePath", "filename", "file")
_ERRORS = ("stderr", "error")
_PLAIN = (str, int, float, bool, type(None))
LONGEST_NOTE = 200  # characters
_BETWEEN = re.compile(r"(?<=\})\s*\n(?=\{)")
_FENCE = re.compile(r"(`{3,8})[\w+#.-]{0,40}\n(?:\n(?=\S))?(.*?)\n?\1\s*", re.DOTALL)
_HEAD = re.compile(
    r"\s*(?:#{1,4} (?P<goose>[^\n]{1,400})|Content of (?P<continue>[^\n]{1,400}):"
    r"|(?P<copilot>File: `[^`\n]{1,400}`[^\n]{0,200}))\n"
)
_RANGE = re.compile(r":(\d{1,7})-\d{1,7}$")


@dataclass(frozen=True, slots=True)
class EnclosedText:
    """A text in the answer of a tool. `name` is the file or command that it belongs to, `notes` are the words around
    it. `first` is the number of the first line, 0 when it is unknown.
    """

    text: str
    name: str = ""
    notes: str = ""
    first: int = 0


def enclosed_texts(text: str, *, of_files: bool) -> list[EnclosedText]:
    """Return the texts in an answer that consists of JSON objects with one text each; [] for any other answer.

    `of_files`: the answer shows files. These may be JSON themselves, so only the objects of Cline (with `query`) and
    of Cursor (`contents` alone) count.
    """
    start = text[:200].lstrip()[:1]
    if start not in ("{", "[") or text[-200:].rstrip()[-1:] not in ("}", "]"):
        return []
    try:
        values = [*map(parse_json, _BETWEEN.split(text))] if start == "{" else parse_json(text)
    except (ValueError, RecursionError):
        return []
    found = [_enclosed(value) for value in values if not of_files or _is_of_file(value)]
    if len(found) < len(values):
        return []
    return [part for part in found if part is not None] if all(found) else []


def _is_of_file(value: object) -> bool:
    return isinstance(value, dict) and ({"query", "result"} <= value.keys() or [*value] == ["contents"])


def _enclosed(value: object) -> EnclosedText | None:
    """Return the text in a JSON object; None when the object has none, or parts that would be lost."""
    if not isinstance(value, dict):
        return None
    name = next((key for key in _TEXTS if isinstance(value.get(key), str)), None)
    if name is None:
        return None
    title = next((found for key in _NAMES if isinstance(found := value.get(key), str)), "")
    errors = [found for key in _ERRORS if key != name and isinstance(found := value.get(key), str) and found.strip()]
    others = {key: part for key, part in value.items() if key not in (name, *_NAMES, *_ERRORS)}
    notes = [_note(key, part) for key, part in others.items()]
    if not all(notes):
        return None
    place = _RANGE.search(title)
    text = "\n".join([value[name].rstrip("\n"), *errors]) if errors else value[name]
    shown = " · ".join(note for note in notes if note != "success: true")
    return EnclosedText(text, title[: place.start()] if place else title, shown, int(place[1]) if place else 0)


def _note(name: str, part: object) -> str:
    """Return a part of an object as `name: value`; "" for a long text, a list or an object of texts."""
    if isinstance(part, dict) and part and all(isinstance(item, int | float) for item in part.values()):
        return " · ".join(f"{inner}: {item}" for inner, item in part.items())
    if not isinstance(part, _PLAIN) or (isinstance(part, str) and len(part) > LONGEST_NOTE):
        return ""
    return f"{name}: {compact_json(part) if not isinstance(part, str) else part}"


def file_in(text: str) -> EnclosedText | None:
    """Return the text of a file that a heading or a fence of Markdown encloses; None for any other text."""
    head = _HEAD.match(text)
    rest = text[head.end() :] if head is not None else text
    fenced = _FENCE.fullmatch(rest.lstrip("\n"))
    if fenced is None and (head is None or head["continue"] is None):
        return None
    notes = "" if head is None or head["copilot"] is None else head["copilot"]
    return EnclosedText(fenced[2] if fenced is not None else rest, notes=notes)

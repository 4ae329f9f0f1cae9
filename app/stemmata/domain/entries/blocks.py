"""Content blocks of an entry, and their JSON form in the store."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """A block of text. `signature` is the provider's, "" when it gave none."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block. In a redacted block the text is empty and the signature holds the encrypted thinking."""

    text: str
    signature: str = ""
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the model made. `arguments` is JSON text, as `json_text.compact_json` prints it."""

    id: str
    name: str
    arguments: str = "{}"
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """An image or attached file. `blob` is the SHA-256 (hex) of its bytes, `size` the number of bytes."""

    media_type: str
    blob: str
    size: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A block of an unknown type, kept as its JSON text."""

    type: str
    json: str


Block: TypeAlias = Text | Thinking | ToolCall | Image | UnknownBlock


def encode(blocks: Iterable[Block]) -> list[list[Any]]:
    """Return the blocks as lists that JSON can hold: one list per block, a one-letter tag first."""
    out: list[list[Any]] = []
    for block in blocks:
        match block:
            case Text(text, signature):
                out.append(["t", text, signature] if signature else ["t", text])
            case Thinking(text, signature, redacted):
                out.append(["k", text, signature, int(redacted)])
            case ToolCall(id, name, arguments, signature):
                out.append(["c", id, name, arguments, signature])
            case Image(media_type, blob, size, name):
                out.append(["i", media_type, blob, size, name])
            case _:
                out.append(["o", block.type, block.json])
    return out


def decode(rows: Iterable[list[Any]]) -> tuple[Block, ...]:
    """Return the blocks that `encode` was given. An unknown tag becomes an `UnknownBlock`, for newer archives."""
    out: list[Block] = []
    for tag, *rest in rows:
        match tag:
            case "t":
                out.append(Text(*rest))
            case "k":
                out.append(Thinking(rest[0], rest[1], bool(rest[2])))
            case "c":
                out.append(ToolCall(*rest))
            case "i":
                out.append(Image(*rest))
            case "o":
                out.append(UnknownBlock(*rest))
            case _:
                out.append(UnknownBlock(str(tag), json.dumps(rest)))
    return tuple(out)


def plain_text(blocks: Iterable[Block], separator: str = "\n") -> str:
    """Return the text blocks joined by a separator; blocks of other types are left out."""
    return separator.join(block.text for block in blocks if isinstance(block, Text))


def text_to_copy(blocks: Iterable[Block]) -> str:
    """Return the texts as Markdown; when there are none, the thoughts, and the calls with their arguments."""
    found = tuple(blocks)
    text = plain_text(found, "\n\n")
    if text.strip():
        return text
    parts: list[str] = []
    for block in found:
        match block:
            case Thinking(thought):
                parts.append(thought)
            case ToolCall(_, name, arguments):
                parts.append(f"{name} {arguments}")
            case UnknownBlock(_, content):
                parts.append(content)
    return "\n\n".join(filter(str.strip, parts))


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """Return the call's arguments as a mapping; empty when they are not a JSON object."""
    is_long = len(call.arguments) > _LONG_ARGUMENTS
    try:
        value = json.loads(call.arguments, object_hook=_unchanged if is_long else None)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


COMMAND_ARGUMENTS = ("command", "cmd", "script", "commands")
PATH_ARGUMENTS = (
    "file_path", "filePath", "filepath", "path", "absolute_path", "absolutePath", "filename", "file", "notebook_path",
    "target_file", "targetFile", "relative_workspace_path", "relativePath",
)  # fmt: skip
_MAIN_ARGUMENTS = (
    *PATH_ARGUMENTS, "pattern", "query", "regex", "search_term", "searchTerm", "url", "description", "prompt",
    "skill", "name", "title", "subject",
)  # fmt: skip
_FILE_LISTS = ("files", "paths", "file_paths", "absolute_paths")
_OF_EDITORS = frozenset({"view", "create", "str_replace", "insert", "write", "undo_edit", "read"})
_SHELL_OPTIONS = ("-c", "-lc", "-Command")


def command_line(arguments: Mapping[str, Any]) -> str:
    """Return the command in a call's arguments; "" for none.

    Older versions of Codex write a command as the list of its words. Of `["bash", "-lc", line]` this is the line.
    """
    for name in COMMAND_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str):
            return value.strip()
        if name == "commands" and isinstance(value, list):  # each is a command
            return "\n".join(filter(None, map(_command, value[:_MOST_COMMANDS])))
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            is_wrapped = len(value) == 3 and value[1] in _SHELL_OPTIONS
            return (value[2] if is_wrapped else shlex.join(value)).strip()
    return ""


def _command(value: object) -> str:
    """Return a command of a list of commands: a text, or an object with its words (Cline); "" for anything else."""
    if isinstance(value, str):
        return value.strip()
    return command_line(value) if isinstance(value, dict) and "commands" not in value else ""


def files_named(arguments: Mapping[str, Any]) -> list[str]:
    """Return the files of a call that names several, as texts or as objects with a path; [] for other calls."""
    listed = next((found for name in _FILE_LISTS if isinstance(found := arguments.get(name), list)), [])
    named = (first_text(item, PATH_ARGUMENTS) if isinstance(item, dict) else item for item in listed)
    return [name for name in named if isinstance(name, str) and name]


def first_text(values: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the first value under these names that is a text and not empty, else ""."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def main_argument(arguments: Mapping[str, Any]) -> str:
    """Return the text that distinguishes a call from others, such as a command or a path; "" for none.

    Without an argument of a known name this is the first text.
    """
    command = command_line(arguments)
    if command and command not in _OF_EDITORS:
        return command
    if files := files_named(arguments):
        return ", ".join(files)
    return first_text(arguments, (*_MAIN_ARGUMENTS, *arguments))


_MOST_COMMANDS = 50
_LONG_ARGUMENTS = 256 * 1024  # characters, which are parsed in some milliseconds


def _unchanged(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object unchanged.

    The JSON parser keeps Python's lock; calling this function lets other threads run.
    """
    return value


_NAME_LINE = re.compile(r"([^\n]{1,255}):\n\n")


def name_of(block: Block) -> str:
    """Return the file name of an attachment; "" for an attachment without a name and for any other block."""
    if isinstance(block, Text):
        named = _NAME_LINE.match(block.text)
        return named[1] if named else ""
    return block.name if isinstance(block, Image) else ""


def split_attachments(blocks: Sequence[Block]) -> tuple[tuple[Block, ...], str]:
    """Return the attachments of a message, in order, and its text.

    A text block at the end is always the message's text, never an attachment.
    """
    attachments, texts = list[Block](), list[str]()
    for at, block in enumerate(blocks):
        if isinstance(block, Text) and (at == len(blocks) - 1 or not name_of(block)):
            texts.append(block.text)
        else:
            attachments.append(block)
    return tuple(attachments), "\n\n".join(texts)

"""The reads, writes, edits and patches that a tool call asks for, from the arguments of any agent's tools."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, arguments_of
from stemmata.domain.files.patches import PatchedFile, PatchKind, patched_files
from stemmata.domain.files.state import Hunk
from stemmata.domain.tool_calls.shell_reads import ShellRead, shell_read
from stemmata.domain.tool_calls.use import ToolUse, tool_use

MOST_ARGUMENTS = 40_000_000  # characters of a call's arguments that are read
MOST_EDITS = 2_000  # replacements of one call
_OLD = ("old_string", "oldString", "oldText", "old_text", "old_str")
_NEW = ("new_string", "newString", "newText", "new_text", "new_str")
_ALL = ("replace_all", "replaceAll", "allow_multiple")
_TEXTS = ("content", "contents", "file_text")
_FOLDERS = ("workdir", "cwd", "working_directory", "dir_path")
_FIRST, _COUNT = ("offset", "start_line", "line_start"), ("limit", "end_line", "line_end")
_PLAIN_READERS = frozenset({"read", "read_file", "read_text_file"})
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class FileAct(IntEnum):
    """How a call accesses a file. OTHER changes the file in a way that the call's arguments do not show."""

    READ = 0
    EDIT = 1
    WRITE = 2
    DELETE = 3
    OTHER = 4

    @property
    def is_change(self) -> bool:
        """Whether the file is another one afterwards."""
        return self is not FileAct.READ


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text in place of another one; `everywhere`: at each of its places."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest:
    """What a tool call asks for one file: to read, write, edit or patch it. Only the fields of its act are set.

    `path` has the form of `file_path`. `is_part`: only a part of the file is read. `is_plain`: the result is the text
    itself, without line numbers.
    """

    act: FileAct
    path: str
    tool: str = ""
    is_part: bool = False
    first: int | None = None
    is_plain: bool = False
    shell: ShellRead | None = None
    text: str = ""
    edits: tuple[Replacement, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    patch: PatchedFile | None = None


def file_path(path: str, folder: str) -> str:
    """Return a path in one form: absolute where `folder` is known, without `.` and `..`, with forward slashes."""
    plain = path.strip().replace("\\", "/") if _DRIVE.match(folder) or _DRIVE.match(path) else path.strip()
    if not plain:
        return ""
    absolute = plain.startswith(("/", "~")) or _DRIVE.match(plain) is not None
    joined = plain if absolute or not folder else f"{folder.rstrip('/')}/{plain}"
    return posixpath.normpath(joined.replace("\\", "/") if _DRIVE.match(folder) else joined)


def requests_of(call: ToolCall, folder: str = "") -> tuple[FileRequest, ...]:
    """Return the accesses to files that a call asks for, in order; () for a call that names none."""
    if len(call.arguments) > MOST_ARGUMENTS:
        return ()
    use, values = tool_use(call), arguments_of(call)
    patched = _patches(call, values)
    if patched:
        return tuple(_of_patch(patched, call.name, folder))
    if use.command:
        return tuple(_of_command(use, values, folder))
    paths = [*use.modified, *use.read]
    made = (_request(call, use, values, path) for path in paths)
    return tuple(
        _placed(request, file_path(request.path, folder)) for request in made if file_path(request.path, folder)
    )


def _placed(request: FileRequest, path: str) -> FileRequest:
    return replace(request, path=path)


def _patches(call: ToolCall, values: Mapping[str, Any]) -> list[PatchedFile]:
    if "*** Begin Patch" not in call.arguments:
        return []
    texts = [value for value in values.values() if isinstance(value, str)]
    lists = [value for value in values.values() if isinstance(value, list)]
    texts += [item for value in lists for item in value if isinstance(item, str)]
    return [section for text in texts for section in patched_files(text)]


def _of_patch(sections: Sequence[PatchedFile], tool: str, folder: str) -> Iterator[FileRequest]:
    for section in sections:
        path = file_path(section.path, folder)
        if not path:
            continue
        if section.kind is PatchKind.DELETE:
            yield FileRequest(act=FileAct.DELETE, path=path, tool=tool)
        elif section.kind is PatchKind.ADD:
            yield FileRequest(act=FileAct.WRITE, path=path, tool=tool, text=section.text)
        else:
            section.moved = file_path(section.moved, folder)
            yield FileRequest(act=FileAct.EDIT, path=path, tool=tool, patch=section)


def _of_command(use: ToolUse, values: Mapping[str, Any], folder: str) -> Iterator[FileRequest]:
    read = shell_read(use.command)
    if read is not None:
        there = file_path(_text(values, _FOLDERS), folder) or folder
        there = file_path(read.folder, there) or there
        path = file_path(read.path, there)
        if path:
            yield FileRequest(
                act=FileAct.READ, path=path, tool=use.tool, shell=read, is_part=read.count is not None,
            )  # fmt: skip


def _request(call: ToolCall, use: ToolUse, values: Mapping[str, Any], path: str) -> FileRequest:
    if path in use.read:
        return _read(call, values, path)
    command = values.get("command")
    words = call.name.rpartition("__")[2].lower()
    if isinstance(values.get("insert_line"), int) and command in ("insert", None):
        line, text = values["insert_line"], _text(values, ("insert_text", *_NEW))
        hunk = Hunk(line + 1, (), tuple(_plain(text).removesuffix("\n").split("\n")))
        return FileRequest(act=FileAct.EDIT, path=path, tool=call.name, hunks=(hunk,) if line >= 0 else ())
    edits = tuple(_edits(values))
    if edits:
        return FileRequest(act=FileAct.EDIT, path=path, tool=call.name, edits=edits)
    text_key = next((key for key in _TEXTS if isinstance(values.get(key), str)), None)
    writes = command == "create" or any(word in words for word in ("write", "create", "save"))
    if text_key is not None and writes:
        return FileRequest(act=FileAct.WRITE, path=path, tool=call.name, text=_plain(values[text_key]))
    deletes = any(word in words for word in ("delete", "remove"))
    return FileRequest(act=FileAct.DELETE if deletes else FileAct.OTHER, path=path, tool=call.name)


def _read(call: ToolCall, values: Mapping[str, Any], path: str) -> FileRequest:
    name = call.name.rpartition("__")[2]
    listed = values.get("files")
    listed = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    keys = (*_FIRST, *_COUNT, "view_range")
    asked = [key for one in (values, *listed) for key in keys if one.get(key) is not None]
    first = next((values[key] for key in _FIRST if isinstance(values.get(key), int)), None)
    plain = name in _PLAIN_READERS and "filePath" not in values
    return FileRequest(act=FileAct.READ, path=path, tool=call.name, is_part=bool(asked), first=first, is_plain=plain)


def _edits(values: Mapping[str, Any]) -> Iterator[Replacement]:
    listed = values.get("edits")
    for item in [*listed[:MOST_EDITS]] if isinstance(listed, list) else [values]:
        if not isinstance(item, dict):
            continue
        old, new = (next((item[k] for k in keys if isinstance(item.get(k), str)), None) for keys in (_OLD, _NEW))
        if old is not None and new is not None:
            count = item.get("expected_replacements")
            everywhere = any(item.get(key) is True for key in _ALL) or (isinstance(count, int) and count > 1)
            yield Replacement(_plain(old), _plain(new), everywhere)


def _plain(text: str) -> str:
    """Return a text whose lines all end with a line feed, as the tools display a file."""
    return text.replace("\r\n", "\n")


def _text(values: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((value for key in keys if isinstance(value := values.get(key), str) and value), "")

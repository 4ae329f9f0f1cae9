"""The kind of a tool, which its name shows, and the facts in its calls and results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from stemmata.domain.entries import blocks
from stemmata.domain.tool_calls import outcomes

MOST_READ = 200_000  # characters of arguments or details; more would take too long to parse at each layout


class ToolKind(Enum):
    """The kinds of tools whose calls have their own presentation; calls of all other tools are OTHER."""

    OTHER = auto()
    TASKS = auto()  # writes a task list
    WEB = auto()  # reads a web page or searches the web
    SEARCH = auto()  # searches in files
    FILES = auto()  # lists files
    AGENT = auto()  # gives a task to another agent
    READ = auto()  # reads a file
    WRITE = auto()  # writes a whole file
    EDIT = auto()  # changes a part of a file
    PATCH = auto()  # changes files by a patch
    SHELL = auto()  # runs a command


_NAMES = {
    ToolKind.TASKS: "todowrite todo updateplan writetodos updatetodo managetodolist todoread taskcreate taskupdate"
    " tasklist taskget updatetodolist todos",
    ToolKind.WEB: "webfetch fetch websearch googlewebsearch fetchwebpage fetchurl browse searchweb readurl"
    " readwebpage fetchurlcontent websearchtool webrun browsersearch browseropen websearchquery webopen agenticfetch"
    " searchgoogle fetchpage urlread",
    ToolKind.SEARCH: "grep search grepsearch rg ripgrep searchfilecontent searchfiles searchtext codesearch"
    " codebasesearch ripgreprawsearch semanticsearch findtextinfiles searchcodebase semanticsearchfull",
    ToolKind.FILES: "glob find filesearch listfiles ls list listdirectory listdir globsearch findfiles findpath"
    " globfilesearch fileglobsearch directorytree listdirectorytree viewsubdirectory listfilestoplevel"
    " listfilesrecursive",
    ToolKind.AGENT: "task agent subagent spawnagent sessionsspawn delegate runsubagent newtask oracle finder"
    " librarian dispatchagent",
    ToolKind.READ: "read readfile cat view viewfile openfile getfile fsread readfiles readmanyfiles readtextfile"
    " readmultiplefiles getfilecontents readcurrentlyopenfile readfilerange",
    ToolKind.WRITE: "write writefile createfile create writetofile createnewfile savefile fswrite",
    ToolKind.EDIT: "edit editfile multiedit strreplace strreplaceeditor replace replacestringinfile searchreplace"
    " inserteditintofile applydiff notebookedit editor texteditor strreplacebasededittool replaceinfile"
    " editexistingfile singlefindandreplace multireplacestringinfile insertcontent searchandreplace",
    ToolKind.PATCH: "applypatch patch",
    ToolKind.SHELL: "bash shell exec execcommand runcommand runshellcommand runinterminal powershell localshell"
    " terminal executecommand writestdin shellcommand bashoutput readbash writebash runcommands runterminalcmd"
    " runterminalcommand executebash bashtool getterminaloutput joboutput",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_VERSION = re.compile(r"_v\d{1,2}$|^builtin_")
LONGEST_NAME = 1000  # characters: the window asks for the kind with each painting, and a file may hold a name of 1 MB
_VIEWS, _WRITES = ("view", "read"), ("create", "write")  # commands of an editor that is one tool


def kind_of(tool: str, arguments: Mapping[str, Any] | None = None) -> ToolKind:
    """Return the kind of a tool by its name, in any case and with or without underscores.

    Of a name with parts such as `mcp__files__read_file` only the last part counts; `builtin_` and `_v2` do not. An
    editor that is one tool for all reads or writes a file when its argument `command` says so. A name of more than
    LONGEST_NAME characters is of no known tool.
    """
    if len(tool) > LONGEST_NAME:
        return ToolKind.OTHER
    name = _VERSION.sub("", tool.rpartition("__")[2]).lower().replace("_", "").replace("-", "").replace(".", "")
    kind = _KINDS.get(name, ToolKind.OTHER)
    command = arguments.get("command") if arguments and kind is ToolKind.EDIT else None
    return ToolKind.READ if command in _VIEWS else ToolKind.WRITE if command in _WRITES else kind


def arguments_of(call: blocks.ToolCall) -> Mapping[str, Any]:
    """Return a call's arguments as a mapping; empty when they are not a JSON object or longer than MOST_READ."""
    return blocks.arguments_of(call) if len(call.arguments) <= MOST_READ else {}


def details_of(details: str) -> Mapping[str, Any]:
    """Return a result's details as a mapping; empty when they are not a JSON object or longer than MOST_READ."""
    return outcomes.details_of(details) if len(details) <= MOST_READ else {}

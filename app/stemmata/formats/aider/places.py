"""The folders in which Aider's chat histories may be: the folders of projects. No folder is searched for projects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

from stemmata.domain.errors import KnownError
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, mapping, parse, text
from stemmata.formats.shared.vscode_folders import RELATIVES, user_folders

HISTORY = ".aider.chat.history.md"
_NAMED = "AIDER_CHAT_HISTORY_FILE"
_SETTINGS = ".aider.conf.yml"
_SETTING = re.compile(rb"^chat-history-file:[ \t]*[\"']?([^\"'#\r\n]+)", re.MULTILINE)
# folders whose subfolders are usually projects
_COMMON = (
    "projects", "Projects", "src", "code", "Code", "dev", "Developer", "git", "repos", "source/repos", "work",
    "workspace", "Documents/GitHub", "PycharmProjects", "IdeaProjects",
)  # fmt: skip
_MOST = 2_000  # projects of a place
_LARGEST = 64 << 10  # bytes of a settings file


def histories(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return where histories may be: the file that the settings name, and one in each project that is known.

    The known projects are those that were opened in VS Code or an editor made from it, and the subfolders of the
    usual folders for projects in the home folder.
    """
    found = [*_named(home, environment), *(project / HISTORY for project in _projects(home, environment))]
    return list(dict.fromkeys(found))


def _named(home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    told = environment.get(_NAMED, "")
    setting = _SETTING.search(_content(home / _SETTINGS))
    for name in (told, setting[1].decode("utf-8", "replace").strip() if setting else ""):
        path = Path(name.replace("~", str(home), 1) if name.startswith("~") else name)
        if path.is_absolute():  # a relative path means a file in each project
            yield path


def _projects(home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    for user in user_folders(RELATIVES, home, environment):
        for workspace in _folders_in(user / "workspaceStorage"):
            yield from _project_of(workspace)
    for name in _COMMON:
        yield from _folders_in(home / name)


def _project_of(workspace: Path) -> Iterator[Path]:
    """Yield the folder of a workspace on this machine."""
    try:
        url = urlsplit(text(mapping(parse(_content(workspace / "workspace.json"))).get("folder")))
    except (BadLineError, ValueError):
        return
    path = unquote(url.path)
    if url.scheme == "file" and not url.netloc and "\0" not in path:
        yield Path(path[1:] if re.match(r"/[A-Za-z]:", path) else path)


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as listing:
            return sorted(Path(item.path) for item in islice(listing, _MOST) if item.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _content(path: Path) -> bytes:
    try:
        with open_source(path) as file, known_read_errors(path):
            return file.read(_LARGEST)
    except KnownError:
        return b""

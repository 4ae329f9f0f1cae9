from __future__ import annotations

import configparser
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stemmata import APPLICATION_ID
from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.system.desktop_files import ENTRY, SERVICE, UserDesktopFiles, command_line, program_command

COMMAND = ["/opt/my tools/100%/stem$mata", "-m"]


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of shared data on Linux, where no program builds caches."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    return tmp_path / "share"


def files(share: Path, **environment: str) -> UserDesktopFiles:
    shared = {"XDG_DATA_HOME": str(share), "XDG_DATA_DIRS": str(share.parent / "system")}
    return UserDesktopFiles(shared | environment, COMMAND)


def entry(share: Path) -> configparser.RawConfigParser:
    parsed = configparser.RawConfigParser(delimiters=("=",))
    parsed.read(share / ENTRY, encoding="utf-8")
    return parsed


def test_everything_is_written_and_removed(share: Path) -> None:
    source = resource("desktop", "share")
    shipped = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    other = share / "applications" / "other.desktop"
    other.parent.mkdir(parents=True)
    other.touch()
    assert files(share).install() == share
    assert {path.relative_to(share) for path in share.rglob("*") if path.is_file()} == {
        *shipped,
        other.relative_to(share),
    }
    assert files(share).install() == share, "again, after the program was moved"
    assert files(share).remove() == len(shipped)
    assert [path for path in share.rglob("*") if path.is_file()] == [other]
    assert files(share).remove() == 0


def test_the_entry_and_the_service_start_this_program(share: Path) -> None:
    files(share).install()
    quoted = '"/opt/my tools/100%%/stem\\$mata" "-m"'
    assert entry(share)["Desktop Entry"]["Exec"] == f"{quoted} open %u"
    assert entry(share)["Desktop Action new-chat"]["Exec"] == f"{quoted} open stemmata://new-chat"
    assert f"ExecStart={quoted} import --follow\n" in (share / SERVICE).read_text()


def test_without_xdg_the_folder_is_in_the_home(share: Path, tmp_path: Path) -> None:
    assert UserDesktopFiles({"HOME": str(tmp_path)}, COMMAND).install() == tmp_path / ".local" / "share"


def test_a_package_of_the_system_is_enough(share: Path) -> None:
    package = share.parent / "system" / ENTRY
    package.parent.mkdir(parents=True)
    package.touch()
    with pytest.raises(KnownError, match="of all users already"):
        files(share).install()
    assert not share.exists()


def test_a_folder_that_cannot_be_written_is_told(share: Path) -> None:
    share.touch()
    with pytest.raises(KnownError, match="Could not write to"):
        files(share).install()


def test_a_file_that_cannot_be_removed_is_told(share: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files(share).install()

    def refuse(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(KnownError, match="Permission denied"):
        files(share).remove()


def test_elsewhere_there_is_no_such_menu(share: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(KnownError, match="Only Linux"):
        files(share).install()


def test_the_caches_are_built_where_the_desktop_has_them(share: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name == "update-mime-database" else None)
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: ran.append(command))
    files(share).install()
    files(share).remove()
    files(share).remove()
    assert ran == [["/usr/bin/update-mime-database", str(share / "mime")]] * 2


def test_a_command_is_quoted_so_that_a_shell_reads_it_back() -> None:
    words = ["/a b/c", 'quo"te', "back\\slash", "dol$lar", "tick`"]
    assert shlex.split(command_line(words)) == ["/a b/c", 'quo"te', "back\\slash", "dol\\$lar", "tick\\`"]


def test_the_command_of_this_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    assert program_command() == [str(python), "-m", "stemmata"]
    (tmp_path / "stemmata").touch()
    assert program_command() == [str(tmp_path / "stemmata")]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert program_command() == [str(python)]
    monkeypatch.setitem(os.environ, "APPIMAGE", "/apps/Stemmata.AppImage")
    assert program_command() == ["/apps/Stemmata.AppImage"]


def test_the_files_are_named_after_the_program() -> None:
    share = resource("desktop", "share")
    named = [path.name for path in share.rglob("*.*") if path.is_file()]
    assert {name.removesuffix("-symbolic.svg") for name in named if "symbolic" in name} == {APPLICATION_ID}
    assert (share / ENTRY).exists()

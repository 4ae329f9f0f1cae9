"""The files for desktops follow from the program, and the tools of desktops accept them."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from builds.desktop_files import SCREENSHOTS, SHARE, SIZES, copy_share, texts
from stemmata import APPLICATION_ID, __version__
from stemmata.cli.program import program
from stemmata.system.desktop_files import UserDesktopFiles

ENTRY = SHARE / "applications" / f"{APPLICATION_ID}.desktop"
METADATA = SHARE / "metainfo" / f"{APPLICATION_ID}.metainfo.xml"


def tool(name: str, *arguments: str | Path) -> str:
    """Return what a tool of the desktop prints; skip where it is not installed."""
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    ran = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("name", sorted(texts()))
def test_generated_files_are_in_step_with_the_program(name: str) -> None:
    """`./packaging/dev translate` writes them anew."""
    assert (SHARE / name).read_text(encoding="utf-8") == texts()[name]


@pytest.mark.parametrize("side", SIZES)
def test_icons_have_their_sizes(side: int) -> None:
    head = (SHARE / f"icons/hicolor/{side}x{side}/apps/{APPLICATION_ID}.png").read_bytes()[:24]
    assert struct.unpack(">8x4x4sII", head) == (b"IHDR", side, side)


def test_the_menu_entry_is_valid() -> None:
    assert "error" not in tool("desktop-file-validate", ENTRY)


def test_the_metadata_is_valid() -> None:
    assert "successful" in tool("appstreamcli", "validate", "--no-net", METADATA)


def test_the_metadata_names_this_version_and_no_address() -> None:
    component = ET.parse(METADATA).getroot()
    assert component.findtext("id") == APPLICATION_ID
    assert component.findtext("launchable") == ENTRY.name
    releases = [release.get("version") for release in component.iter("release")]
    assert releases[0] == __version__
    assert "://" not in METADATA.read_text(encoding="utf-8"), "the project owns no address"


def test_metadata_with_pictures_is_valid(tmp_path: Path) -> None:
    """A build that is told where the pictures lie names them."""
    copy_share(tmp_path / "share", "https://example.org/images/")
    metadata = tmp_path / "share" / "metainfo" / METADATA.name
    pictures = [image.text or "" for image in ET.parse(metadata).getroot().iter("image")]
    assert pictures == [f"https://example.org/images/{name}" for name in SCREENSHOTS]
    assert all((SHARE.parents[2] / "docs" / "images" / name).exists() for name in SCREENSHOTS)
    assert "successful" in tool("appstreamcli", "validate", "--no-net", metadata)


def test_session_files_have_a_type(tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    shutil.copy(SHARE / "mime" / "packages" / f"{APPLICATION_ID}.xml", tmp_path / "packages")
    tool("update-mime-database", tmp_path)
    assert "application/x-stemmata-session:*.jsonl" in (tmp_path / "globs2").read_text()
    assert "application/x-stemmata-session" in ENTRY.read_text(encoding="utf-8")


def test_the_manual_names_every_command() -> None:
    text = texts()["man/man1/stemmata.1"]
    assert {name.replace("-", "\\-") for name in program.commands} <= {*re.findall(r'\.SS "stemmata (\S+)', text)}
    tool("man", "--warnings", "-l", "-Tutf8", SHARE / "man/man1/stemmata.1")


@pytest.mark.parametrize(
    ("words", "completed"),
    [("stemmata ses", "sessions"), ("stemmata import --fo", "--follow"), ("stemmata skills --", "--json")],
)
def test_a_shell_completes_commands_and_options(words: str, completed: str) -> None:
    asked = {"_STEMMATA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    ran = subprocess.run(
        [sys.executable, "-m", "stemmata"],
        env={**os.environ, **asked, "PYTHONPATH": str(SHARE.parents[2] / "app")},
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert f"plain,{completed}" in ran.stdout.splitlines()


# -- the shells themselves, where they are installed -----------------------------------------------------------------

SHELLS = {
    "bash": (
        "--norc",
        """
        . $SHARE/bash-completion/completions/stemmata
        COMP_WORDS=(stemmata ses) COMP_CWORD=1
        _stemmata_completion stemmata
        echo "${COMPREPLY[@]}"
        """,
    ),
    "fish": (
        "--no-config",
        """
        source $SHARE/fish/vendor_completions.d/stemmata.fish
        complete -C "stemmata ses"
        """,
    ),
    "zsh": (  # in a terminal of its own, where Tab is pressed
        "-f",
        """
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "fpath=($SHARE/zsh/site-functions \\$fpath); autoload -Uz compinit; compinit -u -D; print rea''dy"
        zpty -r z out "*ready*"
        zpty -w -n z "stemmata ses\t"
        zpty -r z out "*sessions*"
        print -r -- "$out"
        """,
    ),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_completes(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = tmp_path / "bin" / "stemmata"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={SHARE.parents[2] / "app"} exec {sys.executable} -m stemmata "$@"\n')
    program.chmod(0o755)
    option, script = SHELLS[shell]
    (tmp_path / "ask").write_text(script)
    own = {"HOME": str(tmp_path), "PATH": f"{program.parent}:{os.environ['PATH']}", "SHARE": str(SHARE)}
    ran = subprocess.run(
        [shell, option, str(tmp_path / "ask")], env=own | {"TERM": "dumb"}, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert "sessions" in ran.stdout, ran.stdout + ran.stderr


# -- the service -----------------------------------------------------------------------------------------------------


SESSION = """\
{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/tmp"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":\
{"role":"user","content":[{"type":"text","text":"Hi"}],"timestamp":1767225601000}}
"""


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The service as *Install for this user* writes it."""
    share = UserDesktopFiles({"XDG_DATA_HOME": str(tmp_path / "share"), "XDG_DATA_DIRS": str(tmp_path)}).install()
    return share / "systemd" / "user" / "stemmata-follow.service"


def test_systemd_accepts_the_service(unit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    assert tool("systemd-analyze", "--user", "verify", "--man=no", unit) == ""


def test_the_program_of_the_service_follows_until_it_is_told_to_end(unit: Path, profile: Path) -> None:
    """It is run as systemd would, and ended with the signal that the service names."""
    settings = configparser.RawConfigParser()
    settings.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    settings.read(unit)
    service = settings["Service"]
    folder = profile / ".pi" / "agent" / "sessions" / "--home--"
    folder.mkdir(parents=True)
    command = [word.replace("%%", "%") for word in shlex.split(service["ExecStart"])]
    environment = os.environ | {"PYTHONPATH": str(SHARE.parents[2] / "app"), "PYTHONUNBUFFERED": "1"}
    (folder / "one.jsonl").write_text(SESSION)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        assert ran.stderr.readline()  # what is followed
        (folder / "two.jsonl").write_text(SESSION.replace("s1", "s2").replace("Hi", "Second"))
        assert "Second" in next(line for line in ran.stdout if "Hi" not in line)
        ran.send_signal(getattr(signal, service["KillSignal"]))
        assert ran.wait(60) in (0, 130)

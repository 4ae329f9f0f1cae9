"""The files for desktops follow from the program, and the tools of desktops accept them."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from builds.desktop_files import SHARE, SIZES, texts
from stemmata import APPLICATION_ID, __version__
from stemmata.cli.program import program

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

"""The files of the translators: brought up to date by lupdate, compiled by lrelease."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from tests.translations.messages import Message, messages

FOLDER = Path(__file__).parents[2] / "resources" / "i18n"
SOURCE = "en"
LANGUAGES = (SOURCE, "de")


def update(path: Path, code: str) -> None:
    """Texts that are new come in unfinished, those that are gone go; the source language has plurals only."""
    with tempfile.TemporaryDirectory(prefix="stemmata-lupdate-") as folder:
        listed = Path(folder) / "messages.py"
        listed.write_text("".join(_lines(messages())), encoding="utf-8")
        only = ["-pluralonly"] if code == SOURCE else []
        _run(
            "pyside6-lupdate", listed, "-silent", "-no-obsolete", "-locations", "none", *only,
            "-source-language", SOURCE, "-target-language", code, "-ts", path,
        )  # fmt: skip


def compile_to(path: Path, target: Path) -> None:
    _run("pyside6-lrelease", path, "-silent", "-qm", target)


def unfinished(path: Path) -> list[str]:
    """Texts without a translation that somebody has looked at."""
    out = []
    for message in ElementTree.parse(path).iter("message"):
        found = message.find("translation")
        assert found is not None
        forms = found.findall("numerusform") or [found]
        if found.get("type") == "unfinished" or not all(form.text for form in forms):
            out.append(message.findtext("source") or "")
    return out


def _lines(found: Iterable[Message]) -> Iterable[str]:
    yield "from PySide6.QtCore import QCoreApplication\n"
    for message in found:
        words = (
            [message.context, message.text, message.comment] if message.comment else [message.context, message.text]
        )
        given = [json.dumps(word, ensure_ascii=False) for word in words]
        if message.plural:
            given += ["1"] if message.comment else ["None", "1"]
        yield f"QCoreApplication.translate({', '.join(given)})\n"


def _run(tool: str, *arguments: str | Path) -> None:
    """One of PySide's tools, from the environment this runs in."""
    program = Path(sysconfig.get_path("scripts")) / (tool + (".exe" if sys.platform == "win32" else ""))
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{tool} failed: {done.stdout}{done.stderr}")

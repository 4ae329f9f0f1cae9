"""The guards of `tests/conftest.py` do fail a test that deserves it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

PREAMBLE = """
import logging, os, threading, time
from pathlib import Path
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QLabel
import tests.conftest
tests.conftest.GRACE = 0.1
kept = []
"""
BAD = {
    "log": "def test(): logging.getLogger('x').warning('no')",
    "log_after_watching": """
def test(caplog):
    with caplog.at_level(logging.WARNING): logging.getLogger('x').warning('yes')
    logging.getLogger('x').warning('no')""",
    "qt_message": "def test(qapp): qWarning('no')",
    "thread": "def test(): threading.Thread(target=time.sleep, args=(1,), daemon=True).start()",
    "widget": "def test(qapp): kept.append(QLabel('no'))",
    "timer": "def test(qapp): kept.append(QTimer()); kept[-1].start(5000)",
    "slot": """
def test(qtbot):
    QTimer.singleShot(0, lambda: 1 / 0)
    qtbot.wait(20)""",
    "warning": "def test():\n    import warnings\n    warnings.warn('no')",
}
GOOD = {
    "watched_log": """
def test(caplog):
    with caplog.at_level(logging.WARNING): logging.getLogger('x').warning('yes')
    assert 'yes' in caplog.text""",
    "short_thread": "def test(): threading.Thread(target=time.sleep, args=(0.01,)).start()",
    "closed_widget": """
def test(qtbot):
    label = QLabel('yes')
    QTimer(label).start(5)
    qtbot.addWidget(label)
    label.show()""",
    "forgotten_widget": "def test(qapp): QLabel('yes').show()",
    "stopped_timer": "def test(qapp): kept.append(QTimer()); kept[-1].start(5000); kept[-1].stop()",
    "profile": "def test(profile): assert Path.home() == profile and 'STEMMATA_STORE' not in os.environ",
}


def verdicts(folder: Path, cases: dict[str, str]) -> dict[str, bool]:
    """Run each case as a test under our conftest; return True for each that passed with its set-up and tear-down."""
    file = folder / "test_cases.py"
    code = (case.replace("def test(", f"def test_{name}(") for name, case in cases.items())
    file.write_text("\n".join([PREAMBLE, *code]), encoding="utf-8")
    command = ["-m", "pytest", "-p", "tests.conftest", "-c", "pyproject.toml", "--rootdir=.", "--tb=no", "-q", "-rfE"]
    run = subprocess.run([sys.executable, *command, str(file)], capture_output=True, text=True, check=False, cwd=ROOT)
    bad = re.findall(r"^(?:FAILED|ERROR) .*?::test_(\w+)", run.stdout, re.MULTILINE)
    assert re.search(r"\d+ (passed|failed|error)", run.stdout), run.stdout + run.stderr
    return {name: name not in bad for name in cases}


@pytest.fixture(autouse=True)
def _foreign_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMATA_STORE", "/somebody's/archive.db")


def test_what_deserves_it_fails(tmp_path: Path) -> None:
    assert verdicts(tmp_path, BAD) == dict.fromkeys(BAD, False)


def test_what_is_right_passes(tmp_path: Path) -> None:
    assert verdicts(tmp_path, GOOD) == dict.fromkeys(GOOD, True)

from __future__ import annotations

import logging
import stat
import time
from pathlib import Path

import pytest

from stemmata.system import logs as logs_module
from stemmata.system.logs import REMOVED, Logs, redact

KEY = "sk-ant-api03-Zm9vYmFyYmF6-QUX_1234567890"
SECRETS = [
    KEY,
    f"key {KEY} was refused",
    "x-api-key: 0123456789abcdef",
    '{"api_key": "0123456789abcdef", "model": "m"}',
    "{'authorization': b'Bearer abcdef0123456789'}",
    "Authorization: Bearer abcdef0123456789",
    "curl -H 'authorization: basic dXNlcjpwYXNz'",
    "ANTHROPIC_API_KEY=0123456789abcdef",
    "refresh_token=0123456789abcdef&x=1",
    "password = hunter22",
    "ghp_0123456789abcdefABCDEF",
    "AIzaSyA0123456789abcdefghijkl",
    "AKIA0123456789ABCDEF",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "postgresql://me:opensesame@host/stemmata",
]
VALUES = ["Zm9v", "0123456789", "abcdef0123", "dXNl", "hunter22", "eyJzdW", "opensesame"]
HARMLESS = [
    "input_tokens: 1234, max_tokens=8000",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "https://example.org/a:b",
    "the bearer of news",
    "opened session 6f1c2d (14,179 entries) in 25 ms",
]


@pytest.fixture
def logger() -> logging.Logger:
    return logging.getLogger("stemmata.test")


@pytest.fixture(autouse=True)
def _watch(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_taken_out(text: str) -> None:
    cleaned = redact(text)
    assert REMOVED in cleaned
    assert not [value for value in VALUES if value in cleaned]


@pytest.mark.parametrize("text", HARMLESS)
def test_all_else_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("part", ["a", "secret", "eyJ-", "sk-", "://a:", "api-key ", "eyJaaaaaaaaa.", "bearer "])
def test_long_lines_are_redacted_in_linear_time(part: str) -> None:
    text = part * (200_000 // len(part))
    start = time.thread_time()  # its own: others may want the processor
    redact(text)
    assert time.thread_time() - start < 2


def test_the_file_is_private_and_redacted(tmp_path: Path, logger: logging.Logger) -> None:
    path = tmp_path / "a.log"
    logs = Logs(path)
    try:
        try:
            raise ValueError(KEY)
        except ValueError:
            logger.exception("with %s", KEY)
        logger.info("lone surrogate \ud800")
        logger.debug("too much")
    finally:
        logs.close()
    text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in text
    assert text.count(REMOVED) == 2
    assert "\\ud800" in text
    assert "too much" not in text


def test_the_file_is_rotated_and_stays_private(
    tmp_path: Path, logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs_module, "MAX_BYTES", 1000)
    logs = Logs(tmp_path / "a.log")
    for _ in range(100):
        logger.info("x" * 100)
    logs.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["a.log", "a.log.1", "a.log.2", "a.log.3"]
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


@pytest.mark.parametrize(("verbose", "seen"), [(0, "w"), (1, "wi"), (2, "wid"), (7, "wid")])
def test_stderr_says_as_much_as_asked(
    logger: logging.Logger, capsys: pytest.CaptureFixture[str], verbose: int, seen: str
) -> None:
    logs = Logs(verbose=verbose)
    logger.warning("[w]")
    logger.info("[i]")
    logger.debug("[d]")
    logs.close()
    said = capsys.readouterr().err
    assert "".join(letter for letter in "wid" if f"[{letter}]" in said) == seen


def test_a_file_that_cannot_be_opened_costs_only_the_file(
    tmp_path: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = Logs(tmp_path / "absent" / "a.log")
    logger.warning("still here")
    logs.close()
    said = capsys.readouterr().err
    assert "Could not open the log file" in said
    assert "still here" in said


def test_closing_puts_logging_back(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    logs = Logs(tmp_path / "a.log", verbose=2)
    assert root.level == logging.DEBUG
    logs.close()
    assert (root.level, root.handlers) == before

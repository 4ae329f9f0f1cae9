"""The results of searches and test runs in a few words, such as `12 matches` or `38 passed`."""

from __future__ import annotations

import re

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.outcomes import details_of
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

END = 4000  # characters at the end of an output that are looked at
_NOTHING = re.compile(r"\(?no (?:matches|files|results)", re.IGNORECASE)
_NOTE = re.compile(r"\[.*\]|\(?results? (?:are )?(?:truncated|limited)|found \d+ ", re.IGNORECASE)
_FILES = frozenset({"glob", "find", "file_search", "list_files", "ls"})
_SUMMARY = re.compile(
    r"=* ?(?:\d+ \w+, )*\d+ (?:passed|failed)\b.* in [\d.]+ ?s"  # pytest
    r"|\s*Tests:?\s+.*\b\d+ (?:passed|failed)\b"  # Jest, Vitest
    r"|test result: "  # Cargo
    r"|\s*\d+ (?:passing|failing)\b"  # Mocha
)
_COUNT = re.compile(r"(\d{1,9}) (pass|fail)(?:ed|ing)\b")


def found_words(tool: str, answer: LoadedEntry) -> str:
    """Return how much a search found, such as `5 files` or `12 matches`; "" when it is unknown."""
    details = details_of(answer.body.details)
    for name, words in (("numMatches", _matches), ("numLines", _matches), ("numFiles", _files)):
        count = details.get(name)
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0 and (count or name == "numFiles"):
            return words(count)
    text = plain_text(answer.body.blocks).strip()
    if answer.body.cut or not text:
        return ""
    if _NOTHING.match(text):
        return tr("nothing found")
    count = sum(bool(line.strip()) and not _NOTE.match(line) for line in text.splitlines())
    return _files(count) if tool.lower() in _FILES else _matches(count)


def verdict(text: str) -> tuple[int, int] | None:
    """Return the numbers of passed and failed tests from the summaries at the end of an output; None without one."""
    passed = failed = 0
    seen = False
    for line in text[-END:].splitlines():
        if _SUMMARY.match(line[:400]):
            for count, how in _COUNT.findall(line[:400]):
                seen = True
                passed += int(count) if how == "pass" else 0
                failed += int(count) if how == "fail" else 0
    return (passed, failed) if seen else None


def verdict_words(passed: int, failed: int) -> str:
    """Return the result of a test run in words, such as `38 passed · 3 failed`."""
    words = [tr("%Ln passed", None, passed)] if passed or not failed else []
    return " · ".join([*words, tr("%Ln failed", None, failed)] if failed else words)


def _matches(count: int) -> str:
    return tr("%Ln matches", None, count)


def _files(count: int) -> str:
    return tr("%Ln files", None, count)

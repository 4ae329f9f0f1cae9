"""Real and public databases of opencode: what they show, what opencode hides, and the figures of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Flag, Kind
from stemmata.formats.opencode.reader import Opencode
from tests.fakes import opencode as fake
from tests.unit.formats.opencode.reading import LATER, read

MAIN, FORK, REVERTED, CHILD = (
    f"ses_dfbb{id}"
    for id in ("51194ffe75qFA7sNgp97d5", "4b279ffeQ2b3Raa6yTFVCc", "4a8b1ffeF4AJYWbcurV9ED", "4858affeyp7sO7X0Kkr3cy")
)
YEARS = 10 * 365 * 86400 * 1_000_000_000  # ns


@pytest.fixture
def folder(samples: Path) -> Path:
    return samples / "opencode"


def test_every_row_has_its_place(folder: Path) -> None:
    for path in sorted(folder.glob("*.db")):
        assert Opencode().sniff(path.read_bytes()[:100], path)
        assert fake.lost(path, Opencode(lambda: LATER + YEARS).read(path, None)) == []


def test_what_todays_opencode_hides_is_shown(folder: Path) -> None:
    reading = read(folder / "opencode_1.18.33.db", now=LATER + YEARS)
    assert list(reading.sessions) == [MAIN, FORK, REVERTED, f"{MAIN}/{CHILD}"]
    assert reading.unused == []
    assert all(one.skipped == [] for one in reading.sessions.values())
    main, fork, reverted = (reading.sessions[id] for id in (MAIN, FORK, REVERTED))
    said = {main.said(id): id for id in main.entries}
    removed, instead = said["Reply with one word: three"], said["Reply with one word: instead-of-three"]
    assert main.entries[removed].parent == main.entries[instead].parent  # opencode has deleted the first
    [compaction] = [entry for entry in main.entries.values() if entry.kind is Kind.COMPACTION]
    assert compaction.usage is not None
    assert main.end.leaf == list(main.entries)[-1]
    assert fork.begin.info.parent_source_id == MAIN
    assert sum(id in main.entries for id in fork.entries) == 6  # two prompts, three replies, a result
    assert reverted.said(str(reverted.end.leaf)).startswith("Answer 15")
    assert len(reverted.entries) == 6
    [result] = [entry for entry in main.entries.values() if entry.tool]
    assert (result.tool, result.flags) == ("glob", Flag.FAILED)
    calls = [block.id for entry in main.entries.values() for block in entry.blocks if isinstance(block, ToolCall)]
    assert calls == [result.call]


def test_tokens_are_those_that_opencode_counts(folder: Path) -> None:
    """It sums the tokens of what it still has; those of a fork's copies are not among them."""
    reading = read(folder / "opencode_1.18.33.db", now=LATER + YEARS)
    used = [entry.usage for entry in reading.sessions[REVERTED].entries.values() if entry.usage]
    assert sum(usage.input for usage in used) == 3710
    assert sum(usage.output for usage in used) == 39
    assert sum(usage.cache_read for usage in used) == 3708
    assert {entry.model for entry in reading.sessions[REVERTED].entries.values() if entry.usage} == {"mock"}


def test_older_tables(folder: Path) -> None:
    for name, entries in (("opencode.db", 2), ("git-ai_opencode.db", 3)):
        [one] = read(folder / name, now=LATER + YEARS).sessions.values()
        assert len(one.entries) >= entries
        assert one.skipped == []

"""Older versions of pi files: ids that last, and the words of that time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.entry import Kind, Role
from stemmata.formats.pi.writer import PiWriter
from tests.unit.formats.pi_files import header, old, old_said, read, record, said, shape


def test_version_1_is_chained_with_lasting_ids(tmp_path: Path) -> None:
    source = read(tmp_path, header(None), old_said("1"), old_said("2"), old_said("3"))
    ids = [entry.id for entry in source.entries]
    assert [entry.parent for entry in source.entries] == [None, *ids[:2]]
    assert ids == [entry.id for entry in read(tmp_path, header(None), *map(old_said, "123")).entries]
    assert set(ids).isdisjoint(shape(read(tmp_path, header(None, id="other"), old_said("1"))))
    assert not source.repaired


def test_version_1_counts_the_first_kept_entry_by_record(tmp_path: Path) -> None:
    source = read(
        tmp_path,
        header(None, provider="anthropic", modelId="m", thinkingLevel="off"),
        old_said("1"),
        b"bad line",
        old(message={"role": "hookMessage", "customType": "h", "content": "x", "display": True}),
        old("compaction", summary="one", firstKeptEntryIndex=2, tokensBefore=10),
        old("compaction", summary="two", firstKeptEntryIndex=0, tokensBefore=20),
        old("compaction", summary="three", firstKeptEntryIndex=99),
        old("compaction", summary="four", firstKeptEntryIndex="2"),
    )
    first, hook, one, two, three, four = source.entries
    assert (hook.kind, hook.role, hook.name) == (Kind.MESSAGE, Role.CUSTOM, "h")
    assert one.target == hook.id
    assert [entry.target for entry in (two, three, four)] == [None, None, None]
    assert one.usage is not None
    assert one.usage.context == 10
    assert hook.parent == first.id
    assert '"modelId":"m"' in source.info.details


def test_version_1_ids_are_lengthened_when_they_collide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Digest:
        def __init__(self, data: bytes) -> None:
            self.index = int(data.rpartition(b":")[2])

        def hexdigest(self) -> str:
            return "0" * 9 + f"{self.index:055d}" if self.index < 3 else "f" * 64

    monkeypatch.setattr("stemmata.formats.pi.sequence.hashlib.sha256", Digest)
    monkeypatch.setattr("stemmata.formats.shared.source_file.hashlib.sha256", Digest, raising=False)
    from stemmata.formats.pi.sequence import PiIds

    ids = PiIds("s")
    for size in range(8, 65):
        ids.claim("f" * size)
    assert [ids.make(1), ids.make(2)] == ["0" * 8, "0" * 9]
    assert ids.make(3) == "f" * 64 + "~2"
    assert ids.made(2) == "0" * 9
    assert ids.made(7) is None


@pytest.mark.parametrize(("version", "migrated"), [(1, True), (0, True), (2, False), (7, False), ("3", False)])
def test_versions(tmp_path: Path, version: Any, migrated: bool) -> None:
    source = read(tmp_path, header() | {"version": version}, said("a", None), said("b", None))
    assert ("a" not in shape(source)) == migrated


@pytest.mark.parametrize("version", [1, 2, 3])
def test_older_versions_say_hook_message(tmp_path: Path, version: int) -> None:
    """Version 3 does not use this role, but pi copies older records below a header of version 3."""
    hook = record("message", "a", None, message={"role": "hookMessage", "customType": "h", "content": "x"})
    source = read(tmp_path, header(version), hook)
    assert source.entries[0].role is Role.CUSTOM
    written = b"".join(PiWriter().export(source)).splitlines()
    assert version < 3 or json.loads(written[1])["message"]["role"] == "custom"


def test_a_copy_below_a_newer_header_is_brought_up_to_date(tmp_path: Path) -> None:
    """pi 0.58 forks a file of version 1 in this way, and then sees no entries."""
    copied = [old_said("1"), old_said("2"), old("compaction", summary="s", firstKeptEntryIndex=2, tokensBefore=1)]
    for version in (2, 3):
        source = read(tmp_path, header(version), *copied)
        assert source.entries[2].target == source.entries[1].id
        written = [json.loads(line) for line in b"".join(PiWriter().export(source)).splitlines()]
        assert [entry["id"] for entry in written[1:]] == [entry.id for entry in source.entries]
        assert [entry["parentId"] for entry in written[1:]] == [None, *(entry.id for entry in source.entries[:2])]
        assert (written[3]["firstKeptEntryId"], "firstKeptEntryIndex" in written[3]) == (source.entries[1].id, False)


def test_a_count_that_leads_nowhere_is_left_in_a_newer_file(tmp_path: Path) -> None:
    odd = record("compaction", "b", "a", summary="s", firstKeptEntryIndex=1, tokensBefore=1)
    source = read(tmp_path, header(), said("a", None), odd)
    assert source.entries[1].target is None
    assert b"".join(PiWriter().export(source)) == source.source_bytes

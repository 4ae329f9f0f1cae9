"""A file of many sessions that was copied or touched is known by its bytes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from stemmata.domain.errors import NotFoundError
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared.file_digest import digest_checkpoint, has_digest_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "conversations.json"
    path.write_bytes(b"[{}]" * 400_000)
    return path


def test_a_touched_file_is_unchanged_by_its_digest(path: Path) -> None:
    known = digest_checkpoint(path)
    assert known.size == path.stat().st_size
    os.utime(path, (1, 1))
    formats = standard_formats(path.parent, {})
    assert has_digest_of(known, path)
    assert formats.is_unchanged(path, known)
    assert not formats.is_unchanged(path, replace(known, state="{}"))


def test_other_bytes_of_the_same_size_are_a_change(path: Path) -> None:
    known = digest_checkpoint(path)
    path.write_bytes(b"[{}]" * 399_999 + b"[[]]")
    assert not has_digest_of(known, path)


def test_a_checkpoint_that_the_archive_has_withdrawn_does_not_count(path: Path) -> None:
    assert not has_digest_of(replace(digest_checkpoint(path), mtime=0), path)


def test_a_file_that_is_gone_has_no_digest(path: Path) -> None:
    known = digest_checkpoint(path)
    path.unlink()
    assert not has_digest_of(known, path)
    with pytest.raises(NotFoundError):
        digest_checkpoint(path)

"""Files that are no sessions, or broken ones: a clear message or a report, and an archive that is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.bootstrap.core import Core, open_core
from stemmata.system.settings.settings import load

HEADER = b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'
USER = (
    b'{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-01-01T00:00:01.000Z",'
    b'"message":{"role":"user","content":"hi"}}\n'
)


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Core]:
    made = open_core(tmp_path / "archive" / "a.db", load(tmp_path / "none.toml"))
    yield made
    assert made.services.sessions.check().result() == []
    made.close()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"\n\n  \n", "empty"),
        (bytes(range(256)) * 50, "binary"),
        (b"just some prose\nand more of it\n", "supported tool"),
        (b"{}\n", "supported tool"),
        (b"[1,2,3]\n", "supported tool"),
        (b'{"type":"message","id":"a"}\n', ""),
        (b"\xff\xfe\x00{", ""),
    ],
)
def test_no_session_at_all(core: Core, tmp_path: Path, data: bytes, word: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    report = core.services.importing.import_paths([path]).result()
    assert report.sessions == ()
    assert word in report.skipped_files[0].reason
    assert report.skipped_files[0].path == str(path)
    assert core.services.sessions.all().result() == []
    assert path.read_bytes() == data


def test_a_missing_file_a_folder_without_sessions_and_a_pipe(core: Core, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    empty = tmp_path / "folder"
    empty.mkdir()
    report = core.services.importing.import_paths([tmp_path / "missing", empty, pipe]).result()
    assert len(report.skipped_files) == 3
    assert all(file.reason for file in report.skipped_files)


def test_no_permission(core: Core, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(HEADER)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    report = core.services.importing.import_paths([path]).result()
    assert "permission" in report.skipped_files[0].reason.lower()


def test_cycles_orphans_duplicates_and_nonsense_lines(core: Core, tmp_path: Path) -> None:
    lines = [
        HEADER, USER % (b"a", b'"c"'), USER % (b"b", b'"a"'), USER % (b"c", b'"b"'), USER % (b"o", b'"lost"'),
        USER % (b"a", b"null"), b"nonsense\n", b"\n", b'{"type":"message"', b"\n", b'"text"\n', b"{" * 5000 + b"\n",
        b"[" * 100_000 + b"\n", USER % (b"z\\ud800\\u0000", b'"a"'), USER % (b"last", b'"o"'),
    ]  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(lines))
    [session] = core.services.importing.import_paths([path]).result().sessions
    assert session.entries == 7
    assert len(session.skipped) == 5
    assert len(session.repaired) >= 3
    opened = core.services.sessions.open(session.key).result()
    assert len(opened.tree.roots) >= 2
    assert b"".join(core.store.read(lambda reader: list(reader.raw(session.key))).result()) == path.read_bytes()


@pytest.mark.slow
def test_a_hundred_megabytes_on_one_line(core: Core, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        file.write(HEADER + USER % (b"a", b"null"))
        file.write(b'{"type":"message","id":"big","parentId":"a","message":{"role":"user","content":"')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}}\n' + USER % (b"b", b'"a"'))
    [session] = core.services.importing.import_paths([path]).result().sessions
    assert session.entries == 2
    assert [line.line for line in session.skipped] == [3]
    size = sum(map(len, core.store.read(lambda reader: list(reader.raw(session.key))).result()))
    assert size == path.stat().st_size


def test_every_sample_is_imported_or_refused_in_words(core: Core, samples: Path) -> None:
    for folder in ("claude-code", "pi", "openclaw", "codex", "gemini", "chatgpt", "zed"):
        report = core.services.importing.import_paths([samples / folder]).result()
        assert all(file.reason for file in report.skipped_files)
        assert core.services.sessions.check().result() == []
    again = core.services.importing.import_paths([samples / "claude-code", samples / "pi"]).result()
    assert not any(session.new_entries for session in again.sessions)


def test_every_pi_and_openclaw_sample_comes_back_byte_for_byte(core: Core, samples: Path) -> None:
    for path in sorted((samples / "pi").glob("*.jsonl")) + sorted((samples / "openclaw").glob("*.jsonl")):
        [session] = core.services.importing.import_paths([path]).result().sessions
        assert core.services.exporting.to_bytes(session.key, "pi").result() == path.read_bytes()

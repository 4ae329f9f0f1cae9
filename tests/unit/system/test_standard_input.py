from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import TextIO

import pytest

from stemmata.domain.errors import KnownError
from stemmata.formats.shared.source_file import is_session_name
from stemmata.system.paths import Profile
from stemmata.system.standard_input import session_from_standard_input


@pytest.fixture
def chosen(tmp_path: Path) -> Profile:
    return Profile.under(tmp_path / "p")


def piped(data: bytes) -> TextIO:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (b'{"type":"session"}\n{"type":"message"}\n', ".jsonl"),
        (b'{"type":"session"}\n', ".jsonl"),
        (b'{"stemmata": 1,\n"session": {}}', ".json"),
        (b'{\n  "a": 1\n}\n', ".json"),
        (b'[{"a": 1}]', ".json"),
        (b"# Chat\n\n**You**: hello\n", ".md"),
        (b"\xff\xfe", ".md"),
    ],
)
def test_what_is_piped_becomes_a_file_that_formats_recognise(data: bytes, ending: str, chosen: Profile) -> None:
    path = session_from_standard_input(chosen, piped(data))
    assert path.suffix == ending
    assert is_session_name(path.name) is (ending == ".jsonl")
    assert path.read_bytes() == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert session_from_standard_input(chosen, piped(data)) == path
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.parametrize("data", [b"", b" \n\n"])
def test_empty_input_is_refused(data: bytes, chosen: Profile) -> None:
    with pytest.raises(KnownError, match="is empty"):
        session_from_standard_input(chosen, piped(data))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [None, Terminal()])
def test_a_terminal_is_no_session(stream: TextIO | None, chosen: Profile) -> None:
    with pytest.raises(KnownError, match="from another program"):
        session_from_standard_input(chosen, stream)


def test_a_full_or_forbidden_cache_is_told(chosen: Profile) -> None:
    chosen.cache.parent.mkdir()
    chosen.cache.touch()
    with pytest.raises(KnownError, match="Nothing was imported"):
        session_from_standard_input(chosen, piped(b"{}"))

"""What may be opened, and what is said when it may not."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from stemmata.domain.errors import NotFoundError, UnreadableSourceError
from stemmata.formats.shared.source_file import identity, known_read_errors, open_source


def test_a_file_is_opened_for_reading_only(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"content")
    with open_source(path) as file:
        assert file.read() == b"content"
        assert not file.writable()


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="File not found"):
        open_source(tmp_path / "a")


def test_a_name_no_file_can_have_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="Not a valid file name"):
        open_source(Path("a\0b"))


def test_a_folder_is_no_session_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSourceError, match="is a folder"):
        open_source(tmp_path)


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableSourceError, match="not a regular file"):
        open_source(tmp_path / "pipe")


def test_a_socket_and_a_device_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        with pytest.raises(UnreadableSourceError, match="not a regular file"):
            open_source(tmp_path / "s")
    with pytest.raises(UnreadableSourceError, match="not a regular file"):
        open_source(Path(os.devnull))


def test_a_name_that_changes_hands_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    found = path.stat()
    monkeypatch.setattr("stemmata.formats.shared.source_file.os.stat", lambda _path: found)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UnreadableSourceError, match="not a regular file"):
        open_source(path)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (PermissionError(13, "Permission denied"), UnreadableSourceError, "No permission to read"),
        (OSError(5, "Input/output error"), UnreadableSourceError, "Could not read a: Input/output error"),
        (OSError("odd"), UnreadableSourceError, "Could not read a: odd"),
    ],
)
def test_errors_of_the_system_are_known_ones(error: OSError, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words), known_read_errors(Path("a")):
        raise error


def test_the_identity_is_that_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo")
    size, mtime, head = identity(path)
    assert (size, mtime) == (7, path.stat().st_mtime_ns)
    path.write_bytes(b"one\nthree")
    assert identity(path)[2] == head
    path.write_bytes(b"other\ntwo")
    assert identity(path)[2] != head


def test_the_identity_of_a_long_first_line_is_that_of_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 5000)
    head = identity(path)[2]
    path.write_bytes(b"x" * 6000 + b"\n")
    assert identity(path)[2] == head

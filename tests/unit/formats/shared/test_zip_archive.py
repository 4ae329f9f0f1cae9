"""The files of an archive whose list of files is missing are found by the headers before them."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from stemmata.formats.shared import zip_archive
from stemmata.formats.shared.zip_archive import DAMAGE, ZIP, open_zip

LISTLESS = "the list of files at the end of the archive is cut or damaged; the files are read without it"


class Stream(io.BytesIO):
    """A file that cannot be gone back in, so that the sizes of each packed file follow its bytes."""

    def tell(self) -> int:
        raise io.UnsupportedOperation

    def seekable(self) -> bool:
        return False


def packed(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED, is_streamed: bool = False) -> bytes:
    out = Stream() if is_streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def without_list(data: bytes) -> bytes:
    return data[: data.index(b"PK\1\2") + 20]


def files_of(data: bytes) -> tuple[list[tuple[str, bytes]], str]:
    archive, reason = open_zip(io.BytesIO(data))
    with archive:
        return [(one.filename, archive.read(one)) for one in archive.infolist()], reason


FILES = (("a/ä.json", b"x" * 5000), ("empty", b""), ("b.json", bytes(range(256)) * 20))


def test_a_whole_archive_is_read_by_its_list() -> None:
    assert files_of(packed(*FILES)) == (list(FILES), "")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("is_streamed", [False, True])
def test_files_are_found_without_the_list(method: int, is_streamed: bool) -> None:
    data = without_list(packed(*FILES, method=method, is_streamed=is_streamed))
    assert files_of(data) == (list(FILES), LISTLESS)
    end = data[: data.index(b"PK\1\2")]
    assert files_of(end) == (list(FILES), "the archive ends early or is damaged behind b.json")


def test_the_times_of_files_are_kept() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a", (2026, 1, 2, 3, 4, 6)), b"")
    found, _ = open_zip(io.BytesIO(without_list(buffer.getvalue())))
    assert found.infolist()[0].date_time == (2026, 1, 2, 3, 4, 6)


def test_sizes_of_64_bits_behind_a_file_are_passed_over() -> None:
    buffer = Stream()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in "ab":
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(b"text " * 100)
    assert files_of(without_list(buffer.getvalue())) == ([("a", b"text " * 100), ("b", b"text " * 100)], LISTLESS)


def header(name: bytes, packed: int, size: int, fields: bytes = b"", flags: int = 0) -> bytes:
    numbers = (20, flags, zipfile.ZIP_STORED, 0, 33, 0, packed, size, len(name), len(fields))
    return ZIP + struct.pack("<5H3I2H", *numbers) + name + fields


def test_sizes_of_64_bits_in_a_header_are_used() -> None:
    fields = struct.pack("<2HH", 9, 2, 0) + struct.pack("<2H2Q", 1, 16, 7, 5)
    data = header(b"a", 0xFFFF_FFFF, 0xFFFF_FFFF, fields) + b"12345" + header(b"b", 3, 3) + b"123"
    archive, reason = open_zip(io.BytesIO(data))
    assert [(one.filename, one.file_size, one.compress_size) for one in archive.infolist()] == [
        ("a", 7, 5), ("b", 3, 3),
    ]  # fmt: skip
    assert reason == "the archive ends early or is damaged behind b"


@pytest.mark.parametrize(
    "start",
    [
        header(b"a", 100, 100) + b"12",
        header(b"a", 0xFFFF_FFFF, 0xFFFF_FFFF, struct.pack("<2H", 1, 0)) + b"12",
        header(b"a", 0, 0, flags=8) + b"12" + b"PK\7\x08" + bytes(8) + b"9" * 40,
    ],
)
def test_the_last_file_may_be_incomplete(start: bytes) -> None:
    archive, reason = open_zip(io.BytesIO(header(b"first", 2, 2) + b"ab" + start))
    assert reason == "the archive ends early, inside a"
    assert archive.read(archive.infolist()[-1]).startswith(b"12")


def test_a_checksum_behind_a_file_is_compared() -> None:
    data = without_list(packed(("a", b"x" * 100), method=zipfile.ZIP_STORED, is_streamed=True))
    archive, _ = open_zip(io.BytesIO(data.replace(b"x" * 100, b"y" * 100)))
    with pytest.raises(zipfile.BadZipFile, match="CRC"):
        archive.read(archive.infolist()[0])


@pytest.mark.parametrize("at", [5, 14, 15, 16, 17, 30])
def test_sizes_at_the_border_of_two_blocks_are_found(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    data = without_list(packed(("a", b"0123456789"), ("b", b"1"), method=zipfile.ZIP_STORED, is_streamed=True))
    monkeypatch.setattr(zip_archive, "_BLOCK", at)
    assert files_of(data) == ([("a", b"0123456789"), ("b", b"1")], LISTLESS)


@pytest.mark.parametrize("data", [ZIP + b"no archive", packed(*FILES)[:20]], ids=["no archive", "cut"])
def test_an_archive_without_any_file_is_damaged(data: bytes) -> None:
    with pytest.raises(DAMAGE):
        open_zip(io.BytesIO(data))


def test_no_more_files_than_the_limit_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "MOST_FILES", 3)
    found, _ = files_of(without_list(packed(*((str(at), b"") for at in range(10)))))
    assert [name for name, _ in found] == ["0", "1", "2", "3"]


def test_a_name_in_no_known_encoding_loses_no_other_file() -> None:
    data = header(b"\xff\xfe", 1, 1, flags=1 << 11) + b"1" + header(b"b", 0, 0)
    archive, _ = open_zip(io.BytesIO(data))
    assert [one.filename for one in archive.infolist()] == ["\ufffd\ufffd", "b"]
    assert archive.read(archive.infolist()[1]) == b""

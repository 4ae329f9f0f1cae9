"""Ways in which a ZIP archive goes wrong: tricks with paths and sizes, bombs, a broken central directory."""

from __future__ import annotations

import io
import lzma
import warnings
import zipfile
import zlib
from collections.abc import Callable
from random import Random

from stemmata.formats.shared.zip_archive import open_zip
from tests.fuzz.mutations import mutations

_PATHS = (
    "../{}", "../../../../etc/{}", "/{}", "C:\\{}", "..\\{}", "a/../{}", "./{}", "{}/", "a" * 300 + "/{}", "\u202e{}",
    "a\0{}", "con/{}", "//server/{}",
)  # fmt: skip
_DIRECTORY = b"PK\1\2"
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, ValueError, EOFError, OSError,
)  # fmt: skip
_END = b"PK\5\6"
_MOST_READ = 10_000_000  # bytes


def damages() -> dict[str, Callable[[Random, bytes], bytes]]:
    return {
        "document changed": _document_changed,
        "path trick": lambda random, data: _zipped(
            [(random.choice(_PATHS).format(name), inner) for name, inner in documents_of(data)]
        ),
        "path twice": lambda random, data: _zipped([*documents_of(data), *documents_of(data)]),
        "bomb": _bomb,
        "archive in an archive": lambda random, data: _zipped([("export.zip", data), *documents_of(data)]),
        "other packing": lambda random, data: _zipped(
            documents_of(data), random.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        ),
        "central directory": _directory_spoilt,
        "end of the directory": _end_spoilt,
        "local headers": _header_spoilt,
        "before the archive": lambda random, data: data[:4] + random.randbytes(random.choice((1, 100))) + data,
        "link": _link,
    }


def documents_of(data: bytes) -> list[tuple[str, bytes]]:
    """Return names and contents of the files that can be unpacked."""
    try:
        archive, _ = open_zip(io.BytesIO(data))
    except _DAMAGE:
        return []
    with archive:
        return [(member.filename, inner) for member in archive.infolist() if (inner := _read(archive, member))]


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the first bytes of a file; none of a damaged one. The size in the list of the archive may be spoilt."""
    try:
        with archive.open(member) as packed:
            return packed.read(_MOST_READ)
    except _DAMAGE:
        return b""


def _zipped(files: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def _document_changed(random: Random, data: bytes) -> bytes:
    files = documents_of(data) or [("conversations.json", b"[]")]
    at = random.randrange(len(files))
    change = random.choice(list(mutations().values()))
    files[at] = (files[at][0], change(random, files[at][1]))
    return _zipped(files)


def _bomb(random: Random, data: bytes) -> bytes:
    """Return an archive whose document, or another file, unpacks to very much more."""
    name = random.choice(("conversations.json", "other.json"))
    filler = random.choice((b" ", b"\0", b"[", b'["",')) * random.choice((3_000_000, 20_000_000))
    return _zipped([(name, b"[" + filler), *documents_of(data)])


def _spoilt(random: Random, data: bytes, start: int, size: int) -> bytes:
    """Return the bytes with one or more of a part replaced."""
    out = bytearray(data)
    for _ in range(random.choice((1, 2, 5))):
        at = start + random.randrange(size)
        if at < len(out):
            out[at] = random.choice((0, 1, 8, 0x7F, 0xFF, random.randrange(256)))
    return bytes(out)


def _directory_spoilt(random: Random, data: bytes) -> bytes:
    start = data.find(_DIRECTORY)
    return _spoilt(random, data, max(start, 0), 60) if random.random() < 0.8 else data[: max(start, 1)]


def _end_spoilt(random: Random, data: bytes) -> bytes:
    start = data.rfind(_END)
    return _spoilt(random, data, max(start, 0), 22)


def _header_spoilt(random: Random, data: bytes) -> bytes:
    return _spoilt(random, data, 4, 44)


def _link(random: Random, data: bytes) -> bytes:
    """Return an archive in which the document is a symbolic link."""
    out = io.BytesIO()
    member = zipfile.ZipInfo("conversations.json")
    member.external_attr = 0o120777 << 16
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(member, random.choice(("/etc/passwd", "../../conversations.json")))
    return out.getvalue()

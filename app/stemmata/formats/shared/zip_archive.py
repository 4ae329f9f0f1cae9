"""Open a ZIP archive, also one whose end is missing, as after a download that was interrupted.

The end of an archive lists its files. Without this list they are found one after the other: each file has a header of
its own before its bytes.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from typing import BinaryIO

ZIP = b"PK\x03\x04"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
MOST_FILES = 100_000
_BLOCK = 1 << 18
_HEADER = struct.Struct("<4s5H3I2H")
_SIZES_BEHIND, _UTF8 = 1 << 3, 1 << 11  # flags of a header
_LARGE = 0xFFFF_FFFF  # stands for a size of 64 bits, which is in the field of this number:
_LARGE_FIELD = 1
_UNKNOWN = 1 << 62  # bytes; reading ends at the end of the packed bytes
_BEHIND = b"PK\x07\x08"  # precedes the checksum and the sizes that follow a file's bytes, 16 or 24 bytes altogether
_LIST, _NO_FILES = b"PK\x01\x02", b"PK\x05\x06" + bytes(18)


def open_zip(file: BinaryIO) -> tuple[zipfile.ZipFile, str]:
    """Open an archive. Returns also why its end is missing, "" for a whole archive.

    The last file of an archive that is cut may be incomplete: its bytes end where the archive ends. Raises one of
    DAMAGE when no file is found.
    """
    try:
        return zipfile.ZipFile(file), ""
    except DAMAGE:
        members, reason = _found(file)
        if not members:
            raise
    archive = zipfile.ZipFile(io.BytesIO(_NO_FILES))
    archive.fp, archive.filelist = file, members
    return archive, reason


def _found(file: BinaryIO) -> tuple[list[zipfile.ZipInfo], str]:
    """Return the files whose headers follow each other from the start, and what is wrong behind them."""
    members: list[zipfile.ZipInfo] = []
    end, at, where = file.seek(0, os.SEEK_END), 0, ""
    while len(members) <= MOST_FILES:
        file.seek(at)
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or not header.startswith(ZIP):
            break
        member, start = _member(file, header, at)
        at = _end_of(file, member, start)
        members.append(member)
        if at > end:
            del member.CRC
            member.compress_size = end - start
            return members, f"the archive ends early, inside {member.filename}"
        where = f"behind {member.filename}"
    if header.startswith(_LIST):
        return members, "the list of files at the end of the archive is cut or damaged; the files are read without it"
    return members, f"the archive ends early or is damaged {where}"


def _member(file: BinaryIO, header: bytes, at: int) -> tuple[zipfile.ZipInfo, int]:
    """Return what the header at a place says of its file, and where the file's bytes start."""
    _, _, flags, method, time, date, checksum, packed, size, name_size, fields_size = _HEADER.unpack(header)
    name = file.read(name_size).decode("utf-8" if flags & _UTF8 else "cp437", "replace")
    day = (date >> 9) + 1980, date >> 5 & 15, date & 31
    member = zipfile.ZipInfo(name, (*day, time >> 11, time >> 5 & 63, (time & 31) * 2))
    member.header_offset, member.flag_bits, member.compress_type = at, flags, method
    member.compress_size, member.file_size = packed, size
    member.CRC = checksum
    fields = file.read(fields_size)
    if packed == _LARGE:
        member.file_size, member.compress_size = _large_sizes(fields)
    return member, at + _HEADER.size + name_size + fields_size


def _large_sizes(fields: bytes) -> tuple[int, int]:
    """Return the unpacked and the packed size from the fields of a header; unknown ones if they are not there."""
    while len(fields) >= 4:
        kind, size = struct.unpack_from("<2H", fields)
        if kind == _LARGE_FIELD and size >= 16 and len(fields) >= 20:
            return struct.unpack_from("<2Q", fields, 4)
        fields = fields[4 + size :]
    return _UNKNOWN, _UNKNOWN


def _end_of(file: BinaryIO, member: zipfile.ZipInfo, start: int) -> int:
    """Return the place behind a file, whose bytes start at `start`. If they tell its sizes, the member gets them."""
    if not member.flag_bits & _SIZES_BEHIND:
        return start + member.compress_size
    member.file_size = _UNKNOWN
    held, at = b"", start  # the bytes searched, and their place
    file.seek(start)
    while block := file.read(_BLOCK):
        held += block
        found = held.find(_BEHIND)
        while 0 <= found <= len(held) - 16:
            checksum, packed = struct.unpack_from("<2I", held, found + 4)
            if packed == (at + found - start) & _LARGE:
                member.CRC, member.compress_size = checksum, at + found - start
                return _next_header(file, at + found)
            found = held.find(_BEHIND, found + 1)
        at, held = at + max(0, len(held) - 15), held[-15:]
    return _UNKNOWN


def _next_header(file: BinaryIO, at: int) -> int:
    """Return the place behind the sizes that begin at a place: those of a large file have 64 bits."""
    file.seek(at + 16)
    following = file.read(10)
    return at + (24 if following[8:] == ZIP[:2] and following[:2] != ZIP[:2] else 16)

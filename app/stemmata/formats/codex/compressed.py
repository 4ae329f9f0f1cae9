"""Open a rollout that may be compressed with Zstandard (`.jsonl.zst`), as Codex stores older ones."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

import zstandard

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.source_file import open_source

SIGNATURE = b"\x28\xb5\x2f\xfd"
MOST_BYTES = 64 << 30  # unpacked
_PIECE = 1024  # packed bytes that are unpacked at once: at most 32 MiB come out of them


class Unpacked(io.RawIOBase):
    """The unpacked bytes of a file. A damaged file ends where the damage begins, and `is_damaged` is true then."""

    def __init__(self, file: BinaryIO, path: Path, most: int) -> None:
        super().__init__()
        self.is_damaged = False
        self._file, self._path, self._most = file, path, most
        self._unpacker = zstandard.ZstdDecompressor().decompressobj()
        self._inside = False  # whether a frame has begun and not ended
        self._ready = b""
        self._taken = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, and b"" at the end."""
        while not self._ready and (packed := self._file.read(_PIECE)):
            self._ready = self._unpacked(packed)
            self._taken += len(self._ready)
            if self._taken > self._most:
                raise UnreadableSourceError(
                    Phrase(
                        "{0} is too large to be read when it is unpacked. Nothing was imported from it.", self._path
                    )
                )
        if not self._ready:
            self.is_damaged |= self._inside
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def _unpacked(self, packed: bytes) -> bytes:
        """Return the content of the packed bytes, which can be the end of one frame and the beginning of the next."""
        out: list[bytes] = []
        try:
            while packed and not self.is_damaged:
                out.append(self._unpacker.decompress(packed))
                packed = self._unpacker.unused_data
                self._inside = not self._unpacker.eof
                if self._unpacker.eof:
                    self._unpacker = zstandard.ZstdDecompressor().decompressobj()
        except zstandard.ZstdError:
            self.is_damaged = True
        return b"".join(out)

    def seek(self, offset: int, _whence: int = 0) -> int:
        """Move forward by `offset` bytes; a packed file is read from its start to its end."""
        at = 0
        while at < offset and (data := self.read(min(offset - at, 1 << 18))):
            at += len(data)
        return at

    def close(self) -> None:
        """Close the packed file."""
        self._file.close()
        super().close()


def is_compressed(path: Path) -> bool:
    """Return whether the file name says that the file is compressed."""
    return path.name.endswith(".zst")


def open_rollout(path: Path, most: int = MOST_BYTES) -> BinaryIO:
    """Open a rollout for reading, unpacked. Raises NotFoundError or UnreadableSourceError."""
    file = open_source(path)
    return Unpacked(file, path, most) if is_compressed(path) else file  # type: ignore[return-value]

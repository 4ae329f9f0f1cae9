"""A set of entry keys as bits: 125 KB for a million entries of the archive, where a set takes 60 MB."""

from __future__ import annotations


class KeySet:
    """A growing set of keys, which are not negative."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, key: int) -> None:
        """Add a key; adding it again changes nothing."""
        byte = key >> 3
        if byte >= len(self._bits):
            self._bits.extend(bytes(byte + 1 - len(self._bits)))
        self._bits[byte] |= 1 << (key & 7)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int) and key >> 3 < len(self._bits) and bool(self._bits[key >> 3] >> (key & 7) & 1)

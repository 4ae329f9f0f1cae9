"""Checkpoints with the digest of a whole file: a file that was copied or touched is recognised by its bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from stemmata.domain.errors import KnownError
from stemmata.domain.sources.reading import Checkpoint
from stemmata.formats.shared.source_file import identity, known_read_errors, open_source

_KEY = "digest"
_CHUNK = 1 << 20


def digest_checkpoint(path: Path) -> Checkpoint:
    """Return the checkpoint of a file that is about to be read whole.

    A file that changes while it is read has another digest next time. Raises NotFoundError and UnreadableSourceError.
    """
    size, mtime, head = identity(path)
    return Checkpoint(str(path), size, mtime, size, 0, head, json.dumps({_KEY: _digest(path)}))


def has_digest_of(known: Checkpoint, path: Path) -> bool:
    """Return whether the file has the bytes of the checkpoint; False for a checkpoint without a digest.

    The archive sets the time of a checkpoint to 0 when its file is to be read again.
    """
    if not known.mtime or not known.state.startswith(f'{{"{_KEY}"'):
        return False
    try:
        return known.state == json.dumps({_KEY: _digest(path)})
    except KnownError:
        return False


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open_source(path) as file, known_read_errors(path):
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()

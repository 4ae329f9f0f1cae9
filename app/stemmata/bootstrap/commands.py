"""The entrance of the command line: runs one command over an archive."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from stemmata.bootstrap.core import Core, open_core
from stemmata.cli.program import main
from stemmata.store.archive import SqliteArchive
from stemmata.system.paths import Profile
from stemmata.system.settings.settings import load

# New objects after which Python searches for garbage in cycles. A command makes little of it, and with Python's own
# numbers an import spends a twelfth of its time on the search.
GC_THRESHOLDS = (50_000, 20, 100)


def command_line(argv: Sequence[str]) -> int:
    """Run one command and return the exit status."""
    before = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        return main(argv, _ArchiveOpener())
    finally:
        gc.set_threshold(*before)


class _ArchiveOpener:
    """Implements `cli.command_context.Opener`."""

    def open(self, store: Path | None, profile: Path | None) -> Core:
        chosen = Profile.choose(
            os.environ, folder=str(profile) if profile else None, store=str(store) if store else None
        )
        if not chosen.store.exists():
            chosen.create()  # not for an existing archive: its folders may be read-only
        return open_core(chosen.store, load(chosen.settings), chosen.cache)

    def temporary(self, profile: Path | None) -> Core:
        folder = tempfile.TemporaryDirectory(prefix="stemmata-")
        settings = load(Profile.choose(os.environ, folder=str(profile) if profile else None).settings)
        place = Path(folder.name)
        return Core(SqliteArchive(place / "archive.db"), settings, place / "memory", folder=folder)

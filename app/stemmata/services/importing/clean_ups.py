"""Session files that a tool's own clean-up will soon delete and that are not in the archive."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

from stemmata.domain.sources.reading import Checkpoint
from stemmata.domain.sources.session_files import CleanUp, EndangeredFiles
from stemmata.services.futures import chain, run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader, Clock
from stemmata.services.ports.sources import Formats

DAY = 86_400 * 1_000_000_000  # ns
AHEAD = 7 * DAY  # time before a deletion at which the window warns of it


class CleanUps:
    """Looks for session files that are about to be deleted by their tool. It opens none of them."""

    def __init__(self, archive: Archive, formats: Callable[[], Formats], clock: Clock) -> None:
        self._archive, self._formats, self._clock = archive, formats, clock

    def endangered(self, besides: Sequence[str] = ()) -> Future[list[EndangeredFiles]]:
        """Return the files that a tool may delete within a week and that the archive lacks, in part or altogether.

        Files in the folders `besides` are left out, as are those of sessions that were deleted in Stemmata. A
        separate thread looks for the files.
        """
        folders = tuple(os.path.join(os.path.abspath(os.path.expanduser(folder)), "") for folder in besides)

        def look(known: Mapping[str, Checkpoint]) -> Future[list[EndangeredFiles]]:
            return run_in_thread(lambda: list(self._find_endangered(known, folders)))

        def kept(found: list[EndangeredFiles]) -> Future[list[EndangeredFiles]]:
            return self._archive.read(lambda reader: _without_left_out(reader, found))

        return chain(chain(self._archive.read(lambda reader: reader.checkpoints()), look), kept)

    def _find_endangered(
        self, known: Mapping[str, Checkpoint], folders: tuple[str, ...]
    ) -> Iterator[EndangeredFiles]:
        formats, now = self._formats(), self._clock.now()
        for clean_up in formats.clean_ups():
            due = {file: at for file, at in _due(clean_up) if at <= now + AHEAD and not file.startswith(folders)}
            new = [file for file in sorted(due, key=lambda file: (due[file], file)) if _is_new(formats, file, known)]
            if new:
                yield EndangeredFiles(
                    clean_up.source, clean_up.name, clean_up.days, clean_up.folder, tuple(new), due[new[0]]
                )


def _due(clean_up: CleanUp) -> Iterator[tuple[str, int]]:
    """Yield each file that is not empty, with the time (ns) from which the tool may delete it."""
    for file in clean_up.files:
        with suppress(OSError):  # it is gone, or may not be read: then nothing can be imported
            found = os.stat(file)
            if found.st_size:
                yield file, found.st_mtime_ns + clean_up.days * DAY


def _is_new(formats: Formats, file: str, known: Mapping[str, Checkpoint]) -> bool:
    before = known.get(file)
    return before is None or not formats.is_unchanged(Path(file), before)


def _without_left_out(reader: ArchiveReader, found: Sequence[EndangeredFiles]) -> list[EndangeredFiles]:
    """Return the groups without files of sessions that were deleted for good."""
    kept = ((one, tuple(file for file in one.files if not reader.is_left_out(file))) for one in found)
    return [one.only(files) for one, files in kept if files]

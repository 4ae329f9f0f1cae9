"""Read a source on a separate thread, while the db thread stores earlier events."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Blob, End, Raw, ReadEvent, Repaired, Skipped, Unchanged, UnusedPart

GROUP = 256  # entries that are stored at once: the full text is written in bursts, between which small groups flow
GROUP_UNITS = 4_000_000  # … or characters of text that are stored at once, which bounds the memory
AHEAD = 20_000_000  # bytes and characters that wait to be stored; the reading waits when there are more
SMALL = 64_000  # bytes of a file that is read at once on the db thread: starting a thread would take as long
PATIENCE = 0.02  # seconds that the db thread waits before it lets other jobs read


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """Entries of one session that are stored at once."""

    entries: Sequence[Entry]


Event = EntryGroup | Begin | Raw | Blob | Skipped | Repaired | UnusedPart | Unchanged | End


class _StoppedError(Exception):
    """The consumer of the events has stopped."""


class ReadAhead:
    """Iterate over the events of a reading that runs on another thread. Entries come in groups.

    The events are in the order of the reading, except that bytes, blobs and remarks come before entries that wait for
    their group. `read` is called on the other thread, and so is `prepare` with the entries of a group. An error of
    either is raised by the iteration. `idle` is called again and again while nothing has been read yet.

    A small source of `size` bytes is read at once by the thread that calls. `close` has to be called in the end.
    """

    def __init__(
        self,
        read: Callable[[], Iterator[ReadEvent]],
        prepare: Callable[[Sequence[Entry]], Sequence[Entry]],
        idle: Callable[[], None],
        *,
        size: int = SMALL,
    ) -> None:
        self._read, self._prepare, self._idle = read, prepare, idle
        self._changed = threading.Condition()
        self._events: deque[tuple[Event, int]] = deque()  # with their sizes
        self._waiting = 0
        self._ended = self._stopped = False
        self._error: BaseException | None = None
        self._entries: list[Entry] = []  # entries of the next group; only the reading thread uses them and their size
        self._units = 0
        self._limit = AHEAD
        self._thread: threading.Thread | None = None
        if size >= SMALL:
            self._thread = threading.Thread(target=self._run, name="import", daemon=True)
            self._thread.start()
        else:
            self._limit = sys.maxsize
            self._run()

    def close(self) -> None:
        """End the thread and wait for its end."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._error = None  # the traceback of the error refers to this object: a reference cycle

    def __iter__(self) -> Iterator[Event]:
        while (event := self._next()) is not None:
            yield event

    def _next(self) -> Event | None:
        """Wait for the next event and return it; None after the last. Raises the error of the reading."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._events or self._ended, PATIENCE)
                if self._events:
                    event, size = self._events.popleft()
                    self._waiting -= size
                    self._changed.notify_all()
                    return event
                if self._ended:
                    break
            self._idle()
        if self._error is not None:
            raise self._error
        return None

    # -- on the thread that reads -----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._take_all()
        except _StoppedError:
            return
        except BaseException as error:  # noqa: BLE001 - raised on the thread that takes the events
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take_all(self) -> None:
        for event in self._read():
            self._take(event)
        self._end_group()

    def _take(self, event: ReadEvent) -> None:
        match event:
            case Entry():
                self._entries.append(event)
                self._units += event.record.size if event.record else 1000
                if len(self._entries) >= GROUP or self._units >= GROUP_UNITS:
                    self._end_group()
            case Raw() | Blob():
                self._put(event, len(event.data))
            case Begin() | End() | UnusedPart() | Unchanged():
                self._end_group()
                self._put(event, 0)
            case _:
                self._put(event, 0)

    def _end_group(self) -> None:
        if self._entries:
            self._put(EntryGroup(self._prepare(self._entries)), self._units)
            self._entries, self._units = [], 0

    def _put(self, event: Event, size: int) -> None:
        """Hand an event over; wait while too many events are waiting.

        Raises _StoppedError once the consumer has stopped.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._waiting < self._limit)
            if self._stopped:
                raise _StoppedError
            self._events.append((event, size))
            self._waiting += size
            self._changed.notify_all()

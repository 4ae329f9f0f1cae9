"""What is made of the events of a reader, whatever it tells and however it ends."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, ReadEvent, Repaired, Skipped, SourceShape
from stemmata.domain.sources.report import ImportReport
from stemmata.services.importing.importing import Importing
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.sources import Formats
from stemmata.store.archive import SqliteArchive
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records, Ticking

DATA = b"bytes of a picture"


class Scripted:
    """The part of the formats that an import uses: every file holds the given events."""

    def __init__(self, *events: ReadEvent) -> None:
        self.events = events

    def expand(self, path: Path, _format: str) -> tuple[list[Path], int]:
        return [path], 0

    def is_unchanged(self, _path: Path, _known: Checkpoint) -> bool:
        return False

    def identify(self, _path: Path) -> str:
        return "scripted"

    def has_unique_ids(self, _source: str) -> bool:
        return False

    def repeated_by(self, _source: str) -> str:
        return ""

    def head(self, _path: Path) -> tuple[int, int, str]:
        return 100, 1, "head"

    def writes(self, _path: Path) -> int:
        return 0

    def shape(self, _source: str) -> SourceShape:
        return SourceShape.LOG

    def read(self, _path: Path, _format: str, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        yield from self.events


def entry(id: str, parent: str | None = None) -> Entry:
    return Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(id),))


def begin(id: str = "s", **facts: Any) -> Begin:
    return Begin(SessionInfo(source="scripted", source_id=id, **facts))


def taken(bench: Bench, *events: ReadEvent) -> ImportReport:
    formats = cast("Formats", Scripted(*events))
    importing = Importing(bench.archive, formats, bench.services.notices, Ticking())
    return importing.import_paths([bench.folder / "a.log"]).result()


def test_all_that_a_reader_tells_is_kept_or_reported(bench: Bench) -> None:
    digest = hashlib.sha256(DATA).hexdigest()
    skipped, repaired = Skipped(3, "no JSON"), Repaired("mended", "2")
    report = taken(bench, begin(), Blob(digest, DATA), entry("1"), skipped, entry("2", "1"), repaired, End(None))
    [session] = report.sessions
    assert (session.entries, session.skipped, session.repaired) == (2, (skipped,), (repaired,))
    assert bench.services.entries.blob(digest).result() == DATA
    assert bench.id_of(bench.services.sessions.get(session.key).result().leaf) == "2"


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ((), "contains no session"),
        ((begin(), entry("1")), "contains no session"),
        ((entry("1"), begin(), End(None)), "content before its first session"),
        ((begin(), entry("1"), End(None), entry("2")), "content before its first session"),
    ],
)
def test_a_file_without_a_whole_session_leaves_nothing(bench: Bench, events: Sequence[ReadEvent], why: str) -> None:
    report = taken(bench, *events)
    [skipped] = report.skipped_files
    assert why in skipped.reason
    assert not skipped.is_transient
    assert report.sessions == ()
    assert bench.services.sessions.all().result() == []
    assert bench.services.sessions.totals().result()["entries"] == 0


def test_several_sessions_of_a_file_are_kept_apart(bench: Bench) -> None:
    report = taken(bench, begin("a"), entry("1"), End(None), begin("b"), entry("1"), End(None))
    assert [(session.source_id, session.entries) for session in report.sessions] == [("a", 1), ("b", 1)]


def test_where_a_source_does_not_say_where_it_stands_annotations_are_no_leaf(bench: Bench) -> None:
    label = Entry(id="3", parent="2", kind=Kind.LABEL, target="1", name="here")
    [session] = taken(bench, begin(), entry("1"), entry("2", "1"), label, End(None)).sessions
    assert (session.entries, session.branches) == (3, 1)
    assert bench.id_of(bench.services.sessions.get(session.key).result().leaf) == "2"


def test_the_leaf_is_not_moved_to_where_it_is(bench: Bench) -> None:
    first = (begin(), entry("1"), entry("2", "1"))
    [session] = taken(bench, *first, End("1", leaf_known=True)).sessions
    [grown] = taken(bench, *first, entry("3", "2"), End("1", leaf_known=True)).sessions
    assert (grown.key, grown.new_entries) == (session.key, 1)
    assert bench.id_of(bench.services.sessions.get(session.key).result().leaf) == "1"
    assert len(bench.archive.read(lambda reader: list(reader.leaf_moves(session.key))).result()) == 1
    taken(bench, *first, entry("3", "2"), entry("4", "3"), End("4", leaf_known=True))
    assert bench.id_of(bench.services.sessions.get(session.key).result().leaf) == "4"


# -- names -----------------------------------------------------------------------------------------------------------


def named(records: list[dict[str, object]], id: str, name: str) -> list[dict[str, object]]:
    stamp = "2026-01-01T00:01:00.000Z"
    return [*records, {"type": "session_info", "id": id, "parentId": None, "timestamp": stamp, "name": name}]


def test_the_source_names_its_session_until_the_person_does(bench: Bench, talk: Records) -> None:
    sessions, records = bench.services.sessions, talk("s", ("1", None, "user", "hello"))
    one = bench.imported(records)
    assert (one.session.title, one.session.named) == ("hello", False)
    records = named(records, "2", "Of the source")
    assert bench.imported(records).session.title == "Of the source"
    records = named(records, "3", "Another of the source")
    assert bench.imported(records).session.title == "Another of the source"
    sessions.rename(one.session.key, " Mine ").result()
    records = named(records, "4", "A third of the source")
    assert bench.imported(records).session.title == "Mine"
    sessions.rename(one.session.key, "").result()
    assert sessions.get(one.session.key).result().title == "hello"
    assert bench.imported(named(records, "5", "A fourth")).session.title == "A fourth"


def test_what_the_source_said_of_a_session_outlives_a_name(bench: Bench) -> None:
    [session] = taken(bench, begin(details='{"agent":"main"}'), entry("1"), End(None)).sessions
    sessions = bench.services.sessions
    sessions.rename(session.key, "Mine").result()
    assert json.loads(sessions.get(session.key).result().details)["agent"] == "main"
    sessions.rename(session.key, "").result()
    assert sessions.get(session.key).result().details == '{"agent":"main"}'


# -- an archive that cannot be read ----------------------------------------------------------------------------------


def test_an_import_into_an_archive_that_cannot_be_opened_says_so(bench: Bench, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database, but longer than its head" * 100)
    archive = SqliteArchive(broken, wait=False)
    try:
        made: Archive = archive
        importing = Importing(made, cast("Formats", Scripted()), bench.services.notices, Ticking())
        report: Future[ImportReport] = importing.import_paths([tmp_path / "a.log"])
        with pytest.raises(KnownError, match="not an archive"):
            report.result(PATIENCE)
        with pytest.raises(KnownError, match="not an archive"):
            importing.find_lost().result(PATIENCE)
    finally:
        archive.close()

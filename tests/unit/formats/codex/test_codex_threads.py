"""Threads of several files: reverts, forks, subagents, packed files, and what Codex's home folder says of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.reading import End
from stemmata.formats.codex import home as places
from stemmata.formats.codex import reading
from stemmata.formats.codex.compressed import open_rollout
from stemmata.formats.codex.header import header_of
from stemmata.formats.codex.home import current_file, file_of_base, files_of, home_of, name_of
from stemmata.formats.codex.reader import Codex
from stemmata.formats.registry import standard_formats
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import ArchiveReader
from stemmata.store.archive import SqliteArchive
from stemmata.system.processes import SystemClock
from tests.fakes import codex as fake


@dataclass
class Archive:
    """An archive into which files are imported, and its contents."""

    store: SqliteArchive
    importing: Importing

    def take(self, *paths: Path) -> None:
        report = self.importing.import_paths(paths).result()
        assert not report.skipped_files, report.skipped_files

    def session(self, thread: str) -> Session:
        sessions = self.store.read(lambda reader: reader.sessions()).result()
        (found,) = [session for session in sessions if session.source_id == thread]
        return found

    def shown(self, thread: str) -> list[str]:
        """The texts on the way to the leaf."""
        session = self.session(thread)

        def texts(reader: ArchiveReader) -> list[str]:
            tree = reader.tree(session.key)
            at, keys = tree.get(session.leaf), []
            while at is not None and at >= 0:
                keys.append(tree.columns.key[at])
                at = tree.parents[at]
            bodies = reader.bodies(keys)
            return [text for key in reversed(keys) if (text := plain_text(bodies[key].blocks))]

        return self.store.read(texts).result()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    store = SqliteArchive(tmp_path / "archive.db")
    yield Archive(store, Importing(store, standard_formats(tmp_path, {}), Notices(), SystemClock()))
    store.close()


def stand(home: Path, thread: str, path: str) -> None:
    """Set the file of a thread in Codex's database."""
    with closing(sqlite3.connect(home / "state_5.sqlite")) as database:
        database.execute("CREATE TABLE IF NOT EXISTS threads (id TEXT PRIMARY KEY, rollout_path TEXT)")
        database.execute("INSERT OR REPLACE INTO threads VALUES (?, ?)", (thread, path))
        database.commit()


# -- files that hold only their own lines -------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_revert_and_a_fork_in_any_order(tmp_path: Path, archive: Archive, order: tuple[int, ...]) -> None:
    paths = fake.put(tmp_path / "home", fake.threads())
    for at in order:
        archive.take(paths[at])
    assert archive.shown(fake.THREAD) == ["One.", "1", "Two.", "2", "Instead of three.", "5"]
    session = archive.session(fake.THREAD)
    assert (session.branches, session.entries) == (2, 10)


@pytest.mark.parametrize("share", [0.6, 0.9, 1])
def test_a_copy_of_a_reverted_file_moves_no_leaf(tmp_path: Path, archive: Archive, share: float) -> None:
    first, _, revert = fake.put(tmp_path / "home", fake.threads())
    archive.take(first, revert)
    shown = archive.shown(fake.THREAD)
    copy = tmp_path / "backup" / first.name
    copy.parent.mkdir()
    copy.write_bytes(first.read_bytes()[: int(share * first.stat().st_size)])
    archive.take(copy)
    assert archive.shown(fake.THREAD) == shown


def test_a_fork_shares_its_beginning(tmp_path: Path, archive: Archive) -> None:
    fake.put(tmp_path / "home", fake.threads())
    archive.take(tmp_path / "home")
    assert archive.shown(fake.OTHER) == ["One.", "1", "Two.", "2", "Forked three.", "4"]
    fork, parent = archive.session(fake.OTHER), archive.session(fake.THREAD)
    assert fork.parent == parent.key
    assert relation_of(fork, parent) is Relation.FORKED
    assert fork.entries == 8  # six of which are the parent's


def test_codex_says_which_file_is_current(tmp_path: Path, archive: Archive) -> None:
    first, _, revert = fake.put(tmp_path / "home", fake.threads())
    stand(tmp_path / "home", fake.THREAD, f"/elsewhere/{first.name}")
    archive.take(tmp_path / "home")
    assert archive.shown(fake.THREAD)[-2:] == ["Three.", "3"]
    assert current_file(fake.THREAD, revert) == first
    assert current_file(fake.THREAD, first) is None
    stand(tmp_path / "home", fake.THREAD, f"C:\\elsewhere\\{revert.name}")
    assert current_file(fake.THREAD, first) == revert


@pytest.mark.parametrize("content", [b"", b"not a database"])
def test_a_damaged_database_says_nothing(tmp_path: Path, content: bytes) -> None:
    first, _, revert = fake.put(tmp_path, fake.threads())
    (tmp_path / "state_5.sqlite").write_bytes(content)
    assert current_file(fake.THREAD, first) == revert
    stand_elsewhere = tmp_path / "state_5.sqlite"
    stand_elsewhere.unlink()
    stand(tmp_path, "another", "x")
    assert current_file(fake.THREAD, first) == revert
    stand(tmp_path, fake.THREAD, "/gone.jsonl")
    assert current_file(fake.THREAD, first) == revert


def test_a_file_whose_base_is_missing_begins_at_a_root(tmp_path: Path) -> None:
    first, _, revert = fake.put(tmp_path, fake.threads())
    first.unlink()
    found = fake.only(revert)
    assert [repaired.what for repaired in found.repaired] == [
        "The file that this one continues is missing; its first entry is a root."
    ]
    assert found.entries[0].parent is None
    assert found.end.leaf == found.entries[-1].id


def test_a_revert_of_a_revert(tmp_path: Path, archive: Archive) -> None:
    files = fake.threads()
    first, _, revert = fake.put(tmp_path / "home", files)
    start = 1 + 2 * len(fake.turn(1, "", ""))
    data = revert.read_bytes()
    where = fake.base(fake.THREAD, 2, data)["history_base"] | {"end_ordinal_exclusive": start + 2}
    again = [fake.meta(timestamp=fake.stamp(300), history_base=where), *fake.turn(6, "Once more.", "6")]
    revision = "0a000000-0000-7000-8000-000000000009"
    path = first.with_name(fake.name(fake.THREAD, 300, revision))
    path.write_bytes(fake.rollout(again, 300, start + 2))
    archive.take(tmp_path / "home")
    assert archive.shown(fake.THREAD) == ["One.", "1", "Two.", "2", "Once more.", "6"]


def test_a_base_that_names_itself(tmp_path: Path) -> None:
    where, other = ({"thread_id": fake.THREAD, "end_ordinal_exclusive": end} for end in (9, 8))
    said = [fake.said("user", text) for text in ("One.", "Two.")]
    one = fake.write(tmp_path / fake.name(fake.THREAD), fake.meta(history_base=where), said[0], ordinal=7)
    two = fake.write(tmp_path / fake.name(fake.THREAD, 9), fake.meta(history_base=other), said[1], ordinal=6)
    assert {plain_text(entry.blocks) for path in (one, two) for entry in fake.only(path).entries} == {"One.", "Two."}


def test_a_base_without_ordinals_ends_at_a_byte(tmp_path: Path) -> None:
    lines = [fake.meta(), *fake.turn(1, "One.", "1"), *fake.turn(2, "Two.", "2")]
    path = tmp_path / fake.name(fake.THREAD)
    path.write_bytes(b"bad\n" + fake.rollout(lines))
    where = fake.base(fake.THREAD, 2 + len(fake.turn(1, "", "")), path.read_bytes())
    fork = [fake.meta(fake.OTHER, forked_from_id=fake.THREAD, **where), *fake.turn(3, "Forked.", "3")]
    found = fake.only(fake.write(tmp_path / fake.name(fake.OTHER, 9), *fork))
    texts = [plain_text(entry.blocks) for entry in found.entries if entry.blocks]
    assert texts == ["One.", "1", "Forked.", "3"]
    assert [entry.id for entry in found.entries if entry.record is None] == [
        entry.id for entry in fake.only(path).entries[:4]
    ]


def test_the_right_base_among_several(tmp_path: Path) -> None:
    first, fork, revert = fake.put(tmp_path, fake.threads())
    base = header_of(fork).base
    assert base is not None
    assert file_of_base(base, fork) == first
    whole = first.read_bytes()
    other = first.with_name(fake.name(fake.THREAD, 300))  # newer, but another line ends there, or none
    other.write_bytes(whole.replace(b'"ordinal":16', b'"ordinal":61'))
    assert file_of_base(base, fork) == first
    other.write_bytes(whole.replace(b"One.", b"Another one."))
    assert file_of_base(base, fork) == first
    other.write_bytes(whole.replace(b'{"timestamp":"2026-01-01T10:00:16', b'!"timestamp":"2026-01-01T10:00:16'))
    assert file_of_base(base, fork) == other
    other.unlink()
    first.write_bytes(b"short\n")
    assert file_of_base(base, fork) is None
    first.unlink()
    first.symlink_to(tmp_path / "gone")
    assert file_of_base(base, revert) is None


def test_a_file_that_disappears_while_bases_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, fork, _ = fake.put(tmp_path, fake.threads())
    base = header_of(fork).base
    assert base is not None
    monkeypatch.setattr(places, "files_of", lambda *_: [tmp_path / "gone.jsonl"])
    assert file_of_base(base, fork) is None


def test_a_current_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _, _ = fake.put(tmp_path, fake.threads())
    monkeypatch.setattr(reading, "current_file", lambda *_: tmp_path / "gone.jsonl")
    found = fake.only(first)
    assert found.end.leaf == found.entries[-1].id


def test_a_thread_of_which_no_file_is_listed(tmp_path: Path) -> None:
    path = fake.write(tmp_path / "odd.jsonl", fake.meta(history_mode="paginated"), fake.said("user", "Hi."))
    assert current_file(fake.THREAD, path) is None


def test_a_fork_is_whole_without_its_parent(tmp_path: Path, archive: Archive) -> None:
    paths = fake.put(tmp_path / "home", fake.threads())
    archive.take(paths[1])
    assert archive.shown(fake.OTHER) == ["One.", "1", "Two.", "2", "Forked three.", "4"]
    archive.take(paths[0])
    assert archive.shown(fake.OTHER) == ["One.", "1", "Two.", "2", "Forked three.", "4"]
    assert archive.session(fake.OTHER).parent == archive.session(fake.THREAD).key


def test_nothing_new_in_a_revert_moves_the_leaf(tmp_path: Path, archive: Archive) -> None:
    paths = fake.put(tmp_path / "home", fake.threads())
    paths[2].write_bytes(paths[2].read_bytes().splitlines(keepends=True)[0])
    archive.take(paths[0], paths[2])
    assert archive.shown(fake.THREAD) == ["One.", "1", "Two.", "2"]


def test_a_leaf_in_a_file_that_is_not_imported_yet(tmp_path: Path, archive: Archive) -> None:
    paths = fake.put(tmp_path / "home", fake.threads())
    archive.take(paths[0])
    assert archive.shown(fake.THREAD)[-1] == "3"
    archive.take(paths[2])
    assert archive.shown(fake.THREAD)[-1] == "5"


# -- files that repeat others -------------------------------------------------------------------------------------


def test_a_replayed_beginning_is_stored_once(tmp_path: Path, archive: Archive) -> None:
    fake.put(tmp_path / "home", fake.replayed())
    archive.take(tmp_path / "home")
    fork, parent = archive.session(fake.OTHER), archive.session(fake.THREAD)
    assert archive.shown(fake.OTHER)[1:] == ["One.", "1", "Two.", "2", "Three.", "3"]
    assert (fork.parent, parent.entries, fork.entries) == (parent.key, 7, 9)
    owners = archive.store.read(lambda reader: len(reader.ids(parent.key))).result()
    assert owners == 7


def test_a_replayed_beginning_without_its_thread(tmp_path: Path) -> None:
    parent, fork = fake.put(tmp_path, fake.replayed())
    shared = [(entry.id, entry.time) for entry in fake.only(parent).entries]
    assert [(entry.id, entry.time) for entry in fake.only(fork).entries][: len(shared)] == shared
    parent.unlink()
    alone = fake.only(fork).entries
    assert [entry.id for entry in alone][: len(shared)] == [id for id, _ in shared]
    assert alone[0].time > shared[0][1]


def test_a_fork_of_a_fork_has_the_times_of_the_first(tmp_path: Path) -> None:
    parent, fork = fake.put(tmp_path, fake.replayed())
    third = "0a000000-0000-7000-8000-000000000003"
    records = [json.loads(line) for line in fork.read_bytes().splitlines()]
    own = [{key: record[key] for key in ("type", "payload")} for record in records]
    again = [fake.meta(third, forked_from_id=fake.OTHER), *own, *fake.turn(12, "Four.", "4")]
    path = fake.write(tmp_path / "sessions" / fake.name(third, 500), *again, start=500)
    entries = fake.only(path).entries
    first, second = fake.only(parent).entries, fake.only(fork).entries
    assert [entry.time for entry in entries][: len(second)] == [entry.time for entry in second]
    assert [entry.time for entry in entries][: len(first)] == [entry.time for entry in first]


def test_a_fork_that_repeats_no_header(tmp_path: Path) -> None:
    fake.put(tmp_path, fake.replayed())
    own = [fake.meta(fake.OTHER, forked_from_id=fake.THREAD), *fake.turn(7, "Own.", "7")]
    path = fake.write(tmp_path / "sessions" / fake.name(fake.OTHER, 100), *own, start=100)
    found = fake.only(path)
    assert found.info.parent_source_id == fake.THREAD
    assert found.end.checkpoint is not None
    assert json.loads(found.end.checkpoint.state)["at"]


def test_an_original_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, fork = fake.put(tmp_path, fake.replayed())
    header = header_of(parent)
    monkeypatch.setattr(reading, "files_of", lambda *_: [tmp_path / "gone.jsonl"])
    monkeypatch.setattr(reading, "header_of", lambda path: header if path.name == "gone.jsonl" else header_of(path))
    assert len(fake.only(fork).entries) == 9


# -- subagents ----------------------------------------------------------------------------------------------------


def test_a_subagent_hangs_on_the_call_that_began_it(tmp_path: Path, archive: Archive) -> None:
    fake.put(tmp_path / "home", fake.subagent())
    archive.take(tmp_path / "home")
    agent, main = archive.session(f"{fake.THREAD}/{fake.OTHER}"), archive.session(fake.THREAD)
    assert agent.parent == main.key
    assert relation_of(agent, main) is Relation.SPAWNED
    details = json.loads(agent.details)
    assert (details["toolCall"], details["nickname"], details["role"], agent.title) == (
        "c9",
        "Ada",
        "explorer",
        "Ada",
    )


def test_a_call_that_is_not_known(tmp_path: Path) -> None:
    main, agent = fake.put(tmp_path, fake.subagent())
    noted = fake.only(agent)
    assert "toolCall" in json.loads(noted.info.details)
    assert "toolCall" in json.loads(fake.only(agent, noted.end.checkpoint).info.details)
    main.write_bytes(f"bad {fake.OTHER}\n".encode() + fake.rollout([fake.event("odd", new_thread_id=fake.OTHER)]))
    assert "toolCall" not in json.loads(fake.only(agent).info.details)
    main.unlink()
    assert "toolCall" not in json.loads(fake.only(agent).info.details)


def test_a_header_that_names_the_call(tmp_path: Path) -> None:
    spawn = {"parent_thread_id": fake.THREAD, "spawn_call_id": "c7"}
    source = {"subagent": {"thread_spawn": spawn}}
    path = fake.write(tmp_path / "a.jsonl", fake.meta(fake.OTHER, source=source), fake.said("user", "Look."))
    assert json.loads(fake.only(path).info.details)["toolCall"] == "c7"


def test_a_parent_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, agent = fake.put(tmp_path, fake.subagent())
    monkeypatch.setattr(reading, "files_of", lambda *_: [tmp_path / "gone.jsonl"])
    assert "toolCall" not in json.loads(fake.only(agent).info.details)


# -- the home folder ----------------------------------------------------------------------------------------------


def test_the_folders_of_codex(tmp_path: Path) -> None:
    folders = [folder.path for folder in Codex().folders(tmp_path, {})]
    assert folders == [tmp_path / ".codex" / "sessions", tmp_path / ".codex" / "archived_sessions"]
    named = [folder.path for folder in Codex().folders(tmp_path, {"CODEX_HOME": "~/other"})]
    assert named == [tmp_path / "other" / "sessions", tmp_path / "other" / "archived_sessions"]


def test_the_name_that_the_user_gave(tmp_path: Path) -> None:
    (path,) = fake.put(tmp_path, {f"sessions/{fake.name(fake.THREAD)}": fake.rollout(fake.turn(1, "One.", "1"))})
    assert name_of(fake.THREAD, path) == ""
    index = tmp_path / "session_index.jsonl"
    names = [{"id": fake.THREAD, "thread_name": "Old"}, {"id": fake.THREAD, "thread_name": "New  name"}, fake.THREAD]
    index.write_text("\n".join(json.dumps(name) for name in [*names, {"id": "x", "thread_name": fake.THREAD}]))
    found = fake.only(path)
    assert (found.end.title, found.end.named, found.info.named) == ("New name", True, True)
    assert Codex().is_companion(index)
    assert not Codex().is_companion(path)
    assert name_of(fake.THREAD, tmp_path / "loose.jsonl") == ""


def test_archived_files_belong_to_the_same_home(tmp_path: Path) -> None:
    first, fork, _ = fake.put(tmp_path, fake.threads())
    archived = tmp_path / "archived_sessions" / first.name
    archived.parent.mkdir()
    first.rename(archived)
    assert home_of(archived) == home_of(fork) == tmp_path
    assert files_of(fake.THREAD, fork)[0] == archived
    assert plain_text(fake.only(fork).entries[2].blocks) == "One."


# -- packed files -------------------------------------------------------------------------------------------------


def pack(path: Path, *, cut: int | None = None, spoil: bool = False) -> Path:
    data = bytearray(fake.packed(path.read_bytes())[:cut])
    if spoil:
        data[len(data) // 2] ^= 0xFF
    target = path.with_name(f"{path.name}.zst")
    target.write_bytes(data)
    return target


def test_a_packed_file_is_the_same_session(tmp_path: Path, archive: Archive) -> None:
    plain = fake.write(tmp_path / "home" / "sessions" / fake.name(fake.THREAD), *fake.plain())
    archive.take(tmp_path / "home")
    before = archive.session(fake.THREAD)
    packed = pack(plain)
    plain.unlink()
    archive.take(tmp_path / "home")
    after = archive.session(fake.THREAD)
    assert (after.key, after.entries, after.leaf) == (before.key, before.entries, before.leaf)
    found = fake.only(packed)
    assert found.raw == fake.rollout(fake.plain())
    assert found.end.checkpoint is None
    assert standard_formats(tmp_path, {}).identify(packed) == "codex"


def test_a_fork_of_a_packed_thread(tmp_path: Path) -> None:
    first, fork, _ = fake.put(tmp_path, fake.threads())
    before = fake.only(fork).entries
    pack(first)
    first.unlink()
    assert fake.only(fork).entries == before


def test_a_damaged_packed_file_gives_what_can_be_unpacked(tmp_path: Path) -> None:
    records = [fake.meta(), *(record for at in range(2000) for record in fake.turn(at, f"One {at * at}.", str(at)))]
    plain = fake.write(tmp_path / fake.name(fake.THREAD), *records)
    whole = len(fake.only(plain).entries)
    cut = fake.only(pack(plain, cut=20_000))
    assert 0 < len(cut.entries) < whole
    assert [one.reason.rpartition(": ")[2] for one in cut.skipped] == [
        "the file ends inside this line", "the compressed file is damaged from here on",
    ]  # fmt: skip
    spoilt = fake.only(pack(plain, spoil=True))
    assert len(spoilt.entries) <= whole
    assert spoilt.skipped


def test_packed_files_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n')
    with pytest.raises(UnreadableSourceError, match="Zstandard"):
        standard_formats(tmp_path, {}).identify(pack(path))
    broken = tmp_path / "b.jsonl.zst"
    broken.write_bytes(b"\x28\xb5\x2f\xfd\xff\xff\xff")
    assert not Codex().sniff(broken.read_bytes(), broken)


def test_a_packed_file_that_never_ends(tmp_path: Path) -> None:
    path = fake.write(tmp_path / fake.name(fake.THREAD), *fake.plain())
    with open_rollout(pack(path), 1000) as file, pytest.raises(UnreadableSourceError, match="too large"):
        file.read(1 << 20)


def test_reading_on_in_a_packed_file(tmp_path: Path) -> None:
    path = fake.write(tmp_path / fake.name(fake.THREAD), *fake.plain())
    with open_rollout(pack(path)) as file:
        assert file.seek(100) == 100
        assert file.read(10) == path.read_bytes()[100:110]
        assert file.seek(1 << 30) == path.stat().st_size - 110


def test_every_end_names_a_leaf(tmp_path: Path) -> None:
    for path in fake.put(tmp_path, {**fake.threads(), **fake.subagent()}):
        end = list(Codex().read(path, None))[-1]
        assert isinstance(end, End)
        assert end.leaf is not None

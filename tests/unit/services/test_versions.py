"""Older, shortened and edited copies of a file: nothing that was taken is lost, and both texts of an id are kept."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Flag
from stemmata.domain.sources.report import ImportedSession
from stemmata.store.reader import Reader
from tests.unit.services.conftest import Bench, Records

ROWS = tuple(
    (str(at), str(at - 1) if at > 1 else None, "assistant" if at % 2 == 0 else "user", f"text {at}")
    for at in range(1, 8)
)


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(json.dumps(line) + "\n" for line in lines).encode())
    return path


def taken(bench: Bench, path: Path) -> ImportedSession:
    report = bench.services.importing.import_paths([path]).result()
    assert report.skipped_files == ()
    return report.sessions[0]


def raw(bench: Bench, session: int) -> bytes:
    return bench.archive.read(lambda reader: b"".join(reader.raw(session))).result()


def sound(bench: Bench) -> bool:
    return bench.services.sessions.check().result() == []


def texts(bench: Bench, session: int) -> dict[str, tuple[str | None, str]]:
    """Return the parent and the text of each entry."""
    tree = bench.archive.read(lambda reader: reader.tree(session)).result()
    rows = bench.services.entries.rows([tree.key(at) for at in range(len(tree))]).result()
    ids = {key: row.id for key, row in rows.items()}
    return {row.id: (ids.get(row.parent or 0), row.preview) for row in rows.values()}


def shortened(path: Path, count: int) -> Path:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:count]))
    return path


# -- versions --------------------------------------------------------------------------------------------------------


def test_an_older_copy_elsewhere_changes_nothing(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines)
    whole = path.read_bytes()
    first = taken(bench, path)
    before = texts(bench, first.key)
    older = taken(bench, write(bench.folder / "backup" / "a.jsonl", lines[:4]))
    assert (older.key, older.new_entries, older.older, older.entries) == (first.key, 0, True, 7)
    assert raw(bench, first.key) == whole
    assert texts(bench, first.key) == before
    assert bench.id_of(bench.services.sessions.get(first.key).result().leaf) == "7"
    assert bench.services.importing.import_paths([bench.folder]).result().unchanged == 2
    assert sound(bench)


def test_a_copy_that_is_read_first_grows_to_the_newer_one(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    older = taken(bench, write(bench.folder / "backup" / "a.jsonl", lines[:4]))
    newer = taken(bench, write(bench.folder / "a.jsonl", lines))
    assert (newer.key, newer.new_entries) == (older.key, 4)
    assert raw(bench, newer.key) == (bench.folder / "a.jsonl").read_bytes()
    assert sound(bench)


def test_a_file_that_is_cut_short_and_grows_otherwise_keeps_both(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines)
    whole = path.read_bytes()
    first = taken(bench, path)
    assert taken(bench, shortened(path, 4)).older
    assert raw(bench, first.key) == whole
    other = talk("s", ("x", "3", "user", "another way"))[1:]
    grown = taken(bench, write(path, [*lines[:4], *other]))
    assert (grown.new_entries, grown.entries) == (1, 8)
    for id in ("7", "x"):
        key = bench.services.entries.key(first.key, id).result()
        record = bench.archive.read(partial(Reader.record, entry=key)).result()
        assert record is not None
        assert json.loads(record)["id"] == id
    assert raw(bench, first.key) == whole  # the larger one
    assert bench.id_of(bench.services.sessions.get(first.key).result().leaf) == "x"
    assert sound(bench)


def test_a_line_that_is_deleted_stays_in_the_archive_and_in_the_export(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines)
    first = taken(bench, path)
    before, whole = texts(bench, first.key), path.read_bytes()
    cut = taken(bench, write(path, lines[:3] + lines[4:]))
    assert (cut.new_entries, cut.older) == (0, False)
    assert texts(bench, first.key) == before
    exported = bench.services.exporting.to_bytes(first.key, "pi").result()
    assert exported == whole
    assert sound(bench)


def test_a_folder_with_both_is_imported_in_any_order(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    for name, count in (("1", 3), ("2", 8), ("3", 5)):
        write(bench.folder / "all" / f"{name}.jsonl", lines[:count])
    report = bench.services.importing.import_paths([bench.folder / "all"]).result()
    assert [session.older for session in report.sessions] == [False, False, True]
    assert raw(bench, report.sessions[0].key) == (bench.folder / "all" / "2.jsonl").read_bytes()
    assert sound(bench)


def claude(*uuids: str) -> list[dict[str, object]]:
    return [
        {
            "type": "user", "uuid": uuid, "parentUuid": uuids[at - 1] if at else None, "sessionId": "c", "cwd": "/w",
            "timestamp": f"2026-01-01T00:00:0{at}.000Z", "message": {"role": "user", "content": f"Step {uuid}"},
        }
        for at, uuid in enumerate(uuids)
    ]  # fmt: skip


def test_a_claude_code_file_of_the_same_name_takes_nothing_away(bench: Bench) -> None:
    first = taken(bench, write(bench.folder / "p" / "c.jsonl", claude("a", "b", "c")))
    other = taken(bench, write(bench.folder / "q" / "c.jsonl", claude("x", "y")))
    assert (other.key, other.new_entries, other.entries) == (first.key, 2, 5)
    assert raw(bench, first.key) == (bench.folder / "p" / "c.jsonl").read_bytes()
    assert sound(bench)


def test_an_archive_that_lost_bytes_finds_them_where_a_file_still_has_them(bench: Bench, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    first = taken(bench, path)
    half = path.read_bytes().splitlines(keepends=True)[:4]
    backup = write(bench.folder / "b" / "a.jsonl", [json.loads(line) for line in half])
    shutil.copy(path, bench.folder / "whole.jsonl")
    shortened(path, 4)
    taken(bench, path)
    taken(bench, backup)
    with closing(sqlite3.connect(bench.folder / "archive" / "archive.db")) as connection:
        # as an older program left it: what was read last took the place of what was there
        connection.execute("DELETE FROM records")
        connection.execute("UPDATE entries SET version = NULL")
        connection.commit()
    assert not sound(bench)
    shutil.copy(bench.folder / "whole.jsonl", path)
    assert "looked for in their files" in " ".join(bench.services.sessions.repair().result())
    report = bench.services.importing.find_lost().result()
    assert [session.entries for session in report.sessions] == [7, 7]
    assert sound(bench)
    assert bench.services.importing.find_lost().result().sessions == ()
    assert raw(bench, first.key) == path.read_bytes()


# -- variants --------------------------------------------------------------------------------------------------------


def edited(lines: list[dict[str, object]], at: int, text: str) -> list[dict[str, object]]:
    changed = json.loads(json.dumps(lines[at]))
    changed["message"]["content"] = text
    return [*lines[:at], changed, *lines[at + 1 :]]


def test_another_text_for_an_id_is_a_variant_beside_it(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines)
    first = taken(bench, path)
    before = texts(bench, first.key)
    other = taken(bench, write(bench.folder / "b" / "a.jsonl", edited(lines, 3, "quite another text")))
    [variant] = other.variants
    after = texts(bench, first.key)
    assert {id: after[id] for id in before} == before
    assert after[variant] == ("2", "quite another text")
    assert (other.new_entries, other.branches) == (5, 2)  # what follows in that file hangs from the variant
    chain = [id for id in after if id not in before]
    assert [after[id][0] for id in chain] == ["2", *chain[:-1]]
    assert bench.id_of(bench.services.sessions.get(first.key).result().leaf) == chain[-1]
    assert any(variant in repaired.what for repaired in other.repaired)
    tree = bench.archive.read(lambda reader: reader.tree(first.key)).result()
    flags = {bench.id_of(tree.key(at)): tree.columns.flags[at] for at in range(len(tree))}
    assert [id for id, flag in flags.items() if flag & Flag.VARIANT] == [variant]
    assert sound(bench)
    (bench.folder / "b" / "a.jsonl").touch()
    again = taken(bench, bench.folder / "b" / "a.jsonl")
    assert (again.new_entries, again.variants) == (0, (variant,))
    assert texts(bench, first.key) == after


def test_a_file_edited_in_place_goes_on_below_its_variant(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines[:6])
    first = taken(bench, path)
    taken(bench, write(path, edited(lines[:6], 5, "edited")))
    grown = taken(bench, write(path, edited(lines, 5, "edited")))
    after = texts(bench, first.key)
    [variant] = [id for id, (_, text) in after.items() if text == "edited"]
    assert (grown.new_entries, after["6"][0], after["7"][0]) == (2, variant, "6")
    assert after["5"] == ("4", "text 5")
    assert sound(bench)


@pytest.mark.parametrize("spaces", [True, False])
def test_the_same_words_written_otherwise_are_no_variant(bench: Bench, talk: Records, *, spaces: bool) -> None:
    lines = talk("s", *ROWS)
    first = taken(bench, write(bench.folder / "a.jsonl", lines))
    turned = [dict(reversed(line.items())) for line in lines[1:]]
    path = bench.folder / "b.jsonl"
    separators = (", ", " : ") if spaces else (",", ":")
    path.write_text("".join(json.dumps(line, separators=separators) + "\n" for line in [lines[0], *turned]))
    again = taken(bench, path)
    assert (again.key, again.new_entries, again.variants) == (first.key, 0, ())
    assert sound(bench)


def test_usage_that_is_filled_in_later_makes_no_variant(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    first = taken(bench, write(bench.folder / "a.jsonl", lines))
    filled = json.loads(json.dumps(lines))
    filled[2]["message"]["usage"] = {"input": 7, "output": 5, "totalTokens": 12}
    again = taken(bench, write(bench.folder / "a.jsonl", filled))
    assert (again.key, again.new_entries, again.variants) == (first.key, 0, ())


def test_an_archive_without_digests_computes_them_when_needed(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    first = taken(bench, write(bench.folder / "a.jsonl", lines))
    with closing(sqlite3.connect(bench.folder / "archive" / "archive.db")) as connection:
        connection.execute("UPDATE entries SET digest = NULL, version = NULL")
        connection.commit()
    other = taken(bench, write(bench.folder / "b.jsonl", edited(lines, 7, "other")))
    assert (other.key, other.new_entries, len(other.variants)) == (first.key, 1, 1)
    with closing(sqlite3.connect(bench.folder / "archive" / "archive.db")) as connection:
        assert connection.execute("SELECT count(*) FROM entries WHERE digest IS NULL").fetchone() == (0,)


def test_a_leaf_that_the_person_moved_stays_when_a_variant_comes(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    session_tree = bench.imported(lines, "a.jsonl")
    bench.services.branching.move_leaf(session_tree.session.key, bench.key(session_tree, "2")).result()
    taken(bench, write(bench.folder / "b.jsonl", edited(lines, 7, "other")))
    assert bench.id_of(bench.services.sessions.get(session_tree.session.key).result().leaf) == "2"

from __future__ import annotations

import os
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.errors import KnownError
from stemmata.domain.files.log import FileHistory
from stemmata.domain.files.rows import RowKind
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.sessions import files
from stemmata.services.sessions.files import FileListing, text_on_disk
from tests.unit.services.conftest import Bench, Records


def called(id: str, tool: str, **arguments: Any) -> dict[str, object]:
    return {"type": "toolCall", "id": f"call-{id}", "name": tool, "arguments": arguments}


def changed(lines: list[dict[str, object]], at: int, call: dict[str, object]) -> None:
    """Put a call in place of the reply's content."""
    message: Any = lines[at]["message"]
    message["content"] = [{"type": "text", "text": f"Words {at}"}, call]


@pytest.fixture
def worked(bench: Bench, talk: Records, tmp_path: Path) -> SessionTree:
    """A session whose shown branch reads and edits a.py, and whose other branch writes b.py."""
    lines = talk(
        "s", ("1", None, "user", "Port it"), ("2", "1", "call", "a.py"), ("3", "2", "toolResult", "one\ntwo\n"),
        ("4", "2", "call", ""), ("5", "4", "toolResult", "ok"),
        ("6", "3", "call", ""), ("7", "6", "toolResult", "ok"), ("8", "7", "assistant", "Done."),
    )  # fmt: skip
    changed(lines, 4, called("4", "write", path="b.py", content="x\n"))
    changed(lines, 6, called("6", "edit", path="a.py", oldText="two", newText="three"))
    shell = {"role": "bashExecution", "command": "npm test", "output": "Tests: 2 passed", "exitCode": 0,
             "cancelled": False, "truncated": False, "timestamp": 9}  # fmt: skip
    stamp = "2026-01-01T00:01:00.000Z"
    for at, command in enumerate(("npm test", "ls")):
        record = {"type": "message", "id": f"{9 + at}", "parentId": f"{8 + at}", "timestamp": stamp}
        lines.append(record | {"message": shell | {"command": command}})
    lines.append({"type": "label", "id": "x", "parentId": "10", "targetId": "1", "label": "y", "timestamp": stamp})
    return bench.imported(lines)


def listed(bench: Bench, session_tree: SessionTree) -> FileListing:
    end = session_tree.tree.get(session_tree.session.leaf)
    return bench.services.files.listing(session_tree, end).result()


def history(bench: Bench, session_tree: SessionTree, path: str) -> FileHistory:
    listing, end = listed(bench, session_tree), session_tree.tree.get(session_tree.session.leaf)
    return bench.services.files.history(session_tree, listing, path, end).result()


def test_the_files_of_all_branches_are_listed(bench: Bench, worked: SessionTree) -> None:
    listing = listed(bench, worked)
    assert [(use.path, use.edits, use.reads, use.added, use.removed, use.is_here) for use in listing.uses] == [
        ("/w/a.py", 1, 1, 1, 1, True), ("/w/b.py", 1, 0, 1, 0, False),
    ]  # fmt: skip
    [edit] = [step for step in listing.steps if step.path == "/w/a.py" and step.act.is_change]
    assert edit.title == "Words 6"
    assert edit.check is not None
    assert (edit.check.is_ok, edit.check.passed) == (True, 2)


def test_a_file_is_shown_at_each_step(bench: Bench, worked: SessionTree) -> None:
    found = history(bench, worked, "/w/a.py")
    service = bench.services.files
    assert [row.text for row in service.whole(found, 1).result().rows] == ["one", "three"]
    change = service.change(found, 1).result()
    assert [(row.kind, row.text) for row in change.rows] == [
        (RowKind.SAME, "one"), (RowKind.REMOVED, "two"), (RowKind.ADDED, "three"),
    ]  # fmt: skip
    assert service.compared(found, 0, 1).result().rows[1].text == "three"
    assert found.steps[1].title == "Words 6"
    assert (change.longest, change.first) == (5, 1)
    assert found.leaves == (-1, -1)
    other = history(bench, worked, "/w/b.py")
    assert [bench.id_of(worked.tree.key(leaf)) for leaf in other.leaves] == ["5"]


def test_what_was_changed_near_the_selected_entry_is_known_first(
    bench: Bench, worked: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, service = worked.tree, bench.services.files
    end = tree.get(worked.session.leaf)
    monkeypatch.setattr(files, "NEAR", 2)
    monkeypatch.setattr(files, "BELOW", 1)
    part = service.near(worked, end, tree.get(bench.key(worked, "7"))).result()
    assert part is not None
    # the file was read further above, and the index of the search knows where
    assert [bench.id_of(tree.key(entry)) for entry in part.read or ()] == ["2", "3", "6", "7", "8"]
    assert [(use.path, use.edits, use.reads) for use in part.uses] == [("/w/a.py", 1, 1)]
    found = service.history(worked, part, "/w/a.py", end).result()
    assert [row.text for row in service.whole(found, 1).result().rows] == ["one", "three"]
    assert found.leaves == (-1, -1)
    only_read = service.near(worked, end, tree.get(bench.key(worked, "3"))).result()
    assert only_read is not None
    assert [(use.path, use.edits, use.reads) for use in only_read.uses] == [("/w/a.py", 0, 1)]
    elsewhere = tree.get(bench.key(worked, "5"))  # on another branch, so that the end counts
    assert service.near(worked, end, elsewhere).result() is None


def test_words_of_left_out_entries_are_not_made_up(
    bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = talk(
        "s", ("1", None, "user", "First prompt"), ("2", "1", "call", "a.py"), ("3", "2", "toolResult", "one\n"),
        ("4", "3", "user", "Second prompt"), ("5", "4", "call", "a.py"), ("6", "5", "toolResult", "one\n"),
        ("7", "6", "call", "b.py"), ("8", "7", "toolResult", "b\n"), ("9", "8", "call", ""),
        ("10", "9", "toolResult", "ok"),
    )  # fmt: skip
    changed(lines, 9, called("9", "write", path="a.py", content="x\n"))
    session_tree = bench.imported(lines)
    end = session_tree.tree.get(session_tree.session.leaf)
    monkeypatch.setattr(files, "NEAR", 2)
    monkeypatch.setattr(files, "BELOW", 0)
    part = bench.services.files.near(session_tree, end, end).result()
    assert part is not None
    assert [(step.path, step.title) for step in part.steps] == [
        ("/w/a.py", ""),
        ("/w/a.py", ""),
        ("/w/a.py", "Words 9"),
    ]


def test_a_name_that_no_query_finds_is_not_searched(
    bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = talk(
        "s", ("1", None, "user", "First prompt"), ("2", "1", "call", ""), ("3", "2", "toolResult", "ok"),
    )  # fmt: skip
    changed(lines, 2, called("2", "write", path='"', content="x\n"))
    session_tree = bench.imported(lines)
    end = session_tree.tree.get(session_tree.session.leaf)
    monkeypatch.setattr(files, "NEAR", 2)
    monkeypatch.setattr(files, "BELOW", 0)
    part = bench.services.files.near(session_tree, end, end).result()
    assert part is not None
    assert [use.path for use in part.uses] == ['/w/"']
    assert len(part.read or ()) == 2


def test_a_short_branch_is_read_at_once(bench: Bench, worked: SessionTree) -> None:
    end = worked.tree.get(worked.session.leaf)
    assert bench.services.files.near(worked, end, end).result() is None


def test_how_much_was_read_is_told(bench: Bench, worked: SessionTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "AT_ONCE", 5)
    told: list[int] = []
    bench.services.files.listing(worked, worked.tree.get(worked.session.leaf), tell=told.append).result()
    assert told == [45, 90, 100]


def test_what_nobody_waits_for_is_not_read(bench: Bench, worked: SessionTree) -> None:
    with pytest.raises(CancelledError):
        bench.services.files.listing(worked, None, lambda: False).result()


def test_a_deleted_body_costs_nothing_else(bench: Bench, worked: SessionTree) -> None:
    listing = listed(bench, worked)
    found = bench.services.files.history(worked, listing, "/w/none.py", None).result()
    assert found.steps == ()


def test_the_other_sessions_of_a_file_are_found(bench: Bench, worked: SessionTree, talk: Records) -> None:
    other = bench.imported(
        talk("t", ("1", None, "user", "again"), ("2", "1", "call", "/w/a.py"), ("3", "2", "toolResult", "x")),
        "t.jsonl",
    )
    bench.imported(talk("u", ("1", None, "user", "no"), ("2", "1", "call", "/v/a.py")), "u.jsonl")
    found = bench.services.files.other_uses(worked.session.key, "/w/a.py").result()
    assert [use.session.key for use in found] == [other.session.key]
    assert bench.id_of(found[0].entry) == "2"
    assert bench.services.files.other_uses(worked.session.key, "").result() == ()


def test_a_session_that_was_deleted_meanwhile_is_left_out(
    bench: Bench, worked: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = bench.archive.read(lambda reader: files._other_use(reader, 999, [1], "/w/a.py")).result()
    assert found is None
    key = worked.session.key
    assert bench.archive.read(lambda reader: files._other_use(reader, key, [999], "/w/a.py")).result() is None


def test_the_file_on_the_disk_is_compared(bench: Bench, worked: SessionTree, tmp_path: Path) -> None:
    place = tmp_path / "a.py"
    place.write_bytes(b"\xef\xbb\xbfone\r\nfour\r\n")
    found = bench.services.files.compared_with_disk(history(bench, worked, "/w/a.py"), 1, str(place)).result()
    assert [(row.kind, row.text) for row in found.rows] == [
        (RowKind.SAME, "one"), (RowKind.REMOVED, "four"), (RowKind.ADDED, "three"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.py", None, "not on the disk"),
        ("a.bin", b"\0\1", "binary file"),
        ("b.bin", b"\xff\xfe", "binary file"),
        ("long.py", b"x" * 100, "too large"),
        (".", None, "cannot be read|not a regular file"),
        ("bad\0name", None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_compared_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, told: str
) -> None:
    monkeypatch.setattr(files, "MOST_TEXT", 50)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(KnownError, match=told):
        text_on_disk(f"{tmp_path}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_does_not_stop_the_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(KnownError, match="not a regular file"):
        text_on_disk(str(tmp_path / "pipe"))


def test_a_path_without_a_folder_is_not_looked_for() -> None:
    with pytest.raises(KnownError, match="in which folder"):
        text_on_disk("a.py")


def test_real_sessions_are_read(bench: Bench, samples: Path) -> None:
    paths = [samples / "claude-code" / "long_1100k.jsonl", samples / "pi" / "before-compaction.jsonl"]
    report = bench.services.importing.import_paths(paths).result()
    for session in report.sessions:
        session_tree = bench.services.sessions.open(session.key).result()
        listing = listed(bench, session_tree)
        assert sum(step.act.is_change for step in listing.steps) > 10
        for use in listing.uses:
            found = history(bench, session_tree, use.path)
            views = [bench.services.files.whole(found, step).result() for step in range(len(found.steps))]
            assert not any(view.state.doubtful for view in views)

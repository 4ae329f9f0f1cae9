"""Sessions in the files of older versions of opencode: the same sessions as in its database."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from stemmata.domain.errors import NotFoundError
from stemmata.formats.opencode import files as module
from stemmata.formats.opencode.history import ABANDONED
from stemmata.formats.opencode.reader import Opencode
from stemmata.formats.shared import source_file
from tests.fakes.opencode import Store, store, text, tool, unpacked
from tests.unit.formats.opencode.reading import LATER, Read, read

NAMES = ("s1", "f1", "t1", "g1")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "opencode.db"


def fill(made: Store) -> None:
    spawning = tool("c9", "done", name="task", metadata={"sessionId": "ses_t1"})
    made.session("ses_s1", time_updated=1_760_000_100_000)
    made.turn("ses_s1", 1, at=2)
    made.turn("ses_s1", 2, at=4)
    made.reply("ses_s1", "ses_s1_x", spawning, at=6)
    made.fork("ses_s1", "ses_f1", "ses_s1_u2", at=20)
    made.turn("ses_f1", 2, at=21)
    made.revert("ses_f1", "ses_f1_u2")
    made.session("ses_t1", 30, parent_id="ses_s1")
    made.turn("ses_t1", 1, at=31)
    made.session("ses_g1", 40, parent_id="ses_t1")


@pytest.fixture
def found(database: Path, tmp_path: Path) -> dict[str, Path]:
    with store(database, events=False) as made:
        fill(made)
    return unpacked(database, tmp_path / "storage")


def only(path: Path, *, now: int = LATER) -> Read:
    [one] = read(path, now=now).sessions.values()
    return one


def test_files_hold_the_same_sessions_as_the_database(database: Path, found: dict[str, Path]) -> None:
    for id, expected in read(database).sessions.items():
        one = only(found[id.rpartition("/")[2]])
        assert (one.entries, one.end, one.raw, one.skipped) == (
            expected.entries, expected.end, expected.raw, expected.skipped,
        )  # fmt: skip
        shared = replace(expected.begin.info, details="")
        assert replace(one.begin.info, details="") == shared
        assert ('"toolCall":"c9"' in one.begin.info.details) is (id == "ses_s1/ses_t1")
        assert '"share":"https://x"' in one.begin.info.details


def test_it_recognises_the_file_of_a_session(found: dict[str, Path], tmp_path: Path) -> None:
    path = found["ses_s1"]
    assert Opencode().sniff(path.read_bytes(), path)
    assert not Opencode().sniff(b'{"id": "ses_1"}', path)
    assert not Opencode().sniff(path.read_bytes(), tmp_path / "other.json")
    message = next((tmp_path / "storage" / "message").rglob("*.json"))
    assert not Opencode().sniff(message.read_bytes(), message)
    with pytest.raises(NotFoundError):
        read(path.with_name("ses_none.json"))


def test_a_change_of_a_message_or_a_part_is_a_change(found: dict[str, Path], tmp_path: Path) -> None:
    path = found["ses_s1"]
    known = read(path).checkpoint
    reader = Opencode(lambda: LATER)
    assert not reader.companions_changed(path, known)
    for name in ("message/ses_s1/ses_s1_u1.json", "part/ses_s1_u1/ses_s1_u1_0.json"):
        os.utime(tmp_path / "storage" / name, ns=(1, 1))
        assert reader.companions_changed(path, known)
        known = read(path).checkpoint
    assert read(found["ses_g1"]).checkpoint.state == '{"beside":"","due":0,"sessions":{}}'


def test_what_is_being_written_is_held_back(database: Path, tmp_path: Path) -> None:
    with store(database) as made:
        made.session("ses_s")
        made.prompt("ses_s", "u", "Next?", at=4)
        made.reply("ses_s", "v", text("I th"), at=5, done=False)
    path = unpacked(database, tmp_path / "storage")["ses_s"]
    for file in (tmp_path / "storage").rglob("*.json"):
        os.utime(file, ns=(LATER, LATER))
    assert list(only(path).entries) == ["u"]
    assert list(only(path, now=LATER + ABANDONED).entries) == ["u", "v"]


def test_damaged_files_cost_themselves(
    found: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = tmp_path / "storage"
    monkeypatch.setattr(module, "_LARGEST", 5000)
    (storage / "message/ses_s1/ses_s1_u1.json").write_bytes(b"\xff")
    (storage / "part/ses_s1_a1/ses_s1_a1_1.json").write_text('{"x": "' + "x" * 5000 + '"}')
    (storage / "part/ses_s1_u2").rename(storage / "part/moved")
    one = only(found["ses_s1"])
    assert list(one.entries) == ["ses_s1_a1", "ses_s1_u2", "ses_s1_a2", "ses_s1_x", "ses_s1_x#2"]
    assert [skip.reason for skip in one.skipped] == [
        "the message: not valid JSON", "part ses_s1_a1_1: lost or too large",
    ]  # fmt: skip
    found["ses_s1"].write_text("[]")
    assert only(found["ses_s1"]).begin.info.cwd == ""
    found["ses_s1"].unlink()
    assert only(found["ses_t1"]).begin.info.parent_source_id == "ses_s1"


def test_files_that_go_while_they_are_read(found: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = found["ses_s1"]
    before = read(path).checkpoint
    lstat = Path.lstat

    def gone(self: Path) -> os.stat_result:
        if self.name == "ses_s1_u1.json":
            raise FileNotFoundError(2, "No such file")
        return lstat(self)

    monkeypatch.setattr(Path, "lstat", gone)
    assert Opencode(lambda: LATER).companions_changed(path, before)
    opened = source_file.open_source

    def lost(file: Path) -> BinaryIO:
        if file.name == "ses_s1_u1.json":
            raise NotFoundError("File not found.")
        return opened(file)

    monkeypatch.setattr(module, "open_source", lost)
    assert [skip.reason for skip in only(path).skipped] == ["the message: lost or too large"]


def test_the_samples(samples: Path) -> None:
    path = samples / "opencode" / "storage" / "session" / "global" / "ses_demo.json"
    one = only(path, now=LATER * 2)
    assert one.parents == {"msg_1": None, "msg_2": "msg_1", "msg_2#2": "msg_2", "msg_3": "msg_2#2", "msg_4": "msg_3"}
    assert one.said("msg_4").startswith("## Goal")
    assert one.entries["msg_4"].kind.text == "compaction"

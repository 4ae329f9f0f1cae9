"""Recall and memory, and the consent that a tool needs before it writes."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import stat
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.run import Consent, Question, ToolOutcome
from stemmata.domain.chat.tool_servers import KeptConsent
from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change
from stemmata.domain.sessions.session import Session
from stemmata.services.ports.providers import Toolbox
from stemmata.services.tools import memory, own_tools
from stemmata.services.tools.consents import Consents
from stemmata.services.tools.memory import LARGEST, Memory
from stemmata.services.tools.memory_place import OFF, OWN, WORKSPACE
from stemmata.services.tools.own_tools import OwnTools
from stemmata.services.tools.recall import Recall
from tests.unit.services.conftest import Bench, Records


class Person:
    """A user who answers questions; `asked` are the questions."""

    def __init__(self, *answers: Consent) -> None:
        self.answers, self.asked = list(answers), list[Question]()

    async def __call__(self, question: Question) -> Consent:
        self.asked.append(question)
        return self.answers.pop(0)


class Desk:
    def __init__(self, bench: Bench, session: Session, folder: Path) -> None:
        self.tools: Toolbox = OwnTools(lambda: (Recall(bench.archive), Memory(folder)))
        self.session, self.person = session, Person()

    def outcome(self, name: str, **arguments: Any) -> ToolOutcome:
        call = ToolCall("c1", name, json.dumps(arguments))
        return asyncio.run(self._call(call))

    async def _call(self, call: ToolCall) -> ToolOutcome:
        return await self.tools.call(self.session, call, self.person)

    def told(self, name: str, **arguments: Any) -> str:
        return plain_text(self.outcome(name, **arguments).blocks)


@pytest.fixture
def shared(bench: Bench, talk: Records, tmp_path: Path) -> Desk:
    other = talk("other", ("a", None, "user", "The walrus was elsewhere"))
    other[0]["cwd"] = "/other"
    bench.imported(other, "other.jsonl")
    here = bench.imported(
        talk("s", ("1", None, "user", "A walrus here"), ("2", "1", "assistant", "I saw the walrus"))
    )
    return Desk(bench, here.session, tmp_path / "memory")


def test_recall_quotes_with_where_it_is_from(shared: Desk) -> None:
    told = shared.told("recall", query="walrus")
    assert told.startswith("3 of 3 hits")
    assert "another project: /other" in told
    assert told.count("another project") == 1
    assert "entry 2; assistant" in told
    assert shared.told("recall", query="walrus", session="this").startswith("2 of 2 hits")
    assert shared.told("recall", query="walrus", role="assistant", limit=1).startswith("1 of 1 hits")
    assert shared.told("recall", query="unicorn") == "No matches."
    assert shared.person.asked == []


@pytest.mark.parametrize(
    "arguments",
    [{}, {"query": " "}, {"query": 3}, {"query": "x", "role": "root"}, {"query": "x", "limit": 0},
     {"query": "x", "limit": True}, {"query": "x", "session": "nobody"}],
)  # fmt: skip
def test_wrong_arguments_are_failed_outcomes(shared: Desk, arguments: dict[str, Any]) -> None:
    assert shared.outcome("recall", **arguments).failed


def test_an_unknown_tool_is_a_failed_outcome(shared: Desk) -> None:
    assert shared.outcome("rm").failed
    assert [definition.name for definition in shared.tools.definitions(shared.session)] == ["recall", "memory"]


def test_memory_writes_when_it_may(shared: Desk, tmp_path: Path) -> None:
    shared.person.answers = [Consent.REFUSED, Consent.ONCE, Consent.SESSION]
    assert "There are no notes" in shared.told("memory", command="view")
    assert shared.outcome("memory", command="create", file="a.md", text="one").failed
    assert not (tmp_path / "memory").exists()
    assert not shared.outcome("memory", command="create", file="a.md", text="one").failed
    assert not shared.outcome("memory", command="append", file="a.md", text="two").failed
    assert not shared.outcome("memory", command="replace", file="a.md", old="one", text="1").failed
    assert shared.told("memory", command="view", file="a.md") == "1\ntwo"
    assert shared.told("memory", command="view") == "a.md"
    assert len(shared.person.asked) == 3
    assert shared.person.asked[0].why == "writes"
    assert stat.S_IMODE((tmp_path / "memory" / "a.md").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "memory").iterdir()] == ["a.md"]


@pytest.mark.parametrize(("consent", "failed"), [(Consent.ALWAYS, False), (Consent.NEVER, True)])
def test_an_answer_for_the_folder_is_asked_once(shared: Desk, consent: Consent, failed: bool) -> None:
    shared.person.answers = [consent]
    for _ in range(2):
        assert shared.outcome("memory", command="append", file="a.md", text="x").failed is failed
    assert len(shared.person.asked) == 1


@pytest.mark.parametrize("name", ["../a.md", "/etc/passwd", "a/b.md", ".a.md", "a.txt", "", "a.md\n", "a\0.md"])
def test_no_name_leads_out_of_the_folder(shared: Desk, name: str) -> None:
    shared.person.answers = [Consent.ALWAYS]
    assert shared.outcome("memory", command="append", file=name, text="x").failed
    if name:
        assert shared.outcome("memory", command="view", file=name).failed


def test_links_are_not_followed(shared: Desk, tmp_path: Path) -> None:
    shared.person.answers = [Consent.ALWAYS]
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").symlink_to(secret)
    (tmp_path / "memory" / "d.md").mkdir()
    for file in ("a.md", "d.md"):
        assert shared.outcome("memory", command="view", file=file).failed
        assert shared.outcome("memory", command="append", file=file, text="x").failed
    assert secret.read_text() == "secret"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"command": "delete", "file": "a.md"}, "must be one of view, create, append, replace"),
        ({"file": "a.md"}, "“command” must be a text"),
        ({"command": "create", "file": "a.md", "text": "two"}, "a.md exists already"),
        ({"command": "append", "file": "a.md"}, "“text” must be a text"),
        ({"command": "replace", "file": "a.md", "old": "one", "text": "1"}, "exactly once"),
        ({"command": "replace", "file": "a.md", "old": "none", "text": "1"}, "exactly once"),
        ({"command": "replace", "file": "a.md", "text": "1"}, "exactly once"),
        ({"command": "replace", "file": "b.md", "old": "one", "text": "1"}, "cannot be used: No such file"),
        ({"command": "view", "file": "d.md"}, "d.md is not a file"),
        ({"command": "view", "file": "large.md"}, "more than 256 kB"),
        ({"command": "append", "file": "large.md", "text": "y"}, "more than 256 kB"),
    ],
)
def test_what_memory_does_not_do_leaves_the_notes(
    shared: Desk, tmp_path: Path, arguments: dict[str, str], why: str
) -> None:
    shared.person.answers = [Consent.ALWAYS]
    folder = tmp_path / "memory"
    folder.mkdir()
    os.mkfifo(folder / "d.md")  # nobody writes to it: whoever waits for its end waits for ever
    (folder / "a.md").write_text("one one")
    (folder / "large.md").write_bytes(b"x" * (LARGEST + 1))
    outcome = shared.outcome("memory", **arguments)
    assert outcome.failed
    assert why in plain_text(outcome.blocks)
    assert (folder / "a.md").read_text() == "one one"
    assert (folder / "large.md").stat().st_size == LARGEST + 1
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "d.md", "large.md"]


def test_sizes_are_capped_and_nothing_is_lost(shared: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared.person.answers = [Consent.ALWAYS]
    assert not shared.outcome("memory", command="create", file="a.md", text="x" * LARGEST).failed
    assert shared.outcome("memory", command="append", file="a.md", text="y").failed
    assert (tmp_path / "memory" / "a.md").stat().st_size == LARGEST
    monkeypatch.setattr(own_tools, "LARGEST", 10)
    assert shared.told("memory", command="view", file="a.md").endswith("more characters]")


class Refusing:
    """A file of consents that cannot be written."""

    def consents(self) -> tuple[KeptConsent, ...]:
        return ()

    def save(self, _consent: KeptConsent) -> None:
        raise KnownError("The file is read-only.")

    def remove(self, _consent: KeptConsent) -> None: ...


def test_an_answer_that_cannot_be_written_holds_until_the_end(shared: Desk, bench: Bench, tmp_path: Path) -> None:
    consents = Consents(bench.archive, Refusing(), bench.services.notices)
    shared.tools = OwnTools(lambda: (Memory(tmp_path / "memory"),), consents=consents)
    shared.person.answers = [Consent.ALWAYS, Consent.NEVER]
    for _ in range(2):
        assert not shared.outcome("memory", command="append", file="a.md", text="x").failed
    assert len(shared.person.asked) == 1
    assert bench.published[-1].what is Change.TOOLS
    [kept] = consents._unkept
    consents.forget(kept).result()
    assert shared.outcome("memory", command="append", file="a.md", text="x").failed
    assert len(shared.person.asked) == 2


def in_workspace(shared: Desk, tmp_path: Path) -> Path:
    """The notes of the session are stored in this folder, which exists."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    shared.session = replace(shared.session, cwd=str(folder))
    shared.tools = OwnTools(lambda: (Memory(tmp_path / "memory", place=lambda: WORKSPACE),))
    return folder


def test_notes_are_stored_in_the_workspace(shared: Desk, tmp_path: Path) -> None:
    folder = in_workspace(shared, tmp_path)
    shared.person.answers = [Consent.SESSION]
    assert shared.told("memory", command="append", file="d.md", text="one") == "d.md is written."
    (folder / "memory" / "d.md").chmod(0o640)
    assert not shared.outcome("memory", command="append", file="d.md", text="two").failed
    assert (folder / "memory" / "d.md").read_text() == "one\ntwo"
    assert stat.S_IMODE((folder / "memory" / "d.md").stat().st_mode) == 0o640
    assert shared.told("memory", command="view") == "d.md"
    assert [question.folder for question in shared.person.asked] == [str(folder / "memory")]
    assert not (tmp_path / "memory").exists()


def test_consent_for_another_place_is_not_used_in_the_workspace(shared: Desk, tmp_path: Path) -> None:
    place = [OWN]
    folder = in_workspace(shared, tmp_path)
    shared.tools = OwnTools(lambda: (Memory(tmp_path / "memory", place=lambda: place[0]),))
    shared.person.answers = [Consent.SESSION, Consent.REFUSED]
    assert not shared.outcome("memory", command="append", file="d.md", text="one").failed
    place[0] = WORKSPACE
    assert shared.outcome("memory", command="append", file="d.md", text="one").failed
    assert not (folder / "memory").exists()


def test_a_workspace_that_must_not_be_written_is_told(shared: Desk, tmp_path: Path) -> None:
    in_workspace(shared, tmp_path).rmdir()
    shared.person.answers = [Consent.ONCE]
    assert "does not exist" in shared.told("memory", command="append", file="d.md", text="one")


@pytest.mark.parametrize(
    ("place", "cwd", "is_on", "offered"),
    [
        (OFF, "/here", True, True), (OFF, "/here", False, False), (OWN, "", False, True),
        (WORKSPACE, "/here", False, True), (WORKSPACE, "", True, False),
    ],
)  # fmt: skip
def test_a_place_for_notes_offers_the_tool(
    shared: Desk, tmp_path: Path, place: str, cwd: str, *, is_on: bool, offered: bool
) -> None:
    tools = OwnTools(lambda: (Memory(tmp_path, lambda: is_on, lambda: place),))
    assert bool(tools.definitions(replace(shared.session, cwd=cwd))) is offered


def test_a_full_disk_leaves_the_note_as_it_was(shared: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared.person.answers = [Consent.ALWAYS]
    assert not shared.outcome("memory", command="create", file="a.md", text="one").failed

    def full(*_names: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    assert "No space left" in shared.told("memory", command="append", file="a.md", text="two")
    assert [path.name for path in (tmp_path / "memory").iterdir()] == ["a.md"]
    assert (tmp_path / "memory" / "a.md").read_text() == "one"


def test_another_program_that_writes_the_note_is_waited_for(
    shared: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.person.answers = [Consent.ALWAYS]
    (tmp_path / "memory").mkdir()
    part = tmp_path / "memory" / ".a.md.part"
    part.write_text("of the other")
    pauses: list[float] = []

    def paused(seconds: float) -> None:
        pauses.append(seconds)
        (tmp_path / "memory" / "a.md").write_text("other")
        part.unlink()

    monkeypatch.setattr(time, "sleep", paused)
    assert not shared.outcome("memory", command="append", file="a.md", text="mine").failed
    assert (tmp_path / "memory" / "a.md").read_text() == "other\nmine"
    assert len(pauses) == 1


@pytest.mark.parametrize("written", [1, 2**32])  # the second time is in the future: the clock was set back
def test_what_a_killed_program_left_is_removed_and_a_living_one_is_not_disturbed(
    shared: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    shared.person.answers = [Consent.ALWAYS]
    (tmp_path / "memory").mkdir()
    part = tmp_path / "memory" / ".a.md.part"
    part.write_text("half")
    monkeypatch.setattr(memory, "PATIENCE", 0.05)
    assert "Another program" in shared.told("memory", command="append", file="a.md", text="mine")
    assert part.read_text() == "half"
    os.utime(part, (written, written))
    assert not shared.outcome("memory", command="append", file="a.md", text="mine").failed
    assert [path.name for path in (tmp_path / "memory").iterdir()] == ["a.md"]


def test_a_kept_answer_is_found_by_tool_and_folder(bench: Bench) -> None:
    consents = Consents(bench.archive)
    consents._unkept += [KeptConsent("Stemmata", "memory", at, may=at == "/yes") for at in ("/yes", "/no")]
    found = [asyncio.run(consents.kept("Stemmata", "memory", at)) for at in ("/no", "/yes", "/other")]
    assert found == [False, True, None]


def test_each_tool_names_the_folder_that_consent_is_for(shared: Desk, bench: Bench, tmp_path: Path) -> None:
    folder = shared.session.cwd
    assert [tool.consent_folder(shared.session) for tool in (Recall(bench.archive), Memory(tmp_path))] == [folder] * 2

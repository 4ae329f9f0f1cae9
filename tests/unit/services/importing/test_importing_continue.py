"""Sessions of Continue that it writes anew: what it takes out of a session stays in the archive as a branch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fakes.continue_dev import NAME, said, session, talk
from tests.unit.services.conftest import Bench


def take(bench: Bench, items: Sequence[Any], id: str = "s", name: str = NAME) -> Path:
    path = bench.folder / name
    path.write_bytes(session(*items, sessionId=id))
    report = bench.services.importing.import_paths([path]).result()
    assert report.skipped_files == ()
    return path


def test_an_edited_prompt_leaves_a_branch(bench: Bench) -> None:
    take(bench, talk())
    take(bench, [*talk()[:2], said("user", "Which cake?", message={"id": "e"})])
    [listed] = bench.services.sessions.all().result()
    tree = bench.services.sessions.open(listed.key).result().tree
    assert (listed.entries, listed.branches) == (7, 2)
    assert listed.leaf is not None
    assert bench.id_of(listed.leaf) == "e"
    assert len(tree.leaves) == 2


def test_an_item_without_an_id_that_was_replaced_is_kept(bench: Bench) -> None:
    take(bench, [said("user", "Tea?"), said("assistant", "Sencha.")])
    take(bench, [said("user", "Tea?"), said("assistant", "Matcha.")])
    [listed] = bench.services.sessions.all().result()
    assert (listed.entries, listed.branches) == (3, 2)


def test_a_copy_of_a_session_is_linked_and_stored_once(bench: Bench) -> None:
    take(bench, talk())
    take(bench, [*talk(), said("assistant", "Yes.", message={"id": "e"})], id="fork", name=NAME.replace("1.", "2."))
    origin, fork = sorted(bench.services.sessions.all().result(), key=lambda one: one.key)
    assert (fork.source_id, fork.parent) == ("fork", origin.key)


def test_a_prompt_is_called_by_its_text_and_not_by_what_is_attached(bench: Bench) -> None:
    path = bench.folder / "b.json"
    path.write_bytes(session(talk()[0], sessionId="t", title="New Session"))
    bench.services.importing.import_paths([path]).result()
    [listed] = bench.services.sessions.all().result()
    assert listed.title == "Which tea?"

"""Compactions whose summary a model writes."""

from __future__ import annotations

import json

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.errors import ConflictError
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.compaction.model_compaction import ModelCompactions, ModelRef
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.compaction.summarising import SummaryError
from stemmata.system.loop import IoLoop
from tests.fakes.summary_model import GOOD, SummaryModel
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records

WRITER = ModelRef("anthropic", "claude-haiku")
PRICES = Catalogue({"claude-haiku": Model("claude-haiku", 200_000, 1_000_000, 5_000_000)})


@pytest.fixture
def session(bench: Bench, talk: Records) -> SessionTree:
    rows = [
        (str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Words. " * 60)
        for at in range(1, 13)
    ]
    return bench.imported(talk("s", *rows))


def request(session_tree: SessionTree) -> CompactionRequest:
    assert session_tree.session.leaf is not None
    return CompactionRequest(session=session_tree.session.key, leaf=session_tree.session.leaf, keep_recent_tokens=50)


def compactions(bench: Bench, loop: IoLoop, model: SummaryModel) -> ModelCompactions:
    return ModelCompactions(bench.services.compaction, model, lambda: PRICES, loop)


def test_the_model_s_words_are_stored_with_what_they_cost(bench: Bench, loop: IoLoop, session: SessionTree) -> None:
    done = compactions(bench, loop, SummaryModel(GOOD)).run(request(session), WRITER).result(PATIENCE)
    assert done.entry is not None
    body = bench.services.entries.bodies([done.entry]).result()[done.entry]
    details = json.loads(body.details)
    assert details["summariser"] == "anthropic/claude-haiku"
    assert details["usage"] == {"input": 100, "output": 10, "cost": 150}
    assert "About goal." in done.summary.text
    assert bench.reopened(session).session.leaf == done.entry


def test_a_draft_stores_nothing(bench: Bench, loop: IoLoop, session: SessionTree) -> None:
    draft = compactions(bench, loop, SummaryModel(GOOD)).draft(request(session), WRITER).result(PATIENCE)
    assert draft.entry is None
    assert "About goal." in draft.summary.text
    assert bench.reopened(session).session.entries == session.session.entries


def test_what_was_written_can_be_read_before_it_is_stored(bench: Bench, loop: IoLoop, session: SessionTree) -> None:
    written = compactions(bench, loop, SummaryModel(GOOD)).written(request(session), WRITER).result(PATIENCE)
    assert written.text is not None
    assert "About goal." in written.text
    assert (written.maker, written.usage and written.usage.cost) == ("anthropic/claude-haiku", 150)
    assert bench.reopened(session).session.entries == session.session.entries
    done = bench.services.compaction.run(written).result()
    assert done.summary.text == written.text


def test_a_summary_that_is_none_leaves_everything(bench: Bench, loop: IoLoop, session: SessionTree) -> None:
    with pytest.raises(SummaryError):
        compactions(bench, loop, SummaryModel("no", "no")).run(request(session), WRITER).result(PATIENCE)
    assert bench.reopened(session).session.leaf == session.session.leaf


def test_a_session_that_moved_on_meanwhile_is_not_compacted(bench: Bench, loop: IoLoop, session: SessionTree) -> None:
    def move() -> None:
        bench.services.branching.move_leaf(session.session.key, session.tree.key(3)).result(PATIENCE)

    with pytest.raises(ConflictError):
        compactions(bench, loop, SummaryModel(GOOD, before=move)).run(request(session), WRITER).result(PATIENCE)

"""Summaries are measured by planted facts: of a session, of made-up conversations, and of a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.bootstrap.core import Core, open_core
from stemmata.domain.compaction.quality import baselines
from stemmata.domain.compaction.quality.facts import FactKind
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.services.compaction.model_compaction import ModelRef
from stemmata.services.compaction.quality import WAYS, SummaryQuality
from stemmata.system.settings.schema import Settings
from stemmata.system.settings.settings import LoadedSettings
from tests.fakes.summary_model import GOOD, SummaryModel


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Core]:
    monkeypatch.setattr(baselines, "MOST_SENTENCES", 100)  # more take seconds
    core = open_core(tmp_path / "archive.db", LoadedSettings(Settings(), path=tmp_path / "settings.toml"))
    yield core
    core.close()


def session(core: Core, *texts: str) -> int:
    key = core.store.write(
        lambda writer: writer.create_session(SessionInfo(source="pi", source_id="one", created_at=1))
    ).result()
    entries, before = [], None
    for at, text in enumerate(texts):
        role = Role.ASSISTANT if at % 2 else Role.USER
        entries.append(Entry(id=f"e{at}", parent=before, role=role, blocks=(Text(text),)))
        before = f"e{at}"
    keys = core.store.write(lambda writer: writer.append(key, entries)).result()
    if keys:
        core.store.write(lambda writer: writer.move_leaf(key, keys[-1], "test", time=1)).result()
    return key


def test_every_way_is_measured_at_every_ratio(core: Core) -> None:
    key = session(core, "Make it faster, please.", "It is faster now.", "And the other one?", "That one, too.")
    scores = core.services.summary_quality.measure(key, ratios=(10, 90)).result()
    assert [(row.way, row.ratio) for row in scores] == [
        *((way, ratio) for ratio in (10, 90) for way in WAYS), ("tool output pruned", 100),
    ]  # fmt: skip
    assert all(set(row.kept) == set(FactKind) for row in scores)
    assert scores[-1].percent > 80  # what failed stands in the results of tools, which are pruned
    assert all(row.cost is None for row in scores)


def test_without_a_session_made_up_conversations_are_measured(core: Core) -> None:
    scores = core.services.summary_quality.measure(ratios=(20,)).result()
    by_way = {row.way: row.percent for row in scores}
    assert by_way["digest"] == max(by_way[way] for way in WAYS)
    assert by_way["digest"] > 90


def test_an_empty_session_cannot_be_measured(core: Core) -> None:
    with pytest.raises(NothingToDoError, match="no messages"):
        core.services.summary_quality.measure(session(core)).result()


def test_a_model_is_measured_by_its_own_summaries(core: Core) -> None:
    key = session(core, "Make it faster, please.", "It is faster now.")
    quality = SummaryQuality(
        core.store, core.services.chat_ports.loop, SummaryModel(GOOD), lambda: core.services.catalogue
    )
    scores = quality.measure(key, ratios=(50,), model=ModelRef("fake", "writer")).result()
    assert scores[-1].way == "fake/writer"
    assert 0 < scores[-1].percent <= 100

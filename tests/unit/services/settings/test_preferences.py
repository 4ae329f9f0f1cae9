from __future__ import annotations

import pytest

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change
from tests.unit.services.conftest import Bench, Records


def test_what_is_changed_is_written_and_in_force(bench: Bench, talk: Records) -> None:
    session_tree = bench.imported(talk("s", ("1", None, "user", "hello"), ("2", "1", "assistant", "hi")))
    services = bench.services
    assert services.contexts.at(session_tree, 1).budget.trigger == 400
    services.preferences.change("compaction.reserve_tokens", 0).result()
    preferred = services.preferences.change("compaction.threshold_percent", 70).result()
    assert preferred.values["compaction.threshold_percent"] == 70
    assert services.contexts.at(session_tree, 1).budget.trigger == 700
    assert bench.published[-1].what is Change.SETTINGS


def test_only_what_concerns_contexts_is_published(bench: Bench) -> None:
    preferences = bench.services.preferences
    preferences.read().result()
    before = len(bench.published)
    assert preferences.change("window.theme", "light").result().values["window.theme"] == "light"
    assert preferences.read().result().values["window.theme"] == "light"
    assert len(bench.published) == before


def test_a_wrong_change_fails_in_words_and_changes_nothing(bench: Bench) -> None:
    preferences = bench.services.preferences
    with pytest.raises(KnownError, match="Nothing was changed"):
        preferences.change("compaction.threshold_percent", 5).result()
    assert preferences.read().result().problem == ""
    sections = {setting.section for setting in preferences.schema}
    assert sections == {"window", "sources", "compaction", "chat", "search"}

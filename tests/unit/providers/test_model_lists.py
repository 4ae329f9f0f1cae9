"""What servers tell of their models, from everything to nothing but an id."""

from __future__ import annotations

import pytest

from stemmata.domain.connections import OfferedModel
from stemmata.providers.anthropic_models import offered_models
from stemmata.providers.openai_server import offered_by


def test_a_bare_id_is_enough() -> None:
    assert offered_models([{"id": "qwen3:8b"}]) == (OfferedModel(id="qwen3:8b"),)
    assert offered_by([{"id": "qwen3:8b", "object": "model"}]) == (OfferedModel(id="qwen3:8b"),)


@pytest.mark.parametrize("listed", [None, {}, "no", [3, None, {}, {"id": ""}]])
def test_nonsense_lists_nothing(listed: object) -> None:
    assert offered_models(listed) == ()
    assert offered_by(listed) == ()


def test_retired_models_are_not_offered() -> None:
    listed = [{"id": "old", "lifecycle": "retired"}, {"id": "ending", "lifecycle": "deprecated"}]
    assert [model.id for model in offered_models(listed)] == ["ending"]


def test_odd_facts_count_as_untold() -> None:
    odd = {"id": "m", "max_input_tokens": "many", "max_tokens": -1, "display_name": 3, "capabilities": [1]}
    assert offered_models([odd]) == (OfferedModel(id="m"),)


@pytest.mark.parametrize(
    "facts",
    [
        {"max_model_len": 4096},  # vLLM
        {"context_length": 4096},  # OpenRouter
        {"max_context_length": 4096},  # LM Studio
        {"meta": {"n_ctx_train": 4096}},  # llama.cpp
    ],
)
def test_each_server_has_its_own_name_for_the_window(facts: dict[str, object]) -> None:
    assert offered_by([{"id": "m"} | facts]) == (OfferedModel(id="m", window=4096),)

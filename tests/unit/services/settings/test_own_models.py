"""What the person says of models: before what is shipped and what servers report, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.errors import KnownError
from stemmata.services.settings.own_models import KnownModel, OwnModels
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.waiting import PATIENCE

SHIPPED = "claude-sonnet-4"


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, "http://127.0.0.1:9") as chat:
        yield chat


@pytest.fixture
def models(chat: ChatApp) -> OwnModels:
    return chat.services.own_models


def row(models: OwnModels, id: str) -> KnownModel:
    return next(known for known in models.all().result(PATIENCE) if known.model.id == id)


def test_a_model_is_added_counts_at_once_and_is_taken_out(models: OwnModels, chat: ChatApp) -> None:
    mine = Model("my-model", 32_000, 1_000_000, 2_000_000, most_output=4_000, aliases=("mine",))
    models.save(mine).result(PATIENCE)
    assert models.all().result(PATIENCE)[0] == KnownModel(mine, mine)
    for name in ("my-model", "local/mine", "mine-2025"):
        assert chat.services.contexts.window(name) == 32_000
    assert chat.services.run_options.longest_reply("local/mine") == 4_000
    models.save(Model("renamed", 1_000), "my-model").result(PATIENCE)
    assert chat.services.contexts.window("my-model") is None
    models.remove("renamed").result(PATIENCE)
    assert chat.services.contexts.window("renamed") is None
    assert all(known.own is None for known in models.all().result(PATIENCE))


def test_what_is_shipped_counts_again_once_the_own_is_taken_out(models: OwnModels, chat: ChatApp) -> None:
    shipped = row(models, SHIPPED)
    assert shipped.own is None
    models.save(Model(SHIPPED, 1_000)).result(PATIENCE)
    own = row(models, SHIPPED)
    assert own.model.window == 1_000
    assert own.model.input_price == shipped.model.input_price  # what is left open stays
    assert own.shipped == shipped.model
    models.remove(SHIPPED).result(PATIENCE)
    assert row(models, SHIPPED) == shipped
    assert chat.services.contexts.window(SHIPPED) == shipped.model.window


def test_what_servers_report_stays_when_the_own_is_taken_out(models: OwnModels, chat: ChatApp) -> None:
    chat.services.offer("fake", (OfferedModel(id="served", window=5_000),))
    models.save(Model("served", 7_000)).result(PATIENCE)
    assert chat.services.contexts.window("fake/served") == 7_000
    models.remove("served").result(PATIENCE)
    assert chat.services.contexts.window("fake/served") == 5_000


def test_what_cannot_be_is_refused(models: OwnModels, tmp_path: Path) -> None:
    before = (tmp_path / "settings.toml").read_text()
    for wrong in (Model(""), Model("m", 0), Model("m", input_price=-1), Model("m" * 200, 1)):
        with pytest.raises(KnownError, match="Nothing was changed"):
            models.save(wrong).result(PATIENCE)
    assert (tmp_path / "settings.toml").read_text() == before

"""What the list of models says of each: its window, its prices, and who said so."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import OfferedModel
from stemmata.gui.composer.picker_controller import model_hint, window_note

TOLD = OfferedModel(id="m", window=40_960, input_price=3_000_000)
BOUND = OfferedModel(id="m", window=131_072, is_bound=True)
KNOWN = Model("m", 40_960, 3_000_000, 15_000_000)


@pytest.mark.parametrize(
    ("known", "offered", "note"),
    [
        (None, None, "—"),
        (Model("m"), None, "—"),
        (KNOWN, TOLD, "41k"),
        (Model("m", 131_072), BOUND, "≤ 131.1k"),
        (Model("m", 8192), BOUND, "8.2k"),  # the person knows better
    ],
)
def test_a_window_in_short(known: Model | None, offered: OfferedModel | None, note: str, qapp: object) -> None:
    assert window_note(known, offered) == note


def test_who_said_so_is_told(qapp: object) -> None:
    assert model_hint(None, TOLD) == ""
    assert model_hint(Model("m"), None) == ""
    window, prices = model_hint(KNOWN, TOLD).splitlines()
    assert window.endswith("tokens (reported by the server)")
    assert prices == "$3.00 in, $15.00 out per million tokens (reported by the server)"
    window, prices = model_hint(KNOWN, None).splitlines()
    assert window.endswith("tokens (catalogue or settings)")
    assert prices.endswith("(catalogue or settings)")
    assert "the server may load the model with a smaller window" in model_hint(Model("m", 131_072), BOUND)

"""Preview, message and card of one compaction have the same figures, and so has the context after it."""

from __future__ import annotations

import json
from random import Random

import pytest

from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.errors import NothingToDoError
from stemmata.services.compaction.request import CompactionRequest
from tests.unit.services.conftest import Bench, Records


def a_talk(dice: Random, talk: Records) -> list[dict[str, object]]:
    """A random tree: prompts, replies with and without a report of their size, tool results, forks."""
    rows: list[tuple[str, str | None, str, str]] = []
    tip: str | None = None
    for at in range(dice.randrange(12, 40)):
        role = "user" if at == 0 else dice.choice(("user", "assistant", "toolResult", "assistant", "toolResult"))
        rows.append((str(at), tip, role, "word " * dice.randrange(1, 160)))
        tip = str(dice.randrange(at + 1)) if dice.random() < 0.1 else str(at)
    records = talk("s", *rows)
    for record in records:
        message = record.get("message")
        if isinstance(message, dict) and "usage" in message and dice.random() < 0.4:
            message["usage"] = {"input": 1, "totalTokens": dice.randrange(500, 9000)}
    return records


@pytest.mark.parametrize("seed", range(14))
def test_what_is_promised_is_what_is_told_and_stored_and_true(bench: Bench, talk: Records, seed: int) -> None:
    dice = Random(seed)
    services = bench.services
    opened = bench.imported(a_talk(dice, talk))
    tree, leaf, session = opened.tree, opened.tree.get(opened.session.leaf), opened.session
    assert leaf is not None
    assert session.leaf is not None
    path_totals, prune_first = PathTotals.to(tree, leaf), seed % 2 == 0
    try:
        preview = services.compaction.preview(opened, leaf, path_totals=path_totals)
    except NothingToDoError:
        pytest.skip("the tree is too short to compact")
    kept = preview.plan.kept[:1]
    request = CompactionRequest(
        session=session.key,
        leaf=session.leaf,
        first_kept=tree.key(kept[0]) if kept else None,
        prune=PruneOccasion.BY_HAND if prune_first else None,
        text="A summary. " * dice.randrange(1, 6),
    )
    forecast = preview.forecast.with_summary(to_tokens(units(request.text or "")))
    if prune_first:
        try:
            pruned = services.pruning.preview(opened, leaf, path_totals).pruned
        except NothingToDoError:
            pruned = ()
        projection = context_at(tree, preview.plan.parent, path_totals)
        forecast = forecast.with_pruned(projection, preview.plan, pruned)
        without = preview.forecast.with_summary(forecast.summary).after.total.value or 0
        brings = forecast.scaled(forecast.dropped)
        assert abs(without - (forecast.after.total.value or 0) - brings) <= 1, "the figure beside the box"
    try:
        told = services.compaction.run(request).result()
    except NothingToDoError:
        pytest.skip("the compaction saves nothing")
    assert told.entry is not None
    card = json.loads(services.entries.bodies([told.entry]).result()[told.entry].details)
    after = bench.reopened(opened)
    seen = services.contexts.seen(after, after.tree.get(after.session.leaf)).breakdown
    promised = forecast.after.total.value
    assert promised == told.after.total.value == card["after"]["total"]["value"] == seen.total.value
    assert preview.before.total.value == told.before.total.value == card["before"]["total"]["value"]

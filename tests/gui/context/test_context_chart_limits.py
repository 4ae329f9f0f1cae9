"""The names of the limits in the chart of the context: in their lines, and never over what is drawn."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF

from stemmata.domain.context.breakdown import Budget
from stemmata.domain.context.context_history import chart_points, context_history_of
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role, Usage
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.gui.context.chart_body import ChartBody, ChartScale, chart_scale, limits
from stemmata.gui.theme.theme import Theme
from stemmata.services.context.contexts import Timeline

SIZE = QSize(292, 124)
GROWTH = 1000  # tokens a turn
TURNS = 40


def saw(peak: int) -> list[Entry]:
    """A context that grows up to a peak, is compacted, and grows again."""
    out: list[Entry] = []
    held = 0
    for at in range(TURNS):
        held += GROWTH
        if held > peak:
            held = 0
            facts: dict[str, Any] = {
                "kind": Kind.COMPACTION,
                "blocks": (Text("short"),),
                "usage": Usage(total=peak),
            }
        else:
            role, told = (Role.ASSISTANT, Usage(total=held)) if at % 2 else (Role.USER, None)
            facts = {"role": role, "blocks": (Text("x" * 400),), "usage": told}
        out.append(Entry(id=str(at), parent=str(at - 1) if at else None, time=at + 1, **facts))
    return out


def drawn(theme: Theme, entries: list[Entry], window: int) -> tuple[ChartBody, Timeline, ChartScale]:
    tree = Tree.from_entries(entries)
    history = context_history_of(PathTotals(tree, tree.path(len(tree) - 1)))
    shown = Timeline(history, chart_points(history, 600), Budget.of(window, CompactionSettings(reserve_tokens=1000)))
    scale = chart_scale(theme, shown, SIZE)
    return ChartBody(theme, shown, scale), shown, scale


def names(theme: Theme, body: ChartBody) -> dict[str, QRectF]:
    return body.limit_names(QFontMetricsF(theme.font("small")))


@pytest.mark.parametrize("scale", [100, 200])
@pytest.mark.parametrize("window", [11_000, 13_000, 16_000, 24_000])
@pytest.mark.parametrize("peak", [6_000, 10_000])
def test_names_cover_nothing(theme: Theme, peak: int, window: int, scale: int) -> None:
    theme.set_scale(scale)
    body, shown, plot = drawn(theme, saw(peak), window)
    for place in names(theme, body).values():
        first, last = (plot.position(x) for x in (place.left(), place.right()))
        under = [sum(shown.history.point(at).bands) for at in range(first, last + 1)]
        assert place.bottom() < plot.y(max(under))
        assert plot.plot.left() <= place.left() < place.right() <= plot.plot.right()
    found = list(names(theme, body).values())
    assert not any(one.intersects(other) for at, one in enumerate(found) for other in found[:at])


def test_a_name_stands_in_its_line(theme: Theme) -> None:
    body, shown, plot = drawn(theme, saw(8_000), 24_000)
    found = names(theme, body)
    assert list(found) == ["window", "auto-compact"]
    for tokens, name in limits(shown.history, shown.budget):
        assert found[name].center().y() == pytest.approx(plot.y(tokens))


def test_a_name_gives_way_to_what_is_at_the_left(theme: Theme) -> None:
    entries = saw(9_000)[:10]  # up, compacted, and then hardly anything more
    for at in range(10, 40):
        entries.append(Entry(id=str(at), parent=str(at - 1), time=at + 1, role=Role.USER, blocks=(Text("x"),)))
    body, _, plot = drawn(theme, entries, 9_000)
    assert names(theme, body)["auto-compact"].left() > plot.x(9)


def test_a_limit_without_room_has_no_name(theme: Theme) -> None:
    body, _, _ = drawn(theme, saw(40_000), 12_000)  # everything is above it
    assert "auto-compact" not in names(theme, body)

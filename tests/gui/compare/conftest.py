"""A page over two branches from memory: left keys 2…, right keys 10…, common ancestor 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from pytestqt.qtbot import QtBot

from stemmata.domain.compare.comparison import Comparison, Side, compare, side_of
from stemmata.domain.compare.turns import TurnStep
from stemmata.domain.entries.entry import Entry, Usage
from stemmata.domain.entries.tokens import weigh
from stemmata.gui.compare.head import BranchFacts
from stemmata.gui.compare.view import CompareView
from stemmata.gui.theme.theme import Theme
from tests.fakes.conversation import assistant, call, result, user
from tests.fakes.pages import FakePages

MAIN = BranchFacts("main", "lane_1", active=True, end=9)
OTHER = BranchFacts("wrap first", "lane_2", active=False, end=14)
PAID = Usage(input=1000, output=500, cost=60_000)
FIRST = [user("Read the theme"), assistant("Ported; key bindings unchanged")]
LEFT = [
    user("Port `the-selector`, theming before wrapping."),
    assistant("I look.", call("c1", "edit", '{"path":"/w/selector.ts"}'), usage=PAID), result("c1", tool="edit"),
    assistant("Colours come from the theme.", usage=PAID), user("Go on"), assistant("```py\nx = 1\n```", usage=PAID),
    user("Again"), assistant("Done again.", usage=PAID),
]  # fmt: skip
RIGHT = [
    user("Port `the-selector`, wrapping before theming."),
    assistant("Wrapping breaks.", call("d1", "write", '{"path":"/w/wrap.ts"}'), usage=PAID),
    result("d1", tool="write"),
    assistant("It failed.", call("d2", "bash", '{"command":"vitest"}'), usage=PAID),
    result("d2", "Command exited with code 1", tool="bash", details='{"exitCode":1}'),
]  # fmt: skip


class Bench:
    """Pages, and a comparison over their entries."""

    def __init__(self, left: Sequence[Entry] = LEFT, right: Sequence[Entry] = RIGHT) -> None:
        self.pages = FakePages([*FIRST, *left, *right])
        sides = [range(2, 2 + len(left)), range(2 + len(left), 2 + len(left) + len(right))]
        left_side, right_side = map(self._side, sides)
        self.comparison: Comparison = compare(1, "Ported; key bindings unchanged", left_side, right_side)

    def _side(self, keys: Sequence[int]) -> Side:
        entries = self.pages.entries
        return side_of(
            [TurnStep(key, entries[key], weigh(entries[key]).tokens) for key in keys], keys[-1] if keys else 1
        )


MakeView = Callable[..., CompareView]


@pytest.fixture
def make_view(qtbot: QtBot, theme: Theme) -> MakeView:
    """A shown page with the keyboard's focus on its turns."""

    def make(bench: Bench | None = None, left: BranchFacts = MAIN, right: BranchFacts = OTHER) -> CompareView:
        bench = bench or Bench()
        view = CompareView(theme, bench.pages)
        qtbot.addWidget(view)
        view.resize(1440, 800)
        view.show_comparison(bench.comparison, left, right, "/w")
        view.show()
        with qtbot.waitActive(view):
            view.activateWindow()
        view.setFocus()
        view.grab()
        return view

    return make

"""The actions of the window, for tests of its shell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stemmata.gui.core.actions import Actions
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.action_table import TABLE


@pytest.fixture
def actions(theme: Theme) -> Iterator[Actions]:
    actions = Actions(theme, TABLE)
    yield actions
    actions.deleteLater()

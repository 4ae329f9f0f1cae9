"""A list of sessions whose window was closed is no longer styled."""

from __future__ import annotations

import shiboken6

from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.rows import SessionRows
from stemmata.gui.theme.theme import Theme


def test_a_deleted_list_does_not_follow_the_theme(theme: Theme) -> None:
    rows = SessionRows(theme, SessionsModel(lambda _model: 1000))
    shiboken6.delete(rows)
    theme.set_scale(120)
    theme.set_scale(100)

"""The cache of the prompt, as the context column shows it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Usage
from stemmata.gui.context.view import CacheFacts, CacheSection
from stemmata.gui.theme.theme import Theme


def test_the_hit_rate_and_what_broke_the_cache(theme: Theme, qtbot: QtBot) -> None:
    section = CacheSection(theme)
    qtbot.addWidget(section)
    usages = [Usage(input=100, cache_read=0, cache_write=900), None, Usage(input=20, cache_read=980)]
    section.show_cache(CacheFacts.of(usages, '{"cache_miss": "tools"}'))
    assert section.texts == ("49% read", "Last request missed the cache: the tools changed")
    assert not section.isHidden()
    section.show_cache(CacheFacts.of([Usage(input=100)], "[] broken"))
    assert section.isHidden()

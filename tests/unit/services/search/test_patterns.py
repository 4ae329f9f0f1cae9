"""Regular expressions reach the services through their port."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.errors import KnownError
from stemmata.system.settings.schema import Settings
from stemmata.system.settings.settings import LoadedSettings


def test_a_pattern_is_made_for_the_window_and_for_other_threads(tmp_path: Path) -> None:
    core = open_core(tmp_path / "archive.db", LoadedSettings(Settings(), path=tmp_path / "settings.toml"))
    try:
        for patient in (False, True):
            needle = core.services.pattern(r"w\w+", case=True, word=False, patient=patient)
            assert needle.spans("Wide words") == [(5, 10)]
        with pytest.raises(KnownError):
            core.services.pattern("(", case=False, word=False, patient=False)
    finally:
        core.close()

"""New archives are made in all their steps here."""

from __future__ import annotations

import pytest

from stemmata.store import archive
from stemmata.store.schema.migrations import migrate


@pytest.fixture(autouse=True)
def _in_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "migrate", migrate)

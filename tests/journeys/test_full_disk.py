"""That nothing can be stored is told until something is; other errors stay until somebody has read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.errors import KnownError, NotStoredError
from tests.journeys.person import Person


@pytest.mark.parametrize(
    ("error", "stays"), [(NotStoredError("The disk is full."), False), (KnownError("No."), True)]
)
def test_what_is_over_is_not_told_any_more(
    person: Person, session_file: Path, error: KnownError, *, stays: bool
) -> None:
    person.drop(session_file)
    banner = person.window.banner
    person.gui.bridge.failed.emit(error)
    assert not banner.isHidden()
    services, session = person.application.services, person.gui.opened.key
    assert session is not None
    services.branching.label(session, person.key("usr00001"), "kept").result()
    person.until(lambda: bool(person.tree.labels))
    assert banner.isHidden() is not stays

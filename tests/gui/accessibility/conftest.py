"""The whole application on an archive of its own, for what is told to screen readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import Application
from tests.accessible.scenes import SCENES, built


@pytest.fixture
def application(qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    with built(tmp_path) as application:
        yield application


@pytest.fixture
def reading(application: Application) -> Application:
    """The window with the demo session open."""
    SCENES["main"](application)
    return application

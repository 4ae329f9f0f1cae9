"""The application that tests of the theme style."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture
def application(qapp: QApplication) -> Iterator[QApplication]:
    """The application, unstyled again afterwards."""
    palette, font = qapp.palette(), qapp.font()
    yield qapp
    qapp.setStyleSheet("")
    qapp.setPalette(palette)
    qapp.setFont(font)

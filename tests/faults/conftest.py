"""The command line, as the tests of its commands run it."""

from __future__ import annotations

from tests.unit.cli.conftest import run

__all__ = ["run"]

"""The programs of other tools, which tests run against a made-up model where the environment asks for them."""

from __future__ import annotations

import os
import shutil

import pytest

ASKED = "REAL_PROGRAMS"


def needs(program: str, package: str) -> pytest.MarkDecorator:
    """Return the mark of a test that runs a program, which the npm package installs."""
    if not os.environ.get(ASKED):
        return pytest.mark.skip(reason=f"{ASKED} is not set")
    is_missing = shutil.which(program) is None
    return pytest.mark.skipif(is_missing, reason=f"{program} is not installed (npm install --global {package})")

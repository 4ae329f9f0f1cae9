"""The sources of imported modules are not kept in memory."""

from __future__ import annotations

import builtins
import importlib
import linecache
from pathlib import Path

import pytest

from stemmata.gui.core import plain_imports


def test_the_source_of_a_module_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("kept_source", "plain_source"):
        (tmp_path / f"{name}.py").write_text("import json\n", encoding="utf-8")
    importlib.invalidate_caches()
    monkeypatch.setattr(builtins, "__import__", vars(builtins)["__feature_import__"])
    __import__("kept_source")
    assert str(tmp_path / "kept_source.py") in linecache.cache  # as PySide has it
    plain_imports.restore()
    assert not linecache.cache
    plain_imports.restore()
    __import__("plain_source")
    assert str(tmp_path / "plain_source.py") not in linecache.cache

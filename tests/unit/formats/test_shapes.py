"""How the tools keep their sessions."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.sources.reading import SourceShape
from stemmata.formats.registry import FORMATS, standard_formats


def test_each_tool_has_a_shape() -> None:
    formats = standard_formats(Path("/home/ann"), {})
    shapes = {one.name: formats.shape(one.name) for one in FORMATS if one.reader is not None}
    assert {name for name, shape in shapes.items() if shape is SourceShape.LOG} == {
        "pi", "openclaw", "qwen", "claude-code", "codex", "cursor-cli", "aider", "windsurf", "droid", "vibe", "kiro",
        "json",  # an export of one path lacks the other branches, which nobody removed
    }  # fmt: skip
    assert {name for name, shape in shapes.items() if shape is SourceShape.EXPORT} >= {"chatgpt", "claude-ai"}


def test_an_unknown_tool_removes_nothing() -> None:
    formats = standard_formats(Path("/home/ann"), {})
    assert formats.shape("zed") is SourceShape.DATABASE
    assert formats.shape("nothing") is SourceShape.LOG

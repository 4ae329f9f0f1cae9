"""The formats this version knows, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stemmata.formats.claude_code import ClaudeCode
from stemmata.formats.format import Format, Writer
from stemmata.formats.json_export import JsonWriter
from stemmata.formats.markdown import MarkdownWriter
from stemmata.formats.openclaw import OpenClaw
from stemmata.formats.pi import Pi
from stemmata.formats.pi_writer import PiWriter
from stemmata.formats.registry import FormatRegistry


def standard_formats(home: Path, environment: Mapping[str, str]) -> FormatRegistry:
    readers: list[Format] = [OpenClaw(), Pi(), ClaudeCode()]
    writers: list[Writer] = [PiWriter(), MarkdownWriter(), JsonWriter()]
    return FormatRegistry(readers, writers, home, environment)

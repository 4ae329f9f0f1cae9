"""The formats this version knows, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.openclaw.reader import OpenClaw
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from stemmata.formats.registry import FormatRegistry
from stemmata.formats.shared.format import Format, Writer


def standard_formats(home: Path, environment: Mapping[str, str]) -> FormatRegistry:
    readers: list[Format] = [OpenClaw(), Pi(), ClaudeCode()]
    writers: list[Writer] = [PiWriter(), MarkdownWriter(), JsonWriter()]
    return FormatRegistry(readers, writers, home, environment)

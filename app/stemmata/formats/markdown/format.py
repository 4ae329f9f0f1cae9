"""The declaration of the Markdown export."""

from __future__ import annotations

from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.shared.format import Format

MARKDOWN = Format(MarkdownWriter.name, "Markdown", writer=MarkdownWriter, ending="md")

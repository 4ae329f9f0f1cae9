"""The declaration of the HTML export."""

from __future__ import annotations

from stemmata.formats.html.writer import HtmlWriter
from stemmata.formats.shared.format import Format

HTML = Format(HtmlWriter.name, "HTML", writer=HtmlWriter, ending="html")

"""How the tools keep their sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.entries.source_facts import SourceShape
from stemmata.formats.registry import FORMATS, standard_formats
from stemmata.formats.shared.database_format import DatabaseFormat
from stemmata.formats.shared.export_format import ExportFormat
from stemmata.formats.shared.format import Format


@pytest.mark.parametrize("format", [one for one in FORMATS if one.reader is not None], ids=lambda one: one.name)
def test_databases_and_exports_say_so(format: Format) -> None:
    assert format.reader is not None
    reader = format.reader()
    assert not isinstance(reader, DatabaseFormat) or format.shape is SourceShape.DATABASE
    assert isinstance(reader, ExportFormat) == (format.shape is SourceShape.EXPORT)


def test_an_unknown_tool_removes_nothing() -> None:
    formats = standard_formats(Path("/home/ann"), {})
    assert formats.shape("zed") is SourceShape.DATABASE
    assert formats.shape("nothing") is SourceShape.LOG

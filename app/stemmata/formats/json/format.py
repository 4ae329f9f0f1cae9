"""The declaration of the JSON export, which can be imported again."""

from __future__ import annotations

from stemmata.formats.json.reader import Json
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.shared.format import Format

JSON = Format(JsonWriter.name, "JSON", reader=Json, writer=JsonWriter, ending="json")

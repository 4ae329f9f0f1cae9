"""The declaration of the JSON export."""

from __future__ import annotations

from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.shared.format import Format

JSON = Format(JsonWriter.name, "JSON", writer=JsonWriter, ending="json")

"""The declaration of Factory Droid's format."""

from __future__ import annotations

from stemmata.formats.droid.reader import Droid
from stemmata.formats.shared.format import Format

DROID = Format(
    Droid.name,
    "Factory Droid",
    reader=Droid,
    unique_ids=True,
    repeated_by="pi",  # an earlier version took Droid's files for sessions of pi
    resume=("droid", "--resume", "{id}"),
)

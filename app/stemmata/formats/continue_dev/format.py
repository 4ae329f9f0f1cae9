"""The declaration of Continue's format."""

from __future__ import annotations

from stemmata.formats.continue_dev.reader import Continue
from stemmata.formats.shared.format import Format

CONTINUE = Format(
    Continue.name, "Continue", reader=Continue, unique_ids=True, resume=("cn", "--fork", "{id}")
)  # fmt: skip

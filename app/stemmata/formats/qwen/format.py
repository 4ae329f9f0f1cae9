"""The declaration of Qwen Code's format."""

from __future__ import annotations

from stemmata.formats.qwen.reader import Qwen
from stemmata.formats.shared.format import Format

QWEN = Format(Qwen.name, "Qwen Code", reader=Qwen, unique_ids=True, resume=("qwen", "--resume", "{id}"))

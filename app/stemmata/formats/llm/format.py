"""The declaration of the format of the command-line program llm."""

from __future__ import annotations

from stemmata.formats.llm.reader import Llm
from stemmata.formats.shared.format import Format

LLM = Format(Llm.name, "llm", reader=Llm, resume=("llm", "chat", "--cid", "{id}"))

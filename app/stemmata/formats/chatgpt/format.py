"""The declaration of ChatGPT's format."""

from __future__ import annotations

from stemmata.formats.chatgpt.reader import ChatGPT
from stemmata.formats.shared.format import Format

CHATGPT = Format(ChatGPT.name, "ChatGPT", reader=ChatGPT, others=ChatGPT.bookkeeping)

"""The declaration of claude.ai's format."""

from __future__ import annotations

from stemmata.formats.claude_ai.reader import ClaudeAi
from stemmata.formats.shared.format import Format

CLAUDE_AI = Format(ClaudeAi.name, "claude.ai", reader=ClaudeAi, others=ClaudeAi.bookkeeping)

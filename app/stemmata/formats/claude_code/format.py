"""The declaration of Claude Code's format."""

from __future__ import annotations

from stemmata.formats.claude_code.clean_up import clean_up_of
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.claude_code.writer import ClaudeCodeCarrier
from stemmata.formats.shared.format import Format

# Entry ids are UUIDs and stay the same in every replay.
CLAUDE_CODE = Format(
    ClaudeCode.name,
    "Claude Code",
    reader=ClaudeCode,
    unique_ids=True,
    resume=("claude", "--resume", "{id}"),
    carrier=ClaudeCodeCarrier,
    clean_up=clean_up_of,
)

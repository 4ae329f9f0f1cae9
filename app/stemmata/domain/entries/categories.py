"""The categories of which a context consists.

They are in a separate module, because the window needs them at its start, but not the rest of the breakdown.
"""

from __future__ import annotations

from enum import IntEnum


class Category(IntEnum):
    """The category of a part of the context."""

    SYSTEM = 0
    TOOL_DEFINITIONS = 1
    SUMMARIES = 2
    USER = 3
    ASSISTANT = 4
    THINKING = 5
    TOOL_CALLS = 6
    TOOL_RESULTS = 7
    IMAGES = 8
    MEMORY = 9
    SKILLS = 10

    @property
    def text(self) -> str:
        """The category as a word, as the output in JSON has it."""
        return self.name.lower()

"""The searched text of an entry, which is the text that a reader sees."""

from __future__ import annotations

from collections.abc import Iterable

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import PRINTED, Kind, Role
from stemmata.domain.text.terminal_text import readable
from stemmata.store.core.stored_text import shown, stored

LENGTH = 8_000_000  # characters of one entry that are indexed; the index holds up to 13 bytes in memory for each
_ROLE, _KIND = 0xF0000, 0xF0100  # facets begin with private characters, which nobody types
_SESSION, _TOOL = "\U000f0200", "\U000f0201"
_TOOL_LENGTH = 100  # characters
_NAMED = frozenset({Kind.LABEL, Kind.SESSION_INFO})
_SPACES = ("\\n", "\\t", "\\r")  # in JSON text


def text_of(blocks: Iterable[Block], name: str, role: Role, kind: Kind) -> str:
    """Return the text of an entry with this content that is indexed and searched, as SQLite can hold it.

    It has no escape sequences, since a word behind one would not be found. Thoughts come last, so that a snippet
    shows the words of the conversation first.
    """
    is_printed = role in PRINTED
    text: list[str] = []
    thoughts: list[str] = []
    for block in blocks:
        if isinstance(block, Text):
            text.append(readable(block.text, is_printed=is_printed))
        elif isinstance(block, ToolCall):
            text.append(f"{block.name} {_words(block.arguments)}")
        elif isinstance(block, Thinking) and block.text:
            thoughts.append(readable(block.text))
    said = "\n".join(text)
    if thoughts:
        said = "\n".join((said, *thoughts))
    is_named = role is Role.BASH_EXECUTION or (kind is not Kind.MESSAGE and kind in _NAMED)
    return shown(f"{name}\n{said}" if is_named else said)[:LENGTH]


def facets_of(session: int, role: Role, kind: Kind, tool: str) -> str:
    """Return the words that narrow a search to an entry's role, session and tool."""
    facets = [said_by(role, kind), in_session(session)]
    if tool:
        facets.append(with_tool(tool))
    return " ".join(facets)


def said_by(role: Role, kind: Kind) -> str:
    """Return the facet of a role, or of a kind without a role: one character, so that no prefix index holds it."""
    return chr(_ROLE + role if role else _KIND + kind)


def in_session(session: int) -> str:
    """Return the facet of a session."""
    return f"{_SESSION}{session}"


def with_tool(tool: str) -> str:
    """Return the facet of a tool: a single word, even if the name has other characters."""
    return f"{_TOOL}{stored(tool)[:_TOOL_LENGTH].encode().hex().upper()}"


def _words(arguments: str) -> str:
    """Return JSON text with escaped white space as spaces, so that words do not run together.

    An escaped backslash is a single one, as in a path that is typed. The index takes it for a space.
    """
    if "\\" not in arguments:
        return arguments
    parts = arguments.split("\\\\")
    for escape in _SPACES:
        parts = [part.replace(escape, " ") for part in parts]
    return "\\".join(parts)

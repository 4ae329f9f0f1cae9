"""Messages with the role of the user that a tool wrote: commands, their output, reminders for the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemmata.domain.entries.blocks import Block, Text, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.text.phrases import Phrase
from stemmata.domain.text.tool_wrappers import IDE_NOTES, WrapperContent, content_of, wrapped_parts

_TITLES = {
    "task-notification": Phrase("Task notification"),
    "system-reminder": Phrase("Reminder for the model"),
    "local-command-caveat": Phrase("Note for the model about the commands that follow"),
}
# messages by the names that tools give them
_NAMES = {
    "attachment:queued_command": Phrase("Queued message"),
    "attachment:file": Phrase("Attached file"),
    "attachment:directory": Phrase("Attached folder"),
    "attachment:edited_text_file": Phrase("Changed file"),
    "attachment:selected_lines_in_ide": Phrase("Selected lines"),
    "attachment:nested_memory": Phrase("Memory file"),
    "attachment:hook_additional_context": Phrase("Hook's note"),
    "attachment:skill_listing": Phrase("List of skills"),
    "kept-messages": Phrase("Kept messages"),
}
_LINE = 200  # characters of a title


@dataclass(frozen=True, slots=True)
class ToolNote:
    """The content of a message that a tool wrote. `kind` names a note without words; `inside` is the whole text."""

    said: WrapperContent
    kind: Phrase | str
    inside: str

    @property
    def title(self) -> str:
        """The command, else its output, else the summary or the kind of the note, on one line."""
        return one_title(self.said.words) or self.kind


def tool_note(row: EntryRow, blocks: Sequence[Block]) -> ToolNote | None:
    """Return the note in a user's message that a tool wrote; None for the user's own messages and other entries."""
    is_user = row.kind is Kind.MESSAGE and row.role is Role.USER
    if not is_user or not all(isinstance(block, Text) for block in blocks):
        return None
    text = plain_text(blocks)
    found = wrapped_parts(text)
    if found:
        inside = "\n".join(part.text for part in found if part.text)
        return ToolNote(content_of(found), _kind(found[0].tag), inside)
    if row.flags & Flag.INJECTED:
        return ToolNote(WrapperContent(), one_title(row.preview) or Phrase("Note"), text)
    return None


def note_name(row: EntryRow) -> Phrase | str:
    """Return the name that a message has from its tool, in words where they are known; "" for none."""
    return _NAMES.get(row.name, row.name)


def one_title(text: str) -> str:
    """Return the beginning of a text on one line."""
    return " ".join(text[: 2 * _LINE].split())[:_LINE]


def _kind(tag: str) -> Phrase:
    if tag in IDE_NOTES:
        return Phrase("Editor's note for the model")
    if tag.endswith("-hook"):
        return Phrase("Hook's note for the model")
    return _TITLES.get(tag) or Phrase("The command printed nothing")

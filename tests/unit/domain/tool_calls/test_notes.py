"""What a tool wrote in the name of the user."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.tool_calls.notes import note_name, tool_note


def row(flags: Flag = Flag.NONE, role: Role = Role.USER, kind: Kind = Kind.MESSAGE, preview: str = "") -> EntryRow:
    return EntryRow(
        key=1, id="e", parent=None, kind=kind, role=role, time=0, flags=flags, provider="", model="", tool="",
        call="", name="", target=None, preview=preview, tokens=1, usage=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<command-name>/model</command-name><command-args>opus</command-args>", "/model opus"),
        ("<local-command-stdout>See\nya</local-command-stdout>", "See ya"),
        ("<task-notification><summary>Agent done</summary></task-notification>", "Agent done"),
        ("<task-notification>x</task-notification>", "Task notification"),
        ("<ide_opened_file>a.py</ide_opened_file>", "Editor's note for the model"),
        ("<post-tool-use-hook>x</post-tool-use-hook>", "Hook's note for the model"),
        ("<bash-stdout></bash-stdout>", "The command printed nothing"),
    ],
)
def test_the_title_of_wrapped_text(text: str, title: str) -> None:
    note = tool_note(row(), (Text(text),))
    assert note is not None
    assert note.title == title


def test_the_title_of_a_text_that_only_its_record_marks() -> None:
    note = tool_note(row(Flag.INJECTED, preview="Agent 1\nis done"), (Text("Agent 1\nis done"),))
    assert note is not None
    assert (note.title, note.inside) == ("Agent 1 is done", "Agent 1\nis done")
    note = tool_note(row(Flag.INJECTED), (Text(" "),))
    assert note is not None
    assert note.title == "Note"


@pytest.mark.parametrize(
    ("of", "block"),
    [
        (row(), Text("Fix it")),
        (row(Flag.INJECTED), Image("image/png", "b", 1, "")),
        (row(Flag.INJECTED, Role.ASSISTANT), Text("x")),
        (row(Flag.INJECTED, kind=Kind.CUSTOM_MESSAGE), Text("x")),
    ],
)
def test_other_entries_are_no_notes_of_a_tool(of: EntryRow, block: Block) -> None:
    assert tool_note(of, (block,)) is None


@pytest.mark.parametrize(
    ("name", "words"), [("attachment:queued_command", "Queued message"), ("status", "status"), ("", "")]
)
def test_the_name_of_a_message_without_a_known_speaker(name: str, words: str) -> None:
    assert note_name(replace(row(kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM), name=name)) == words

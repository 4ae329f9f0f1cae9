"""What an export lacks is counted before it is written: the same numbers as the file shows."""

from __future__ import annotations

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.export import LeftOut
from stemmata.formats.html.writer import HtmlWriter
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.pi.writer import PiWriter
from stemmata.formats.shared.format import SessionWriter
from tests.fakes.export_source import MemorySource


def said(id: str, parent: str | None, **facts: object) -> Entry:
    return Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(id),), **facts)  # type: ignore[arg-type]


ENTRIES = (
    said("a", None),
    Entry(id="s", parent="a", role=Role.SYSTEM, blocks=(Text("rules"),)),
    said("x", "s", flags=Flag.EXCLUDED),
    Entry(id="sh", parent="x", role=Role.BASH_EXECUTION, name="ls", flags=Flag.EXCLUDED),
    Entry(id="sk", parent="sh", kind=Kind.SKILL, name="brief", blocks=(Text("Be brief."),)),
    said("b", "sk"),
    said("c", "a"),
    said("d", "c"),
    Entry(id="l", parent="d", kind=Kind.LABEL, target="d", name="kept"),
)
TRASH = Entry(id="t", parent="b", kind=Kind.TRASH, target="c")


@pytest.mark.parametrize(
    ("writer", "whole", "trash", "lost"),
    [
        (JsonWriter(), False, True, LeftOut()),
        (PiWriter(), False, False, LeftOut(unsent=3)),
        (MarkdownWriter(), False, False, LeftOut(others=2)),
        (MarkdownWriter(), True, False, LeftOut()),
        (MarkdownWriter(), True, True, LeftOut(trashed=3)),
        (HtmlWriter(), False, False, LeftOut()),
        (HtmlWriter(), False, True, LeftOut(trashed=3)),
    ],
)
def test_what_is_left_out(writer: SessionWriter, whole: bool, trash: bool, lost: LeftOut) -> None:
    source = MemorySource(info=SessionInfo(source="codex", source_id="s"), is_whole=whole)
    source.add(*ENTRIES, *([TRASH] if trash else []))
    source.leaf_id = "b"
    assert writer.left_out(source) == lost


def test_a_file_of_pis_own_holds_what_pi_wrote() -> None:
    source = MemorySource(info=SessionInfo(source="pi", source_id="s"))
    source.add(*ENTRIES)
    assert PiWriter().left_out(source) == LeftOut()


def test_pi_notes_as_many_as_are_counted() -> None:
    source = MemorySource(info=SessionInfo(source="codex", source_id="s"))
    source.add(*ENTRIES)
    written = b"".join(PiWriter().export(source))
    notes = written.count(b'"customType":"stemmata.')
    assert notes == PiWriter().left_out(source).unsent

from __future__ import annotations

from stemmata.domain.entries.blocks import Block, Image, Text, name_of, split_attachments

PICTURE = Image("image/png", "ab" * 32, 10, "tree.png")
NOTES = Text("notes.md:\n\none\ntwo")


def test_attachments_and_text_are_separated_again() -> None:
    assert split_attachments((PICTURE, NOTES, Text("Look"))) == ((PICTURE, NOTES), "Look")
    assert split_attachments((NOTES, PICTURE)) == ((NOTES, PICTURE), "")
    assert split_attachments((Text("Look"), Text("again"))) == ((), "Look\n\nagain")
    assert split_attachments(()) == ((), "")
    assert [name_of(block) for block in (PICTURE, NOTES, Text("Look"))] == ["tree.png", "notes.md", ""]


def test_the_message_text_is_never_an_attachment() -> None:
    blocks: tuple[Block, ...] = (Text("Two things:\n\n1. This"),)
    assert split_attachments(blocks) == ((), "Two things:\n\n1. This")

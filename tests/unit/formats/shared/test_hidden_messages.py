"""Messages whose id is repeated in an object, of which JSON keeps only the last one: all are kept, and it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.formats.chatgpt.reader import ChatGPT
from stemmata.formats.open_webui.reader import OpenWebui
from stemmata.formats.shared.export_format import ExportFormat
from stemmata.formats.shared.json_elements import hidden_places
from tests.unit.formats.exports import Read, sessions_of

CHATGPT = b'{"id":"c","mapping":{%s},"current_node":"b"}'
OPEN_WEBUI = b'{"id":"c","chat":{"title":"Tea","history":{"messages":{%s},"currentId":"b"}}}'
BARE = b'{"title":"Tea","history":{"messages":{%s},"currentId":"b"}}'
FORMS = [(ChatGPT(), CHATGPT), (OpenWebui(), OPEN_WEBUI), (OpenWebui(), BARE)]
NAMES = ["chatgpt", "open-webui", "open-webui chat"]


def node(reader: ExportFormat, id: str, said: str, parent: str = "") -> bytes:
    if isinstance(reader, ChatGPT):
        message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [said]}}
        return json.dumps({id: {"parent": parent or None, "message": message}})[1:-1].encode()
    return json.dumps({id: {"parentId": parent or None, "role": "user", "content": said}})[1:-1].encode()


def read(reader: ExportFormat, path: Path, form: bytes, *nodes: bytes) -> Read:
    path.write_bytes(form % b",".join(nodes))
    [found], unused = sessions_of(reader, path)
    assert unused == []
    return found


@pytest.mark.parametrize(("reader", "form"), FORMS, ids=NAMES)
def test_both_messages_of_an_id_are_kept(tmp_path: Path, reader: ExportFormat, form: bytes) -> None:
    nodes = [node(reader, "a", "one"), node(reader, "a", "two"), node(reader, "b", "under two", "a")]
    found = read(reader, tmp_path / "x.json", form, *nodes)
    texts = {id: entry.blocks[0].text for id, entry in found.entries.items()}  # type: ignore[union-attr]
    assert texts == {"a": "two", "b": "under two", "a~2": "one"}
    assert found.entries["b"].parent == "a"
    assert b"one" in found.record("a~2")
    assert b"two" in found.record("a")
    assert found.repaired == ["The id a is that of several messages. All are kept, this one as a~2."]


@pytest.mark.parametrize(("reader", "form"), FORMS, ids=NAMES)
def test_a_message_that_is_there_twice_is_kept_once(tmp_path: Path, reader: ExportFormat, form: bytes) -> None:
    found = read(reader, tmp_path / "x.json", form, node(reader, "a", "one"), node(reader, "a", "one"))
    assert (list(found.entries), found.repaired) == (["a"], [])


def test_the_messages_of_a_list_that_is_repeated_are_kept(tmp_path: Path) -> None:
    first, second = (node(ChatGPT(), id, id) for id in "ab")
    path = tmp_path / "x.json"
    path.write_bytes(b'{"id":"c","mapping":{%s},"mapping":{%s}}' % (first, second))
    [found], _ = sessions_of(ChatGPT(), path)
    assert found.entries.keys() == {"a", "b"}


def test_ids_that_cannot_be_told_apart(tmp_path: Path) -> None:
    """Halves of characters are no text: they are read as the same character."""
    nodes = [node(ChatGPT(), half, said) for half, said in (("\ud800", "one"), ("\ud801", "two"))]
    found = read(ChatGPT(), tmp_path / "x.json", CHATGPT, *nodes)
    assert found.entries.keys() == {"\ufffd", "\ufffd~2"}
    assert b"two" in found.record("\ufffd")


def test_nothing_is_hidden_without_objects() -> None:
    assert hidden_places(b'{"a": [1, 2]}', "a") == []

"""A document of which a part is damaged: its other messages are read, and the report names what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.cline.reader import Cline
from stemmata.formats.continue_dev.reader import Continue
from stemmata.formats.gemini.reader import Gemini
from stemmata.formats.shared.damaged_document import ReadDocument, read_document
from stemmata.formats.shared.format import SessionReader
from stemmata.formats.vscode_chat.reader import VscodeChat
from tests.fakes import cline, continue_dev, gemini, vscode_chat
from tests.fakes.export_source import MemorySource

SOUND = b'{"id": "s",\n"m": [\n{"n": 1},\n{"n": 2},\n{"n": 3}\n],\n"end": {"n": 9}}'


def read(data: bytes) -> ReadDocument:
    return read_document(data, "m", Path("a.json"))


def numbers(found: ReadDocument) -> list[int]:
    return [one["n"] for one in found.fields["m"]]


def test_a_sound_document_is_as_it_is() -> None:
    found = read(SOUND)
    assert found.fields == json.loads(SOUND)
    assert [SOUND[one.offset : one.offset + one.size] for one in found.records] == [
        b'{"n": 1}', b'{"n": 2}', b'{"n": 3}',
    ]  # fmt: skip
    assert found.skipped == ()
    assert read(b'{"m": {"a": {"n": 1}}}').records == []


@pytest.mark.parametrize(
    ("damage", "kept", "line", "reason", "facts"),
    [
        ((b'"n": 2', b'"n": \0'), [1, 3], 4, "not valid JSON", {"id", "m", "end"}),
        ((b'"n": 2', b'"n": ' + b"[" * 300 + b"]" * 300), [1, 3], 4, "nested more than", {"id", "m", "end"}),
        ((b'{"n": 3}', b'{"n": 3'), [1, 2], 4, "not valid JSON, after 2 messages", {"id", "m", "end"}),
        ((b'{"n": 9}', b"9}}"), [1, 2, 3], 5, "not valid JSON, after 3 messages", {"id", "m"}),
        ((b'"s"', b"s"), [1, 2, 3], 5, "not valid JSON, after 3 messages", {"m"}),
    ],
)
def test_a_damaged_part_costs_itself(
    damage: tuple[bytes, bytes], kept: list[int], line: int, reason: str, facts: set[str]
) -> None:
    data = SOUND.replace(*damage)
    found = read(data)
    assert numbers(found) == kept
    assert [json.loads(data[one.offset : one.offset + one.size])["n"] for one in found.records] == kept
    assert found.fields.keys() == facts
    [skipped] = found.skipped
    assert (skipped.line, skipped.reason[: len(reason)]) == (line, reason)


@pytest.mark.parametrize("data", [b"", b"{", b'{"m": [', b'{"m": [{"n": }]', b'{"x": [{"n": 1}]'])
def test_a_document_without_a_readable_message_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableSourceError, match=r"a\.json is damaged: not valid JSON"):
        read(data)


def _gemini() -> bytes:
    said = [gemini.said("a", "Which tea?"), gemini.reply("b", "Sencha."), gemini.said("c", "Why?")]
    return json.dumps(gemini.head(messages=said), indent=2).encode()


def _vscode() -> bytes:
    requests = (vscode_chat.request(id, said) for id, said in (("a", "Which tea?"), ("b", "Sencha."), ("c", "Why?")))
    return json.dumps({"requesterUsername": "ann", **vscode_chat.session(*requests)}, indent=2).encode()


def _cline() -> bytes:
    return cline.session(*(cline.said(role, text) for role, text in _CLINE))


_CLINE = (("user", "Which tea?"), ("assistant", "Sencha."), ("user", "Why?"))


@pytest.mark.parametrize(
    ("reader", "name", "data"),
    [
        (Gemini(), "session-1.json", _gemini()),
        (VscodeChat(), "chatSessions/s.json", _vscode()),
        (Cline(), "s.messages.json", _cline()),
    ],
)
def test_a_damaged_message_costs_itself_in_each_format(
    tmp_path: Path, reader: SessionReader, name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data.replace(b"Sencha.", b"Sen\0ha."))
    source = MemorySource.read(reader, path)
    said = " ".join(str(entry.blocks) for entry in source.entries)
    assert "Which tea?" in said
    assert "Why?" in said
    assert "ha." not in said
    assert [one.reason for one in source.skipped] == ["not valid JSON"]
    assert source.source_bytes == path.read_bytes()


ID = "5e550000-0000-4000-8000-000000000001"


def _with_id_at_the_end(data: bytes) -> bytes:
    """Return a document with its session's id as the last field."""
    document = json.loads(data)
    del document["sessionId"]
    return json.dumps(document | {"sessionId": ID}).encode()


READERS = [
    (Gemini(), _gemini()),
    (VscodeChat(), _vscode()),
    (Continue(), continue_dev.session(*continue_dev.talk())),
]


@pytest.mark.parametrize(("reader", "data"), READERS)
def test_a_document_that_ends_before_its_id_is_refused_under_another_name(
    tmp_path: Path, reader: SessionReader, data: bytes
) -> None:
    """Its beginning would be one session, and the whole document another."""
    path = tmp_path / "copy.json"
    whole = _with_id_at_the_end(data)
    path.write_bytes(whole[: whole.index(b'"sessionId"')])
    with pytest.raises(UnreadableSourceError, match=r"copy\.json is damaged: the part with the id of its"):
        MemorySource.read(reader, path)
    path.write_bytes(whole)
    assert MemorySource.read(reader, path).info.source_id == ID


@pytest.mark.parametrize(("reader", "data"), READERS[1:])
def test_the_name_of_a_file_is_its_id(tmp_path: Path, reader: SessionReader, data: bytes) -> None:
    path = tmp_path / f"{ID}.json"
    whole = _with_id_at_the_end(data)
    path.write_bytes(whole[: whole.index(b'"sessionId"')])
    assert MemorySource.read(reader, path).info.source_id == ID


@pytest.mark.parametrize(("reader", "data"), READERS)
def test_a_document_that_ends_after_its_id_is_read(tmp_path: Path, reader: SessionReader, data: bytes) -> None:
    path = tmp_path / "copy.json"
    begun = json.dumps({"sessionId": ID} | {key: one for key, one in json.loads(data).items() if key != "sessionId"})
    path.write_text(begun[:-1])
    source = MemorySource.read(reader, path)
    assert (source.info.source_id, len(source.entries) > 1) == (ID, True)

"""Rows and bodies come back as they went in, whole or cut."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.errors import KnownError
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries.content import HEAD_BLOCK, HEAD_TOTAL, LARGE, cut_blocks
from stemmata.store.entries.pages import LONGEST_NAME
from tests.strategies import shapes
from tests.unit.store.conftest import Filled

HOSTILE = "a\0b\ud800c\udfff 😀 \ue000\ue001\ue002 \x1b[31m '\"\\ \u2028"
EVERY_BLOCK: tuple[Block, ...] = (
    Text(HOSTILE, HOSTILE),
    Thinking(HOSTILE, "sig", redacted=True),
    ToolCall(HOSTILE, HOSTILE, HOSTILE, HOSTILE),
    Image("image/png", "ab" * 32, 7, HOSTILE),
    UnknownBlock(HOSTILE, HOSTILE),
)


def test_a_row_says_all_of_the_entry(filled: Filled) -> None:
    entry = Entry(
        id=HOSTILE, kind=Kind.MESSAGE, role=Role.ASSISTANT, time=2**62, blocks=EVERY_BLOCK, provider=HOSTILE,
        model=HOSTILE, tool=HOSTILE, call=HOSTILE, name=HOSTILE, flags=Flag.FAILED | Flag.OWN,
        usage=Usage(1, 2, 3, 4, 5, 6, None), details=HOSTILE,
    )  # fmt: skip
    session = filled.session(HOSTILE)
    below = Entry(id="b", parent=HOSTILE, target=HOSTILE, kind=Kind.LABEL, name="\ue002 mark", usage=Usage(cost=9))
    key, other = filled.append(session, [entry, below])
    rows = filled.archive.read(lambda reader: reader.rows([key, other, 999])).result()
    assert rows.keys() == {key, other}
    row = rows[key]
    for name in ("id", "kind", "role", "time", "provider", "model", "tool", "call", "name", "flags", "usage"):
        assert getattr(row, name) == getattr(entry, name), name
    assert row.tokens == weigh(entry).tokens
    assert (row.parent, row.target) == (None, None)
    assert (rows[other].parent, rows[other].target, rows[other].usage) == (key, key, Usage(cost=9))
    assert rows[other].name == "\ue002 mark"
    body = filled.archive.read(lambda reader: reader.bodies([key])[key]).result()
    assert (body.blocks, body.details, body.cut) == (EVERY_BLOCK, HOSTILE, 0)
    assert filled.archive.read(lambda reader: reader.ids(session)).result() == [HOSTILE, "b"]
    assert filled.archive.read(lambda reader: reader.entry_key(session, HOSTILE)).result() == key
    assert filled.archive.read(lambda reader: reader.find_session(HOSTILE).key).result() == session
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    assert tree.name(0) == f"{HOSTILE}/{HOSTILE}"
    assert filled.archive.read(lambda reader: reader.check()).result() == ["1 images that are missing"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """One archive for all examples of a property."""
    archive = SqliteArchive(tmp_path_factory.mktemp("content") / "a.db")
    yield Filled(archive)
    archive.close()


@settings(max_examples=80)
@given(st.lists(shapes(), min_size=1, max_size=5))
def test_every_entry_comes_back(shared: Filled, drawn: list[Entry]) -> None:
    session = shared.session()
    start = len(shared.archive.read(lambda reader: reader.ids(session)).result())
    entries = [replace(entry, id=f"e{start + at}", target=None) for at, entry in enumerate(drawn)]
    keys = shared.append(session, entries)
    rows = shared.archive.read(lambda reader: reader.rows(keys)).result()
    bodies = shared.archive.read(lambda reader: reader.bodies(keys)).result()
    for key, entry in zip(keys, entries, strict=True):
        assert (bodies[key].blocks, bodies[key].details) == (entry.blocks, entry.details)
        assert rows[key].usage == entry.usage
        assert rows[key].preview == preview_of(entry)


def test_many_keys_come_in_one_call(filled: Filled) -> None:
    session = filled.session()
    keys = filled.append(session, [Entry(id=f"{at}", blocks=(Text(f"{at}"),)) for at in range(1200)])
    bodies = filled.archive.read(lambda reader: reader.bodies(keys[::-1])).result()
    assert len(bodies) == 1200
    assert bodies[keys[1100]].blocks == (Text("1100"),)
    assert filled.archive.read(lambda reader: (reader.rows([]), reader.bodies([]))).result() == ({}, {})


# -- large ones and cut ones -----------------------------------------------------------------------------------------


def test_pages_cut_long_blocks_and_say_by_how_much(filled: Filled) -> None:
    session = filled.session()
    blocks = (
        Text("x" * 100, "signature"),
        Thinking("y" * 10),
        ToolCall("c", "t", "z" * 30),
        UnknownBlock("o", "w" * 21),
    )
    [key] = filled.append(session, [Entry(id="a", blocks=blocks)])
    body = filled.archive.pages.bodies([key], limit=20)[key]
    assert body.blocks == (
        Text("x" * 20, "signature"), Thinking("y" * 10), ToolCall("c", "t", "z" * 20), UnknownBlock("o", "w" * 20),
    )  # fmt: skip
    assert body.cut == 80 + 10 + 1
    assert filled.archive.pages.bodies([key])[key].blocks == blocks


def test_a_large_body_has_a_head_for_a_glance(filled: Filled) -> None:
    session = filled.session()
    blocks: tuple[Block, ...] = (
        Text("\ud800" + "x" * LARGE),
        Thinking("y" * LARGE, "s", redacted=True),
        *[Text("z" * HEAD_BLOCK)] * 3,
    )
    small = Entry(id="b", blocks=(Text("small"),))
    large, other = filled.append(session, [Entry(id="a", blocks=blocks, details="d" * (HEAD_BLOCK + 1)), small])
    both = filled.archive.read(lambda reader: reader.bodies([large, other])).result()
    assert both[large].blocks == blocks
    assert both[large].details == "d" * (HEAD_BLOCK + 1)
    assert both[other].blocks == (Text("small"),)
    page = filled.archive.pages.bodies([large, other])
    total = 2 * LARGE + 1 + 3 * HEAD_BLOCK
    assert [len(block.text) for block in page[large].blocks if isinstance(block, Text | Thinking)] == [
        HEAD_BLOCK, HEAD_BLOCK, HEAD_BLOCK, HEAD_BLOCK, 0,
    ]  # fmt: skip
    assert page[large].cut == total - HEAD_TOTAL + HEAD_BLOCK + 1
    assert filled.archive.pages.bodies([large], limit=10)[large].cut == total - 40 + HEAD_BLOCK + 1
    whole = filled.archive.pages.bodies([large], limit=HEAD_BLOCK * 2)[large]
    assert whole.cut == 2 * (LARGE - 2 * HEAD_BLOCK) + 1
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_images_are_never_cut() -> None:
    image = Image("image/png", "0" * 64, 10)
    assert cut_blocks((image, Text("abc")), 0, 0) == ((image, Text("")), 3)


@pytest.mark.parametrize(("end", "is_cut"), [("x", True), ("😀", True), ("\0", False), ("\ud800", False)])
def test_pages_cut_long_names(filled: Filled, end: str, is_cut: bool) -> None:
    """The GUI thread reads them; a megabyte for each entry in view took longer than a frame."""
    name = "n" * (LONGEST_NAME - 1) + end * 10
    entry = Entry(id="a", role=Role.ASSISTANT, provider=name, model=name, tool=name, name=name, call="c")
    (key,) = filled.append(filled.session("s"), [entry])
    row = filled.archive.pages.rows([key])[key]
    shown = name[:LONGEST_NAME] if is_cut else name
    assert [row.provider, row.model, row.tool, row.name] == [shown] * 4
    assert row.call == "c"
    assert filled.archive.read(lambda reader: reader.rows([key])[key]).result().model == name


def test_pages_serve_a_viewport_and_no_more(filled: Filled) -> None:
    pages = filled.archive.pages
    with pytest.raises(ValueError, match="at most 64"):
        pages.rows(range(65))
    with pytest.raises(ValueError, match="at most 64"):
        pages.bodies(list(range(65)))
    assert pages.rows(range(64)) == {}


def test_pages_see_what_was_committed(filled: Filled) -> None:
    session = filled.session()
    assert filled.archive.pages.rows([1]) == {}
    [key] = filled.append(session, [Entry(id="a", role=Role.USER, blocks=(Text("hello"),))])
    assert filled.archive.pages.rows([key])[key].preview == "hello"


def test_pages_belong_to_the_thread_that_asked_first(filled: Filled) -> None:
    filled.archive.pages.rows([1])
    with pytest.raises(RuntimeError):
        filled.archive.read(lambda _: filled.archive.pages.rows([1])).result()


def test_closed_pages_say_so(filled: Filled) -> None:
    filled.archive.pages.rows([1])
    filled.archive.close()
    with pytest.raises(KnownError, match="closed"):
        filled.archive.pages.rows([1])


def test_blobs_are_kept_once(filled: Filled) -> None:
    data = bytes(range(256))
    digest = hashlib.sha256(data).hexdigest()
    for _ in range(2):
        filled.archive.write(lambda writer: writer.add_blob(digest, data)).result()
    assert filled.archive.read(lambda reader: reader.blob(digest)).result() == data
    assert filled.archive.pages.blob(digest) == data
    assert filled.archive.pages.blob("none") is None
    assert filled.archive.pages.blob_head(digest, 10) == data[:10]
    assert filled.archive.pages.blob_head(digest, 1000) == data
    assert filled.archive.pages.blob_head("none", 10) is None
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_a_body_that_is_no_longer_utf8_is_told_as_damage(filled: Filled) -> None:
    session = filled.session("s")
    (key,) = filled.append(session, [Entry(id="a", role=Role.USER, blocks=(Text("spoilt here"),))])
    spoil = "UPDATE bodies SET body = CAST(replace(CAST(body AS BLOB), 'here', x'ffff') AS TEXT) WHERE key = ?"
    filled.archive.write(lambda writer: writer.connection.execute(spoil, (key,)).rowcount).result()
    with pytest.raises(KnownError, match="The archive is damaged"):
        filled.archive.read(lambda reader: reader.bodies([key])).result()

"""Messages that wait, and runs under way: kept, ordered, gone with their session."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stemmata.domain.chat.run import OpenRun, Partial, PartialText
from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.errors import NotFoundError
from stemmata.services.ports.archive import ArchiveWriter
from stemmata.store.archive import SqliteArchive
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled


def texts(archive: SqliteArchive, session: int) -> list[str]:
    queued = archive.read(lambda reader: reader.queued(session)).result()
    return [block.text for message in queued for block in message.blocks if isinstance(block, Text)]


def enqueue(archive: SqliteArchive, session: int, *said: str) -> list[int]:
    def job(writer: Writer) -> list[int]:
        return [writer.enqueue(session, [Text(text)], time=7) for text in said]

    return archive.write(job).result()


def test_messages_go_behind_those_of_another_session(filled: Filled) -> None:
    one, two, three = filled.session("one"), filled.session("two"), filled.session("three")
    enqueue(filled.archive, one, "a", "b")
    enqueue(filled.archive, two, "x")
    filled.archive.write(lambda writer: writer.hand_over_queue(one, two)).result()
    assert (texts(filled.archive, one), texts(filled.archive, two)) == ([], ["x", "a", "b"])
    filled.archive.write(lambda writer: writer.hand_over_queue(two, three)).result()
    assert (texts(filled.archive, two), texts(filled.archive, three)) == ([], ["x", "a", "b"])


def test_the_first_that_came_is_the_first_that_goes(filled: Filled) -> None:
    one, two = filled.session("one"), filled.session("two")
    enqueue(filled.archive, one, "a", "b")
    enqueue(filled.archive, two, "x")
    taken = filled.archive.write(lambda writer: writer.take_queued(one)).result()
    assert taken is not None
    assert (taken.blocks, taken.time) == ((Text("a"),), 7)
    assert (texts(filled.archive, one), texts(filled.archive, two)) == (["b"], ["x"])
    filled.archive.write(lambda writer: writer.take_queued(one)).result()
    assert filled.archive.write(lambda writer: writer.take_queued(one)).result() is None


@pytest.mark.parametrize(("position", "expected"), [(0, "cab"), (1, "acb"), (9, "abc"), (-1, "cab")])
def test_messages_can_be_put_in_another_order(filled: Filled, position: int, expected: str) -> None:
    session = filled.session()
    *_, last = enqueue(filled.archive, session, *"abc")
    filled.archive.write(lambda writer: writer.move_queued(session, last, position)).result()
    assert texts(filled.archive, session) == list(expected)
    enqueue(filled.archive, session, "d")
    assert texts(filled.archive, session) == [*expected, "d"]


def test_messages_can_be_changed_and_taken_out(filled: Filled) -> None:
    session = filled.session()
    first, second = enqueue(filled.archive, session, "a", "b")
    filled.archive.write(lambda writer: writer.change_queued(session, first, [Text("A")])).result()
    filled.archive.write(lambda writer: writer.drop_queued(session, second)).result()
    assert texts(filled.archive, session) == ["A"]


Change = Callable[[ArchiveWriter, int, int], None]


@pytest.mark.parametrize(
    "change",
    [
        lambda writer, session, key: writer.change_queued(session, key, []),
        lambda writer, session, key: writer.move_queued(session, key, 0),
        lambda writer, session, key: writer.drop_queued(session, key),
    ],
)
def test_what_waits_no_longer_cannot_be_changed(filled: Filled, change: Change) -> None:
    session, other = filled.session("one"), filled.session("two")
    [key] = enqueue(filled.archive, other, "a")
    with pytest.raises(NotFoundError, match="no longer in the queue"):
        filled.archive.write(lambda writer: change(writer, session, key)).result()
    assert texts(filled.archive, other) == ["a"]


def test_only_sessions_that_exist_have_queues_and_runs(filled: Filled) -> None:
    with pytest.raises(NotFoundError):
        enqueue(filled.archive, 99, "a")
    with pytest.raises(NotFoundError):
        filled.archive.write(lambda writer: writer.begin_run(99, "1:2", time=3)).result()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters() | st.sampled_from("\0\ud800\ue002")))
def test_any_text_can_wait(filled: Filled, text: str) -> None:
    session = filled.session()
    [key] = enqueue(filled.archive, session, text)
    assert texts(filled.archive, session) == [text]
    filled.archive.write(lambda writer: writer.drop_queued(session, key)).result()


def test_attachments_that_wait_outlive_other_sessions(filled: Filled) -> None:
    one, two, data = filled.session("one"), filled.session("two"), b"\x89PNG"
    digest = sha256(data).hexdigest()
    filled.archive.write(lambda writer: writer.add_blob(digest, data)).result()
    image = Image("image/png", digest, len(data))
    filled.archive.write(lambda writer: writer.enqueue(one, [image], time=1)).result()
    filled.archive.write(lambda writer: writer.delete_session(two)).result()
    assert filled.archive.read(lambda reader: reader.blob(digest)).result() == data
    filled.archive.write(lambda writer: writer.delete_session(one)).result()
    assert filled.archive.read(lambda reader: reader.blob(digest)).result() is None


# -- runs ------------------------------------------------------------------------------------------------------------


def runs(archive: SqliteArchive) -> list[OpenRun]:
    return archive.read(lambda reader: reader.open_runs()).result()


def test_a_run_is_known_from_its_beginning_to_its_end(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    first = archive.write(lambda writer: writer.begin_run(session, "1:2", time=3)).result()
    second = archive.write(lambda writer: writer.begin_run(session, "4:5", time=6)).result()
    archive.write(lambda writer: writer.follow_run(second, 8, "local", "m\0")).result()
    assert second > first
    assert runs(archive) == [
        OpenRun(run=first, session=session, owner="1:2", tip=None, connection="", model="", started=3),
        OpenRun(run=second, session=session, owner="4:5", tip=8, connection="local", model="m\0", started=6),
    ]
    archive.write(lambda writer: writer.end_run(first)).result()
    archive.write(lambda writer: writer.delete_session(session)).result()
    assert runs(archive) == []


def test_the_last_that_was_kept_of_a_block_counts(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    run = archive.write(lambda writer: writer.begin_run(session, "1:2", time=3)).result()
    call = Partial(0, 1, ToolCall("c", "read", '{"a":1}'), whole=True)
    coming = (Partial(0, 0, Text("half \ud800"), whole=False), call, Partial(0, 0, Text("whole"), whole=True))

    def job(writer: Writer) -> None:
        for partial in coming:
            writer.save_partial(run, partial)

    archive.write(job).result()
    kept = archive.read(lambda reader: reader.partials(run)).result()
    assert kept == [Partial(0, 0, Text("whole"), whole=True), call]
    archive.write(lambda writer: writer.drop_partials(run)).result()
    assert archive.read(lambda reader: reader.partials(run)).result() == []


def test_an_open_block_grows_by_pieces(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    run = archive.write(lambda writer: writer.begin_run(session, "1:2", time=3)).result()
    calls = ToolCall("c", "read", ""), ToolCall("d", "look", "")
    opened: tuple[Block, ...] = (Thinking(""), Text(""), *calls, UnknownBlock("o", "{}"))
    pieces = ((0, "hm"), (1, "half of a \ud83d"), (1, "\ude00\0 face"), (2, '{"a"'), (2, ": 1"))

    def job(writer: Writer) -> None:
        for at, block in enumerate(opened):
            writer.save_partial(run, Partial(0, at, block, whole=False))
        for position, text in pieces:
            writer.grow_partial(run, PartialText(0, position, text))

    archive.write(job).result()
    kept = [partial.block for partial in archive.read(lambda reader: reader.partials(run)).result()]
    assert kept == [
        Thinking("hm"), Text("half of a \ud83d\ude00\0 face"), ToolCall("c", "read", '{"a": 1'),
        ToolCall("d", "look", "{}"), UnknownBlock("o", "{}"),
    ]  # fmt: skip
    whole = Partial(0, 1, Text("half of a face"), whole=True)
    archive.write(lambda writer: writer.save_partial(run, whole)).result()
    assert archive.read(lambda reader: reader.partials(run)).result()[1] == whole
    archive.write(lambda writer: writer.drop_partials(run)).result()
    assert archive.read(lambda reader: reader.partials(run)).result() == []


def test_what_comes_after_the_end_of_a_run_is_not_kept(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    run = archive.write(lambda writer: writer.begin_run(session, "1:2", time=3)).result()
    late = Partial(0, 0, Text("late"), whole=True)
    archive.write(lambda writer: writer.save_partial(run, late)).result()
    archive.write(lambda writer: writer.end_run(run)).result()
    archive.write(lambda writer: writer.save_partial(run, late)).result()
    archive.write(lambda writer: writer.grow_partial(run, PartialText(0, 0, "later"))).result()
    assert archive.read(lambda reader: reader.partials(run)).result() == []
    assert archive.read(lambda reader: reader.check()).result() == []

from __future__ import annotations

import hashlib

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from tests.unit.services.conftest import Bench, Records


def test_a_draft_is_kept_and_nothing_is_published(bench: Bench, talk: Records) -> None:
    session = bench.imported(talk("s", ("1", None, "user", "hello"))).session.key
    drafts, published = bench.services.drafts, len(bench.published)
    assert drafts.get(session).result() == ""
    assert drafts.save(session, "half a thought").result()
    assert drafts.get(session).result() == "half a thought"
    assert len(bench.published) == published


def test_a_draft_of_a_deleted_session_is_let_go(bench: Bench, talk: Records) -> None:
    session = bench.imported(talk("s", ("1", None, "user", "hello"))).session.key
    bench.services.sessions.delete([session]).result()
    assert not bench.services.drafts.save(session, "too late").result()
    assert bench.services.drafts.get(session).result() == ""


# -- what is attached -----------------------------------------------------------------------------------------------

PICTURE = b"\x89PNG\r\n\x1a\n" + b"0" * 40
NAME = hashlib.sha256(PICTURE).hexdigest()
SHOWN = Image("image/png", NAME, len(PICTURE), "a.png")


def attach(bench: Bench, session: int, text: str = "Look at this") -> None:
    bench.services.drafts.save(session, text, (SHOWN, Text("notes.txt:\n\nhi")), {NAME: PICTURE}).result()


def blobs(bench: Bench) -> list[bytes | None]:
    return [bench.archive.read(lambda reader: reader.blob(NAME)).result()]


def test_what_is_attached_is_kept_with_its_bytes(bench: Bench, talk: Records) -> None:
    session = bench.imported(talk("s", ("1", None, "user", "hello"))).session.key
    attach(bench, session)
    kept = bench.services.drafts.attached(session).result()
    assert kept == ((SHOWN, PICTURE), (Text("notes.txt:\n\nhi"), None))
    bench.services.drafts.save(session, "Look at that").result()  # the text alone
    assert bench.services.drafts.attached(session).result() == kept
    bench.services.drafts.save(session, "").result()
    assert bench.services.drafts.attached(session).result() == kept


def test_bytes_go_with_the_last_that_names_them(bench: Bench, talk: Records) -> None:
    one = bench.imported(talk("s", ("1", None, "user", "hello"))).session.key
    two = bench.imported(talk("t", ("1", None, "user", "hello"))).session.key
    attach(bench, one)
    attach(bench, two)
    bench.services.drafts.save(one, "", ()).result()
    assert bench.services.drafts.attached(one).result() == ()
    assert blobs(bench) == [PICTURE]
    bench.services.drafts.save(two, "still", ()).result()
    assert blobs(bench) == [None]
    assert bench.services.drafts.get(two).result() == "still"


def test_bytes_that_are_sent_or_wait_stay(bench: Bench, talk: Records) -> None:
    session = bench.imported(talk("s", ("1", None, "user", "hello"))).session.key
    attach(bench, session)
    key = bench.archive.write(lambda writer: writer.enqueue(session, (SHOWN,), time=1)).result()
    bench.archive.write(lambda writer: writer.save_draft(session, "", time=1)).result()  # as sending does
    assert bench.services.drafts.attached(session).result() == ()
    assert blobs(bench) == [PICTURE]
    bench.archive.write(lambda writer: writer.drop_queued(session, key)).result()
    attach(bench, session)
    entry = Entry(id="2", parent="1", kind=Kind.MESSAGE, role=Role.USER, blocks=(SHOWN,))
    bench.archive.write(lambda writer: writer.append(session, [entry])).result()
    bench.archive.write(lambda writer: writer.save_draft(session, "", time=1)).result()
    assert blobs(bench) == [PICTURE]


def test_deleting_another_session_leaves_a_draft_its_bytes(bench: Bench, talk: Records) -> None:
    one = bench.imported(talk("s", ("1", None, "user", "hello"))).session.key
    two = bench.imported(talk("t", ("1", None, "user", "hello"))).session.key
    attach(bench, one)
    bench.services.sessions.delete([two]).result()
    assert blobs(bench) == [PICTURE]
    bench.services.sessions.delete([one]).result()
    assert blobs(bench) == [None]
    assert not bench.services.drafts.save(one, "too late", (SHOWN,), {NAME: PICTURE}).result()
    assert blobs(bench) == [None]

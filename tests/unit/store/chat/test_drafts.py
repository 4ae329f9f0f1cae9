"""Drafts: one a session, whatever was typed, gone with their session."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stemmata.domain.errors import NotFoundError
from stemmata.store.archive import SqliteArchive
from tests.unit.store.conftest import Filled


def save(archive: SqliteArchive, session: int, text: str) -> None:
    archive.write(lambda writer: writer.save_draft(session, text, time=7)).result()


def draft(archive: SqliteArchive, session: int) -> str:
    return archive.read(lambda reader: reader.draft(session)).result()


def count(archive: SqliteArchive) -> int:
    query = "SELECT count(*) FROM drafts"
    return int(archive.read(lambda reader: reader.connection.execute(query).fetchone()[0]).result())


def test_a_session_has_one_draft_and_the_last_one_counts(filled: Filled) -> None:
    one, two = filled.session("one"), filled.session("two")
    save(filled.archive, one, "first")
    save(filled.archive, one, "second")
    assert (draft(filled.archive, one), draft(filled.archive, two)) == ("second", "")
    assert count(filled.archive) == 1


def test_an_empty_draft_is_none(filled: Filled) -> None:
    session = filled.session()
    save(filled.archive, session, "")
    save(filled.archive, session, "text")
    save(filled.archive, session, "")
    assert draft(filled.archive, session) == ""
    assert count(filled.archive) == 0


def test_a_draft_goes_with_its_session(filled: Filled) -> None:
    session = filled.session()
    save(filled.archive, session, "text")
    filled.archive.write(lambda writer: writer.delete_session(session)).result()
    assert count(filled.archive) == 0
    with pytest.raises(NotFoundError):
        save(filled.archive, session, "text")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters() | st.sampled_from("\0\ud800\ue002")))
def test_any_text_comes_back(filled: Filled, text: str) -> None:
    session = filled.session()
    save(filled.archive, session, text)
    assert draft(filled.archive, session) == text

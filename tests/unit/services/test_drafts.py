from __future__ import annotations

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

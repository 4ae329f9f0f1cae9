"""How sessions follow each other, walked in both directions."""

from __future__ import annotations

from stemmata.domain.entries.lineage import Lineage, Relation
from stemmata.domain.entries.session_facts import Session, reset_origin, with_reset_origin


def session(
    key: int, parent: int | None = None, name: str = "", source: str = "stemmata", details: str = ""
) -> Session:
    return Session(
        key=key, id=f"id{key}", source=source, source_id=name or f"s{key}", title=f"Session {key}", named=False,
        cwd="", parent=parent, leaf=None, created_at=key * 10, updated_at=0, entries=1, branches=1, compactions=0,
        context_tokens=None, context_kind="unknown", model="", cost=0, details=details,
    )  # fmt: skip


def test_a_chain_is_walked_both_ways() -> None:
    one, two, three = session(1), session(2, 1, "continued-a"), session(3, 2, "continued-b")
    lineage = Lineage([three, one, two])
    assert [lineage.before(each) for each in (one, two, three)] == [None, one, two]
    assert [lineage.after(each) for each in (one, two, three)] == [two, three, None]
    assert [lineage.continues(each) for each in (one, two, three)] == [None, one, two]
    assert [lineage.continued_as(each) for each in (one, two, three)] == [two, three, None]
    assert [lineage.relation(each) for each in (one, two)] == [None, Relation.CONTINUED]


def test_a_continuation_comes_before_a_fork_and_the_newest_before_older_ones() -> None:
    root = session(1)
    forks = [session(2, 1, "fork-a"), session(5, 1, "fork-b")]
    assert Lineage([root, *forks]).after(root) == forks[1]
    continued = [session(4, 1, "continued-b"), session(3, 1, "continued-a")]
    lineage = Lineage([root, *forks, *continued])
    assert lineage.after(root) == lineage.continued_as(root) == continued[0]
    assert (lineage.relation(forks[0]), lineage.continues(forks[0])) == (Relation.FORKED, None)


def test_a_session_after_a_reset_is_no_fork() -> None:
    root, fork = session(1), session(2, 1, "fork-a")
    reset = session(3, 1, "chat-a", details=with_reset_origin("", "id1"))
    other = session(4, 1, "chat-b", details=with_reset_origin("", "id9"))  # begun by the reset of another one
    lineage = Lineage([root, fork, reset, other])
    assert [lineage.relation(each) for each in (fork, reset, other)] == [
        Relation.FORKED, Relation.RESET, Relation.FORKED,
    ]  # fmt: skip
    assert lineage.reset_as(root) == lineage.after(root) == reset
    assert (lineage.reset_of(reset), lineage.reset_of(fork)) == (root, None)
    continued = session(5, 1, "continued-a")
    assert Lineage([root, reset, continued]).after(root) == continued


def test_details_that_are_odd_name_no_reset() -> None:
    assert [reset_origin(details) for details in ("", '{"continues": 3}', '["continues"]', '"continues')] == [""] * 4


def test_a_subagent_is_not_walked_to() -> None:
    main = session(1, name="abc", source="claude-code")
    agent = session(2, 1, "abc/agent-1", "claude-code")
    lineage = Lineage([main, agent])
    assert lineage.relation(agent) is Relation.SPAWNED
    below = session(3, 2, "abc/agent-2", "claude-code")
    assert Lineage([main, agent, below]).relation(below) is Relation.SPAWNED
    assert (lineage.before(agent), lineage.after(main)) == (main, None)


def test_a_parent_that_is_not_given_is_not_known() -> None:
    alone, own = session(2, 1, "continued-a"), session(3, 3, "continued-b")
    lineage = Lineage([alone, own])
    assert [lineage.before(each) for each in (alone, own)] == [None, None]
    assert lineage.relation(alone) is None
    assert lineage.continues(alone) is None

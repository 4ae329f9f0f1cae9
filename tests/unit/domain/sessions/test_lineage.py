"""How sessions follow each other, walked in both directions."""

from __future__ import annotations

from dataclasses import replace

from stemmata.domain.sessions.details import reset_origin, with_reset_origin
from stemmata.domain.sessions.lineage import Lineage, Relation, WorkTree
from stemmata.domain.sessions.session import Session


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


def test_a_session_of_another_tool_was_handed_over_and_comes_before_a_fork() -> None:
    root, forks = session(1, source="codex"), [session(2, 1, "fork-a"), session(3, 1, "abc", source="codex")]
    taken = session(4, 1, "def", source="claude-code")
    lineage = Lineage([root, *forks, taken])
    assert [lineage.relation(each) for each in (*forks, taken)] == [
        Relation.FORKED, Relation.FORKED, Relation.HANDED_OVER,
    ]  # fmt: skip
    assert lineage.after(root) == taken
    continued = session(5, 1, "continued-a")
    assert Lineage([root, *forks, taken, continued]).after(root) == continued


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


def test_the_tree_of_work_has_each_session_below_the_one_it_came_from() -> None:
    main, agent, inner, fork = session(1), session(2, 1), session(3, 2), session(4, 1)
    tree = WorkTree([fork, inner, main, agent])
    assert [tree.parent(key) for key in (1, 2, 3, 4)] == [None, 1, 2, 1]
    assert [*tree.above(3)] == [2, 1]
    assert [[*tree.children(key)] for key in (1, 2, 3)] == [[2, 4], [3], []]
    assert [*tree.order] == [1, 2, 3, 4]


def test_a_session_is_as_new_as_what_came_from_it() -> None:
    old, new, other = session(1), replace(session(2, 1), updated_at=9), replace(session(3, 1), updated_at=5)
    tree = WorkTree([old, new, other])
    assert [tree.newest(key) for key in (1, 2, 3)] == [9, 9, 5]


def test_circles_of_parents_are_cut_at_the_oldest() -> None:
    tree = WorkTree([session(1, 3), session(2, 1), session(3, 2), session(4, 4), session(5, 99)])
    assert [tree.parent(key) for key in (1, 2, 3, 4, 5)] == [None, 1, 2, None, None]
    assert sorted(tree.order) == [1, 2, 3, 4, 5]


def test_a_session_in_the_worktree_of_an_agent_is_below_the_agent() -> None:
    def agent(key: int, id: str) -> Session:
        return session(key, 1, f"m/agent-{id}", "claude-code", f'{{"agentId":"{id}"}}')

    def inside(key: int, id: str) -> Session:
        return replace(session(key, source="claude-code"), cwd=f"/code/.claude/worktrees/agent-{id}")

    sessions = [session(1), agent(2, "0123abcdef"), agent(3, "777777aa"), agent(4, "777777bb")]
    tree = WorkTree([*sessions, inside(5, "0123abcd"), inside(6, "777777"), inside(7, "999999")])
    assert [tree.parent(key) for key in (5, 6, 7)] == [2, None, None]
    part = session(2, 1, source="gemini", details='{"kind":"subagent"}')
    assert Lineage([session(1, source="gemini"), part]).relation(part) is Relation.SPAWNED


def test_a_long_chain_takes_no_recursion() -> None:
    tree = WorkTree([session(key, key - 1 or None) for key in range(1, 20_001)])
    assert len([*tree.above(20_000)]) == 19_999


def test_a_session_knows_its_agents() -> None:
    agents = [session(key, 1, f"m/agent-{key}", "claude-code") for key in (3, 2)]
    lineage = Lineage([session(1, name="m", source="claude-code"), *agents, session(4, 1, source="claude-code")])
    assert [agent.key for agent in lineage.agents(session(1))] == [2, 3]
    assert lineage.agents(session(4)) == []

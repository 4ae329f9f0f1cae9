"""How sessions follow each other: from a summary, after a reset, as a fork, a subagent, or in another tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from stemmata.domain.sessions.details import reset_origin
from stemmata.domain.sessions.origin import agent_id, is_agent, worktree_agent
from stemmata.domain.sessions.session import Session

CONTINUED = "continued-"  # begins the source ids of sessions that continue another one from its summary


class Relation(Enum):
    """The ways in which a session can come from its parent."""

    CONTINUED = "continued"  # it begins with a summary of its parent
    RESET = "reset"  # a reset of its parent began it, for the same conversation
    FORKED = "forked"  # it shares or repeats the beginning of its parent
    SPAWNED = "spawned"  # a tool call of its parent began it
    HANDED_OVER = "handed-over"  # another tool continues its parent in it


class ForkPoint(NamedTuple):
    """The last entry that a fork shares with the session it came from: its store key and its preview."""

    entry: int
    preview: str


def relation_of(session: Session, parent: Session) -> Relation:
    """Return how a session came from its parent.

    The source id of a subagent begins with the id of the user's session, also when another subagent began it.
    """
    if session.source == "stemmata" and session.source_id.startswith(CONTINUED):
        return Relation.CONTINUED
    if session.source == "stemmata" and reset_origin(session.details) == parent.id:
        return Relation.RESET
    main = parent.source_id.partition("/")[0]
    if session.source == parent.source and (session.source_id.startswith(f"{main}/") or is_agent(session)):
        return Relation.SPAWNED
    return Relation.FORKED if session.source in (parent.source, "stemmata") else Relation.HANDED_OVER


class Lineage:
    """The sessions before and after each session. A parent that is not among the given sessions is not known."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._sessions = {session.key: session for session in sessions}
        self._after: dict[int, dict[Relation, Session]] = {}  # the newest of each relation
        self._agents: dict[int, list[Session]] = {}
        for session in self._sessions.values():
            parent = self.before(session)
            if parent is None:
                continue
            newest, relation = self._after.setdefault(parent.key, {}), relation_of(session, parent)
            if relation is Relation.SPAWNED:
                self._agents.setdefault(parent.key, []).append(session)
            known = newest.get(relation)
            if known is None or (known.created_at, known.key) < (session.created_at, session.key):
                newest[relation] = session

    def before(self, session: Session) -> Session | None:
        """Return the session from which this one came; None for none."""
        found = None if session.parent is None else self._sessions.get(session.parent)
        return None if found is None or found.key == session.key else found

    def relation(self, session: Session) -> Relation | None:
        """Return how the session came from the session before it in its lineage; None when there is none."""
        parent = self.before(session)
        return None if parent is None else relation_of(session, parent)

    def continues(self, session: Session) -> Session | None:
        """Return the session whose summary this one begins with; None for none."""
        return self.before(session) if self.relation(session) is Relation.CONTINUED else None

    def continued_as(self, session: Session) -> Session | None:
        """Return the newest session that begins with a summary of this one; None for none."""
        return self._after.get(session.key, {}).get(Relation.CONTINUED)

    def reset_of(self, session: Session) -> Session | None:
        """Return the session whose reset began this one; None for none."""
        return self.before(session) if self.relation(session) is Relation.RESET else None

    def reset_as(self, session: Session) -> Session | None:
        """Return the newest session that a reset of this one began; None for none."""
        return self._after.get(session.key, {}).get(Relation.RESET)

    def agents(self, session: Session) -> list[Session]:
        """Return the sessions that tool calls of this one began, the oldest first."""
        return sorted(self._agents.get(session.key, ()), key=lambda agent: (agent.created_at, agent.key))

    def after(self, session: Session) -> Session | None:
        """Return the session to go to from this one; None for none.

        This is the newest continuation, else the newest after a reset, else the newest that another tool took over,
        else the newest fork.
        """
        found = self._after.get(session.key, {})
        order = (Relation.CONTINUED, Relation.RESET, Relation.HANDED_OVER, Relation.FORKED)
        return next((found[relation] for relation in order if relation in found), None)


class WorkTree:
    """The sessions as a forest: below each session are the sessions that came from it, the oldest first.

    A session in the worktree of an agent is below that agent's session. A circle of parents is cut at its oldest
    session. Sessions are named by their keys.
    """

    def __init__(self, sessions: Sequence[Session]) -> None:
        known = {session.key for session in sessions}
        agents = {id: session.key for session in sessions if (id := agent_id(session))}
        self._parents: dict[int, int] = {}
        for session in sessions:
            parent = session.parent if session.parent in known else _host(session, agents)
            if parent is not None and parent != session.key:
                self._parents[session.key] = parent
        self._children: dict[int, list[int]] = {}
        for session in sorted(sessions, key=lambda session: (session.created_at, session.key)):
            if session.key in self._parents:
                self._children.setdefault(self._parents[session.key], []).append(session.key)
        self._order = self._arranged(sessions)
        self._newest = self._dated(sessions)

    def parent(self, key: int) -> int | None:
        """Return the session from which this one came; None for none."""
        return self._parents.get(key)

    def above(self, key: int) -> Iterator[int]:
        """Iterate the sessions above this one, the nearest first."""
        at = self._parents.get(key)
        while at is not None:
            yield at
            at = self._parents.get(at)

    def children(self, key: int) -> Sequence[int]:
        """Return the sessions that came from this one, the oldest first."""
        return self._children.get(key, ())

    def newest(self, key: int) -> int:
        """Return the time (ns) of the newest entry of this session and of all sessions below it."""
        return self._newest[key]

    @property
    def order(self) -> Sequence[int]:
        """All sessions, each before those below it."""
        return self._order

    def _arranged(self, sessions: Sequence[Session]) -> list[int]:
        """Return the sessions in the order of `order`, and cut the circles, which no root leads to."""
        order: list[int] = []
        seen: set[int] = set()
        roots = [session.key for session in sessions if session.key not in self._parents]
        for start in (*roots, *sorted(self._parents)):
            if start in seen:
                continue
            if start in self._parents:
                self._children[self._parents.pop(start)].remove(start)
            waiting = [start]
            while waiting:
                at = waiting.pop()
                seen.add(at)
                order.append(at)
                waiting += reversed(self._children.get(at, ()))
        return order

    def _dated(self, sessions: Sequence[Session]) -> dict[int, int]:
        newest = {session.key: session.updated_at for session in sessions}
        for key in reversed(self._order):
            parent = self._parents.get(key)
            if parent is not None and newest[parent] < newest[key]:
                newest[parent] = newest[key]
        return newest


def _host(session: Session, agents: dict[str, int]) -> int | None:
    """Return the session of the agent in whose worktree this session ran; None for none or several."""
    begins = worktree_agent(session)
    if not begins:
        return None
    found = {key for id, key in agents.items() if id.startswith(begins)}
    return found.pop() if len(found) == 1 else None

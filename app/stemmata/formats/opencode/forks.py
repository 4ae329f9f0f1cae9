"""Find the session that a fork came from, and give its copied messages their first ids.

opencode copies the messages of a fork with new ids and their old times. Only later versions name the origin. So the
archive can store the common beginning once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from stemmata.formats.opencode.source import MessageRow, SessionRow, Source


@dataclass(frozen=True, slots=True)
class ForkOrigin:
    """The session that a fork came from, and the first ids of the copied messages, by their ids in the fork."""

    session: SessionRow
    ids: Mapping[str, str] = field(hash=False)


class Forks:
    """The forks among the sessions of a source. `sessions` returns them in the order in which they began."""

    def __init__(self, source: Source, sessions: Callable[[], Sequence[SessionRow]]) -> None:
        self._source = source
        self._sessions = sessions
        self._known: dict[int, ForkOrigin | None] = {}

    def origin(self, session: SessionRow) -> ForkOrigin | None:
        """Return the origin of a session; None for a session that is not a fork, or whose origin was deleted."""
        waiting = [session]
        found: list[tuple[SessionRow, SessionRow | None, list[tuple[MessageRow, MessageRow]]]] = []
        while waiting:  # a fork of a fork: the ids come from the first of them
            fork = waiting.pop()
            if fork.row in self._known:
                continue
            above, pairs = self._nearest(fork)
            found.append((fork, above, pairs))
            if above is not None:
                waiting.append(above)
        for fork, above, pairs in reversed(found):
            self._known[fork.row] = self._resolved(above, pairs)
        return self._known[session.row]

    def _resolved(
        self, above: SessionRow | None, pairs: Sequence[tuple[MessageRow, MessageRow]]
    ) -> ForkOrigin | None:
        if above is None:
            return None
        further = self._known.get(above.row)
        first = further.ids if further is not None else {}
        return ForkOrigin(above, {copy.id: first.get(one.id, one.id) for copy, one in pairs})

    def _nearest(self, fork: SessionRow) -> tuple[SessionRow | None, list[tuple[MessageRow, MessageRow]]]:
        """Return the session whose beginning the fork repeats furthest, and the messages that it repeats.

        When several sessions fit equally, return the oldest.
        """
        named = fork.facts.get("fork_session_id")
        copies = [one for one in self._source.messages(fork) if 0 < one.created < fork.created]
        best: SessionRow | None = None
        pairs: list[tuple[MessageRow, MessageRow]] = []
        rows = self._source.may_have_copied(copies[0]) if copies and not named else frozenset()
        for session in self._sessions() if rows or named else ():
            if session.id != named if named else session.row not in rows:
                continue
            if session.created >= fork.created:
                continue
            found = self._common(copies, self._source.messages(session))
            if len(found) > len(pairs) or named:
                best, pairs = session, found
        return best, pairs

    def _common(
        self, copies: Sequence[MessageRow], others: Sequence[MessageRow]
    ) -> list[tuple[MessageRow, MessageRow]]:
        """Return the first messages of `copies`, each with the message of `others` that has its time and content.

        The pairs end at the first copy without such a message; the messages keep their order in both.
        """
        pairs = []
        waiting = iter(others)
        for copy in copies:
            content = self._source.message(copy).content
            alike = (one for one in waiting if one.created == copy.created)
            other = next((one for one in alike if self._source.message(one).content == content), None)
            if other is None:
                break
            pairs.append((copy, other))
        return pairs

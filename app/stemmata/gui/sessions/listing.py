"""The facts about sessions that the session list shows. It is computed on the db thread and does not change."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from enum import Enum

from stemmata.domain.sessions.details import is_named_here
from stemmata.domain.sessions.lineage import Lineage, WorkTree
from stemmata.domain.sessions.origin import is_agent, is_automated, projects_of
from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions.words import conversation_text, source_name

MOST_SEARCHED = 10_000  # characters of a title, a folder or a tag that are searched
TAG = "\0#"  # precedes each tag in the searched text; users cannot type it


class Order(Enum):
    """The order of the sessions within their groups."""

    NEWEST = "newest"
    CREATED = "created"
    TITLE = "title"
    ENTRIES = "entries"
    TOKENS = "tokens"
    COST = "cost"


class Listing:
    """The sessions of the list with their relations, projects and searched texts.

    `repositories` maps folders of sessions to the roots of repositories on this machine.
    """

    def __init__(self, sessions: Iterable[Session] = (), repositories: Mapping[str, str] | None = None) -> None:
        self.sessions = tuple(sorted(sessions, key=lambda session: -session.updated_at))
        self.by_key = {session.key: session for session in self.sessions}
        self.lineage = Lineage(self.sessions)
        self.tree = WorkTree(self.sessions)
        self.projects = projects_of(self.sessions, repositories or {})
        self.haystacks = {key: _haystack(session) for key, session in self.by_key.items()}
        self.agents = frozenset(session.key for session in self.sessions if is_agent(session))
        self.automated = frozenset(
            session.key
            for session in self.sessions
            if is_automated(session) and not (session.starred or session.tags or is_named_here(session.details))
        )

    def matches(self, words: Sequence[str], among: Iterable[int] | None = None) -> frozenset[int]:
        """Return the keys of the sessions whose searched text has all these words; of all, or of those `among`."""
        haystacks = self.haystacks
        found: Iterable[int] = haystacks if among is None else among
        for word in words:
            found = [key for key in found if word in haystacks[key]]
        return frozenset(found)


class Forest:
    """The sessions as the list shows them: roots in their order, and below each root the sessions that came from it.

    An agent of an archived session is hidden with it; any other session below an archived one becomes a root.
    `orphans` are agents whose session is not in the archive, `automated` are runs that no person began. With
    `flat`, only agents are below other sessions.
    """

    def __init__(
        self, listing: Listing, order: Order = Order.NEWEST, *, archived: bool = False, flat: bool = False
    ) -> None:
        self.options = order, archived, flat
        self.depths: dict[int, int] = {}  # number of sessions above each nested session
        self.roots: list[Session] = []
        self.orphans: list[Session] = []
        self.automated: list[Session] = []
        self._above: dict[int, int] = {}
        self._roots: dict[int, int] = {}  # nested session → root of its tree
        self._trees: dict[int, list[int]] = {}  # root → the sessions of its tree, each before those below it
        hidden = set() if archived else {session.key for session in listing.sessions if session.archived}
        tree = listing.tree
        for key in tree.order:
            parent = tree.parent(key)
            if key in hidden or (parent in hidden and key in listing.agents):
                hidden.add(key)
            elif parent is not None and parent not in hidden and (not flat or key in listing.agents):
                self._above[key] = parent
                self._roots[key] = root = self._roots.get(parent, parent)
                self.depths[key] = self.depths.get(parent, 0) + 1
                self._trees.setdefault(root, [root]).append(key)
            else:
                self._root_of(listing, key).append(listing.by_key[key])
        self._counts = self._counted(tree.order)
        for roots in (self.roots, self.orphans, self.automated):
            roots.sort(key=sort_key(order, listing.tree))

    def _root_of(self, listing: Listing, key: int) -> list[Session]:
        if key in listing.agents:
            return self.orphans
        return self.automated if key in listing.automated else self.roots

    def _counted(self, order: Iterable[int]) -> dict[int, int]:
        counts: dict[int, int] = {}
        for key in reversed([*order]):
            parent = self._above.get(key)
            if parent is not None:
                counts[parent] = counts.get(parent, 0) + counts.get(key, 0) + 1
        return counts

    def count(self, key: int) -> int:
        """Return the number of sessions below a session, at any depth."""
        return self._counts.get(key, 0)

    def above(self, key: int) -> Iterator[int]:
        """Iterate the sessions above a session, the nearest first."""
        at = self._above.get(key)
        while at is not None:
            yield at
            at = self._above.get(at)

    def ancestors_of(self, keys: Iterable[int]) -> set[int]:
        """Return the keys of all sessions that are above one of these in the tree of work."""
        out: set[int] = set()
        above = self._above
        for key in keys:
            at = above.get(key)
            while at is not None and at not in out:
                out.add(at)
                at = above.get(at)
        return out

    def rows(self, root: int, opens: Set[int], wanted: Container[int] | None) -> Iterable[int]:
        """Return a root and the shown sessions below it, each before those below it.

        The sessions below a session are shown when `opens` has it. `wanted` are shown as well, and must have all
        sessions above them.
        """
        tree = self._trees.get(root)
        if tree is None:
            return (root,)
        shown: set[int] = {root} if wanted is None else {key for key in tree if key in wanted}
        for key in tree[1:] if opens else ():
            above = self._above[key]
            if above in shown and above in opens:
                shown.add(key)
        return [key for key in tree if key in shown]


def sort_key(order: Order, tree: WorkTree) -> Callable[[Session], tuple[object, ...]]:
    """Return the function by which sessions are sorted: the newest, latest begun, largest or most expensive first."""
    if order is Order.TITLE:
        return lambda session: (not session.title, session.title.casefold(), -session.updated_at)
    if order is Order.CREATED:
        return lambda session: (-session.created_at, -session.key)
    if order is Order.ENTRIES:
        return lambda session: (-session.entries, -session.updated_at)
    if order is Order.TOKENS:
        return lambda session: (-(session.context_tokens or 0), -session.updated_at)
    if order is Order.COST:
        return lambda session: (-session.cost, -session.updated_at)
    return lambda session: (-tree.newest(session.key), -session.key)


def _haystack(session: Session) -> str:
    parts = (session.title, session.cwd, source_name(session.source), session.source_id)
    more = (*(TAG + tag for tag in session.tags), conversation_text(session))
    return "\n".join(part[:MOST_SEARCHED] for part in (*parts, *more)).casefold()

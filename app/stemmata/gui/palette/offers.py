"""Rank sessions and actions for the palette by match quality and by how recently they were chosen."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QSettings

from stemmata.domain.search.fuzzy import Fuzzy, FuzzyMatch, fold
from stemmata.domain.sessions.session import Session
from stemmata.gui.core.actions import Actions
from stemmata.gui.palette.rows import MATCH_END, MATCH_START, ActionRow, SessionHitRow
from stemmata.gui.sessions.words import age, source_name, title_of

MOST = 30
_CHOSEN = "palette/chosen"


class PaletteMemory:
    """The names of recent choices, latest first, such as `action:export` or `session:1a2b3c`.

    All windows share them.
    """

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def names(self) -> list[str]:
        """The stored names, latest first."""
        text = self._settings.value(_CHOSEN)
        return text.split() if isinstance(text, str) else []

    def put(self, name: str) -> None:
        """Store a choice as the latest one."""
        others = [other for other in self.names if other != name]
        self._settings.setValue(_CHOSEN, " ".join([name, *others][:MOST]))


TITLES, RECENT, NAMED = 6, 5, 3  # maximum rows of sessions, recent choices, and actions matched by name
SHORTEST = 3  # minimum letters that match an action by name; fewer letters match too many words
WORD = re.compile(r"\w+")
RECENCY_SCORE = 2.0  # score of the most recent choice, added to the score of the match


class PaletteOffers:
    """Find the sessions and actions that match a query."""

    def __init__(
        self, actions: Actions, sessions: Callable[[], Mapping[int, Session]], memory: PaletteMemory
    ) -> None:
        self._actions, self._sessions, self._memory = actions, sessions, memory

    def chosen(self, row: ActionRow | SessionHitRow) -> None:
        """Store a chosen row, so that it is ranked first from now on."""
        if isinstance(row, ActionRow):
            self._memory.put(f"action:{row.id}")
        elif row.session in self._sessions():
            self._memory.put(f"session:{self._sessions()[row.session].id}")

    def recent(self, opened: int | None) -> list[ActionRow | SessionHitRow]:
        """Return the recent choices that are available now, latest first."""
        rows: dict[str, ActionRow | SessionHitRow] = {f"action:{row.id}": row for _text, row in self._action_rows()}
        by_id = {session.id: session for session in self._sessions().values() if session.key != opened}
        for name in self._memory.names:
            session = by_id.get(name.removeprefix("session:")) if name.startswith("session:") else None
            if session is not None:
                rows[name] = _session_row(session, title_of(session))
        return [rows[name] for name in self._memory.names if name in rows][:RECENT]

    def sessions(self, query: str, opened: int | None) -> list[SessionHitRow]:
        """Return the sessions whose title matches; without a query, the latest sessions."""
        fuzzy, lately = Fuzzy(query), self._recency()
        found: list[tuple[float, str, Session]] = []
        for session in self._sessions().values():
            match = None if session.key == opened else fuzzy.match(title := title_of(session))
            if match is not None:
                score = match.score + lately.get(f"session:{session.id}", 0) if query else 0
                found.append((score, marked(title, match), session))
                if not query and len(found) == TITLES:
                    break
        found.sort(key=lambda one: -one[0])
        return [_session_row(session, text) for _score, text, session in found[:TITLES]]

    def names(self, row: SessionHitRow, query: str) -> bool:
        """Return whether the session's title contains every word of the query, not only its letters."""
        session = self._sessions().get(row.session)
        title = "" if session is None else fold(title_of(session))
        return all(word in title for word in fold(query).split())

    def actions(self, query: str) -> tuple[list[ActionRow], list[ActionRow]]:
        """Return the enabled actions that match: first those matched by name, then the others.

        Without a query, all actions are in the second list, in the order of the table.
        """
        fuzzy, lately = Fuzzy(query), self._recency()
        called = set[str]()
        found: list[tuple[float, ActionRow]] = []
        for text, row in self._action_rows():
            match = fuzzy.match(text)
            if match is not None:
                score = match.score + lately.get(f"action:{row.id}", 0) if query else 0
                found.append((score, ActionRow(row.id, marked(text, match), row.aside, row.icon)))
                if is_called(text, query):
                    called.add(row.id)
        found.sort(key=lambda one: -one[0])
        named = [row for _score, row in found if row.id in called][:NAMED]
        return named, [row for _score, row in found if row not in named]

    def _action_rows(self) -> Iterator[tuple[str, ActionRow]]:
        for spec, action in self._actions:
            if spec.in_palette and action.isEnabled():
                text = action.text().partition("\t")[0]
                yield text, ActionRow(spec.id, text, self._actions.keys(spec.id), spec.icon)

    def _recency(self) -> dict[str, float]:
        names = self._memory.names
        return {name: RECENCY_SCORE * (1 - at / len(names)) for at, name in enumerate(names)}


def is_called(text: str, query: str) -> bool:
    """Return whether the query names the action: every word typed starts a word of its name."""
    words, typed = WORD.findall(fold(text)), fold(query).split()
    return len(query.strip()) >= SHORTEST and all(any(word.startswith(part) for word in words) for part in typed)


def marked(text: str, match: FuzzyMatch) -> str:
    """Return the text with its matched letters between the marks of a snippet."""
    places = set(match.places)
    out: list[str] = []
    for at, letter in enumerate(text):
        if at in places and at - 1 not in places:
            out.append(MATCH_START)
        out.append(letter)
        if at in places and at + 1 not in places:
            out.append(MATCH_END)
    return "".join(out)


def _session_row(session: Session, text: str) -> SessionHitRow:
    aside = age(session.updated_at, time.time_ns())
    return SessionHitRow(session.key, text, source_name(session.source), aside)

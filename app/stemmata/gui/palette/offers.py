"""The lines that the palette offers by name: sessions and actions, by the letters typed and by how lately chosen."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QSettings

from stemmata.domain.entries.session_facts import Session
from stemmata.domain.search.fuzzy import Fuzzy, FuzzyMatch, fold
from stemmata.gui.core.actions import Actions
from stemmata.gui.palette.rows import MATCH_END, MATCH_START, ActionRow, SessionHitRow
from stemmata.gui.sessions.words import age, source_name, title_of

MOST = 30
_CHOSEN = "palette/chosen"


class PaletteMemory:
    """Names of choices, the latest first: `action:export`, `session:1a2b3c`. All windows share them."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def names(self) -> list[str]:
        text = self._settings.value(_CHOSEN)
        return text.split() if isinstance(text, str) else []

    def put(self, name: str) -> None:
        others = [other for other in self.names if other != name]
        self._settings.setValue(_CHOSEN, " ".join([name, *others][:MOST]))


TITLES, RECENT, NAMED = 6, 5, 3  # lines of each group
SHORTEST = 3  # letters by which an action is called: fewer begin too many words
WORD = re.compile(r"\w+")
LATELY = 2.0  # what it is worth to have been chosen last


class PaletteOffers:
    def __init__(
        self, actions: Actions, sessions: Callable[[], Mapping[int, Session]], memory: PaletteMemory
    ) -> None:
        self._actions, self._sessions, self._memory = actions, sessions, memory

    def chosen(self, row: ActionRow | SessionHitRow) -> None:
        """Offer this first from now on."""
        if isinstance(row, ActionRow):
            self._memory.put(f"action:{row.id}")
        elif row.session in self._sessions():
            self._memory.put(f"session:{self._sessions()[row.session].id}")

    def recent(self, opened: int | None) -> list[ActionRow | SessionHitRow]:
        """What was chosen lately and makes sense now, the latest first."""
        rows: dict[str, ActionRow | SessionHitRow] = {f"action:{row.id}": row for _text, row in self._action_rows()}
        by_id = {session.id: session for session in self._sessions().values() if session.key != opened}
        for name in self._memory.names:
            session = by_id.get(name.removeprefix("session:")) if name.startswith("session:") else None
            if session is not None:
                rows[name] = _session_row(session, title_of(session))
        return [rows[name] for name in self._memory.names if name in rows][:RECENT]

    def sessions(self, query: str, opened: int | None) -> list[SessionHitRow]:
        """Those whose title fits; with no query the latest."""
        fuzzy, lately = Fuzzy(query), self._lately()
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
        """Whether the title has each word of the query, rather than some of their letters."""
        session = self._sessions().get(row.session)
        title = "" if session is None else fold(title_of(session))
        return all(word in title for word in fold(query).split())

    def actions(self, query: str) -> tuple[list[ActionRow], list[ActionRow]]:
        """Those that make sense now and whose name fits: the few that are called so, and the others.

        With no query all of them are others, in the table's order.
        """
        fuzzy, lately = Fuzzy(query), self._lately()
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

    def _lately(self) -> dict[str, float]:
        names = self._memory.names
        return {name: LATELY * (1 - at / len(names)) for at, name in enumerate(names)}


def is_called(text: str, query: str) -> bool:
    """Whether somebody who types this means the name: each word of it begins one of the name's."""
    words, typed = WORD.findall(fold(text)), fold(query).split()
    return len(query.strip()) >= SHORTEST and all(any(word.startswith(part) for word in words) for part in typed)


def marked(text: str, match: FuzzyMatch) -> str:
    """The text with its matched letters between the marks of a snippet."""
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

"""Skills of sessions: which are there, which are active, and switching them on and off.

A skill is switched by an entry of the session's tree. The entry that switches it on holds the skill's text, which all
requests below it send: the file may change or vanish later, and the cached beginning of the requests stays valid.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum

from stemmata.domain.chat.skills import (
    PROMPT,
    USER,
    ActiveSkill,
    Skill,
    SkillLibrary,
    SkillProblem,
    from_details,
    to_activate,
    to_details,
)
from stemmata.domain.context.projection import Projection, context_at
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.session import Session
from stemmata.domain.settings.settings import ChatSettings, folders_of
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import run_in_thread
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.ports.skills import SkillFolders
from stemmata.services.sessions.own_entries import own_entry, put_below

PATIENCE = 2.0  # seconds that a message waits for the folders; a network drive may never answer

log = logging.getLogger(__name__)


class SkillFile(Enum):
    """The state of an active skill's file, compared with the text that was activated."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillState:
    """A skill in a session. `tokens` is the estimated size of its text; `by_prompt`: a prompt activated it."""

    name: str
    description: str
    path: str
    tokens: int
    is_active: bool = False
    by_prompt: bool = False
    file: SkillFile = SkillFile.SAME


@dataclass(frozen=True, slots=True)
class SessionSkills:
    """The skills of a session: the active ones in the order of activation, then the others. `folders` are chosen."""

    states: tuple[SkillState, ...]
    problems: tuple[SkillProblem, ...]
    folders: tuple[str, ...]

    @property
    def active(self) -> tuple[SkillState, ...]:
        """The skills that are active in the session."""
        return tuple(state for state in self.states if state.is_active)


def active_skills(reader: ArchiveReader, projection: Projection) -> tuple[ActiveSkill, ...]:
    """Return the skills that are active in a context, with the stored texts."""
    tree, path = projection.tree, projection.path_totals.path
    keys = [tree.key(path[at]) for at in projection.skills]
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    return tuple(from_details(rows[key].name, plain_text(bodies[key].blocks), bodies[key].details) for key in keys)


def activation(clock: Clock, skill: Skill, by: str) -> Entry:
    """Return the entry that activates a skill. `by` is USER or PROMPT."""
    return own_entry(clock, Kind.SKILL, name=skill.name, blocks=(Text(skill.text),), details=to_details(skill, by))


def activations(
    reader: ArchiveReader, clock: Clock, session: int, tip: int | None, prompt: str, library: SkillLibrary
) -> list[Entry]:
    """Return the entries for the skills that a prompt below the entry `tip` activates."""
    if not library.skills:
        return []
    tree = reader.tree(session)
    projection = context_at(tree, tree.get(tip))
    by_prompt = sum(skill.by_prompt for skill in active_skills(reader, projection))
    known = projection.switched_skills[0]
    return [
        activation(clock, skill, PROMPT) for skill in to_activate(prompt, library, known, by_prompt)
    ]  # fmt: skip


def state_of(active: ActiveSkill, library: SkillLibrary) -> SkillState:
    """Return an active skill with the state of its file."""
    found = library.find(active.name)
    file = SkillFile.MISSING if found is None else SkillFile.SAME if found.text == active.text else SkillFile.CHANGED
    return SkillState(
        name=active.name, description=active.description, path=active.path, tokens=_tokens(active.text),
        is_active=True, by_prompt=active.by_prompt, file=file,
    )  # fmt: skip


def file_trouble(state: SkillState) -> Phrase | None:
    """Return the remark about an active skill whose file changed or vanished; None when its file is unchanged."""
    match state.file:
        case SkillFile.CHANGED:
            return Phrase(
                "The file of the skill “{0}” has changed. Requests contain its text from the time of its activation; "
                "activate the skill again to send the new text.",
                state.name,
            )
        case SkillFile.MISSING:
            return Phrase(
                "The file of the skill “{0}” is no longer in the chosen folders. Requests contain its text from the "
                "time of its activation.",
                state.name,
            )
    return None


def _tokens(text: str) -> int:
    return to_tokens(units(text))


class Skills:
    """The skills of the chosen folders, for every session. `chat` returns the current settings.

    Without a reader of `folders` no skill is found.
    """

    def __init__(
        self,
        archive: Archive,
        notices: Notices,
        clock: Clock,
        folders: SkillFolders | None,
        chat: Callable[[], ChatSettings],
    ) -> None:
        self._archive, self._notices, self._clock = archive, notices, clock
        self._folders, self._chat = folders, chat

    @property
    def chosen(self) -> tuple[str, ...]:
        """The chosen folders; none by default."""
        return folders_of(self._chat().skill_folders)

    def of(self, session: int, entry: int | None = None) -> Future[SessionSkills]:
        """Return the skills of a session at an entry (store key), by default at its leaf."""
        return run_in_thread(lambda: self._of(session, entry))

    def listed(self, cwd: str = "") -> Future[SessionSkills]:
        """Return the skills of the chosen folders, for a session in the folder `cwd`."""
        return run_in_thread(lambda: self._merged((), cwd))

    def switch(self, session: int, name: str, *, on: bool, initiator: object = None) -> Future[SkillState]:
        """Switch a skill of a session on, with the present text of its file, or off; returns its new state.

        Fails with NotFoundError for an unknown skill, and with NothingToDoError when nothing would change.
        """
        return run_in_thread(lambda: self._switched(session, name, on=on, initiator=initiator))

    async def for_prompt(self, session: int) -> SkillLibrary:
        """Return the skills that a prompt of the session may activate; none when the settings forbid it.

        Folders that do not answer in time are treated as empty.
        """
        if not self.chosen or not self._chat().skills_by_prompt:
            return SkillLibrary()
        return await self._in_time(lambda: self._library(self._session(session).cwd)) or SkillLibrary()

    async def troubles(self, session: Session, active: Sequence[ActiveSkill]) -> list[Phrase]:
        """Return remarks about the files of active skills; none when the folders do not answer in time."""
        library = await self._in_time(lambda: self._library(session.cwd)) if active else None
        if library is None:
            return []
        found = (file_trouble(state_of(skill, library)) for skill in active)
        return [trouble for trouble in found if trouble is not None]

    async def _in_time(self, read: Callable[[], SkillLibrary]) -> SkillLibrary | None:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(run_in_thread(read)), PATIENCE)
        except TimeoutError:
            log.info("The folders of skills did not answer within %s seconds.", PATIENCE)
            return None

    # -- in a thread of its own -------------------------------------------------------------------------------

    def _library(self, cwd: str) -> SkillLibrary:
        return self._folders.read(self.chosen, cwd) if self._folders and self.chosen else SkillLibrary()

    def _session(self, session: int) -> Session:
        return self._archive.read(lambda reader: reader.session(session)).result()

    def _of(self, session: int, entry: int | None) -> SessionSkills:
        def look(reader: ArchiveReader) -> tuple[Session, tuple[ActiveSkill, ...]]:
            found, tree = reader.session(session), reader.tree(session)
            return found, active_skills(reader, context_at(tree, tree.get(found.leaf if entry is None else entry)))

        found, active = self._archive.read(look).result()
        return self._merged(active, found.cwd)

    def _merged(self, active: Sequence[ActiveSkill], cwd: str) -> SessionSkills:
        library = self._library(cwd)
        names = {skill.name for skill in active}
        idle = (skill for skill in library.skills if skill.name not in names)
        others = [
            SkillState(name=one.name, description=one.description, path=one.path, tokens=_tokens(one.text))
            for one in idle
        ]
        states = (*(state_of(skill, library) for skill in active), *others)
        return SessionSkills(states, library.problems, self.chosen)

    def _switched(self, session: int, name: str, *, on: bool, initiator: object) -> SkillState:
        library = self._library(self._session(session).cwd)
        skill = library.find(name)

        def job(writer: ArchiveWriter) -> tuple[int, SkillState]:
            leaf, tree = writer.session(session).leaf, writer.tree(session)
            active = {one.name: one for one in active_skills(writer, context_at(tree, tree.get(leaf)))}
            known = active.get(name)
            if not on and known is not None:
                entry = own_entry(self._clock, Kind.SKILL, name=name)
                state = replace(state_of(known, library), is_active=False)
            elif skill is None:
                raise self._unknown(name, [*active, *(one.name for one in library.skills)])
            elif not on:
                raise NothingToDoError(Phrase("The skill “{0}” is not active. Nothing was changed.", name))
            elif known is not None and known.text == skill.text:
                raise NothingToDoError(Phrase("The skill “{0}” is already active. Nothing was changed.", name))
            else:
                entry = activation(self._clock, skill, USER)
                now = ActiveSkill(
                    name=name, text=skill.text, path=skill.path, description=skill.description, by_prompt=False
                )  # fmt: skip
                state = state_of(now, library)
            key = put_below(writer, self._clock, session, entry, leaf, "skill")
            writer.refresh(session)
            return key, state

        key, state = self._archive.write(job).result()
        what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
        self._notices.publish(ChangeSet(what, session, (key,), initiator))
        return state

    def _unknown(self, name: str, names: Sequence[str]) -> NotFoundError:
        if not self.chosen:
            return NotFoundError("No folder of skills is chosen. Choose one in the settings, under Chat.")
        near = get_close_matches(name, names, 1)
        if near:
            return NotFoundError(Phrase("Skill not found: “{0}”. Did you mean “{1}”?", name, near[0]))
        return NotFoundError(Phrase("The chosen folders contain no skill “{0}”.", name))

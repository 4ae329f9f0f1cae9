"""The user's consent to tool calls, with the duration that the user chose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from stemmata.domain.chat.run import Consent, Question
from stemmata.domain.chat.tool_servers import KeptConsent
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.providers import Ask, ConsentsFile

NOT_ALLOWED = "The person did not allow this call. Go on without it; do not try it again unasked."


class Consents:
    """Keeps consents: those for a session in memory, those for a folder in `file`.

    The file is read for each question, because users edit it. Without a file all consents stay in memory.
    """

    def __init__(
        self, archive: Archive | None = None, file: ConsentsFile | None = None, notices: Notices | None = None
    ) -> None:
        self._archive, self._file, self._notices = archive, file, notices
        self._in_session: set[tuple[str, str, str, int]] = set()
        self._unkept: list[KeptConsent] = []  # consents that could not be written to the file

    async def may(self, question: Question, ask: Ask) -> bool:
        """Return whether a call is allowed; asks the user when no consent is known. Runs on the io loop.

        `question.session` is the session's store key.
        """
        kept = await self.kept(question.origin, question.tool, question.folder)
        if kept is not None:
            return kept
        place = question.origin, question.tool, question.folder, question.session
        if place in self._in_session:
            return True
        consent = await ask(question)
        if consent is Consent.SESSION:
            self._in_session.add(place)
        elif consent in (Consent.ALWAYS, Consent.NEVER):
            await self._keep(KeptConsent(question.origin, question.tool, question.folder, consent is Consent.ALWAYS))
        return consent in (Consent.ONCE, Consent.SESSION, Consent.ALWAYS)

    def all(self) -> Future[tuple[KeptConsent, ...]]:
        """Return the consents kept in the file."""
        return self._on_db(lambda file: file.consents(), ())

    def forget(self, consent: KeptConsent) -> Future[None]:
        """Delete a consent, so that the tool asks again."""
        self._unkept = [kept for kept in self._unkept if kept != consent]
        return self._on_db(lambda file: file.remove(consent), None)

    async def kept(self, origin: str, tool: str, folder: str) -> bool | None:
        """Return the answer that is kept for a tool in a folder; None for none. Runs on the io loop."""
        for kept in [*self._unkept, *await asyncio.wrap_future(self.all())]:
            if (kept.origin, kept.tool, kept.folder) == (origin, tool, folder):
                return kept.may
        return None

    async def _keep(self, consent: KeptConsent) -> None:

        if self._file is None or self._notices is None:
            self._unkept.insert(0, consent)
            return
        try:
            await asyncio.wrap_future(self._on_db(lambda file: file.save(consent), None))
        except KnownError:
            self._unkept.insert(0, consent)  # the file could not be written; the answer counts until the program ends
        self._notices.publish(ChangeSet(Change.TOOLS))

    def _on_db(self, work: Callable[[ConsentsFile], Any], without: Any) -> Future[Any]:
        file = self._file
        if file is None or self._archive is None:
            done: Future[Any] = Future()
            done.set_result(without)
            return done
        return self._archive.read(lambda _reader: work(file))

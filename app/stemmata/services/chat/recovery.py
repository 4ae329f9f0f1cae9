"""Runs whose process is gone: what had come of their replies becomes an entry, and no call stays unanswered."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from stemmata.domain.chat.run import OpenRun
from stemmata.domain.entries.blocks import Block, ToolCall
from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.services.chat.branch_tip import speaks, tip_now
from stemmata.services.chat.tool_calls import INTERRUPTED, unanswered
from stemmata.services.futures import chain, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import own_entry, put_below


class RunRecovery:
    """`is_alive` tells of an owner, a process by its name, whether it still runs."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock, is_alive: Callable[[str], bool]) -> None:
        self._archive, self._notices, self._clock, self._is_alive = archive, notices, clock, is_alive

    def run(self) -> Future[int]:
        """How many runs were mended; each in the same transaction as its end, so that none is mended twice."""
        return chain(self._archive.read(lambda reader: reader.open_runs()), self._mend_dead)

    def _mend_dead(self, found: list[OpenRun]) -> Future[int]:
        if all(self._is_alive(run.owner) for run in found):  # nothing is written at most starts
            nothing: Future[int] = Future()
            nothing.set_result(0)
            return nothing

        def job(writer: ArchiveWriter) -> list[int]:
            dead = [run for run in writer.open_runs() if not self._is_alive(run.owner)]
            for run in dead:
                self._mend(writer, run)
            return [run.session for run in dead]

        def publish(sessions: list[int]) -> int:
            for session in sessions:
                what = Change.ENTRIES | Change.LEAF | Change.SESSIONS
                self._notices.publish(ChangeSet(what, session))
            return len(sessions)

        return then(self._archive.write(job), publish)

    def _mend(self, writer: ArchiveWriter, run: OpenRun) -> None:
        tip = tip_now(writer, run.session, run.tip)
        blocks = tuple(kept.block for kept in writer.partials(run.run))
        if blocks:
            tip = put_below(writer, self._clock, run.session, self._reply(run, blocks), tip)
        for call in _open_calls(writer, tip):
            entry = unanswered(partial(own_entry, self._clock), call, INTERRUPTED)
            tip = put_below(writer, self._clock, run.session, entry, tip)
        writer.refresh(run.session)
        writer.end_run(run.run)

    def _reply(self, run: OpenRun, blocks: tuple[Block, ...]) -> Entry:
        return own_entry(
            self._clock, Kind.MESSAGE, role=Role.ASSISTANT, blocks=blocks, provider=run.connection, model=run.model,
            flags=Flag.ABORTED, details=json.dumps({"interrupted": True}),
        )  # fmt: skip


def _open_calls(writer: ArchiveWriter, tip: int | None) -> list[ToolCall]:
    """Calls of the reply at the tip that no result below it answers."""
    answered: list[str] = []
    at = tip
    while at is not None:
        row = writer.rows([at])[at]
        if row.role is Role.TOOL_RESULT:
            answered.append(row.call)
        elif row.role is Role.ASSISTANT:
            calls = [block for block in writer.bodies([at])[at].blocks if isinstance(block, ToolCall)]
            return [call for call in calls if call.id not in answered]
        elif speaks(row):
            return []
        at = row.parent
    return []

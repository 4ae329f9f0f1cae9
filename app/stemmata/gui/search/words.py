"""The texts of the search results."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.branches import Branch
from stemmata.domain.search.hits import Hit, UnreadHit
from stemmata.domain.sessions.origin import repository_root
from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions.words import age, day, source_name
from stemmata.gui.widgets.figures import number

SECOND = 1_000_000_000


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the search results."""
    return QCoreApplication.translate("Search", text, comment, count)


def who_said(hit: UnreadHit, read: Hit | None) -> tuple[str, str]:
    """Return the name of the speaker of a hit, and the token of its colour."""
    if hit.kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY):
        return tr("summary"), "summary"
    match hit.role:
        case Role.USER:
            return tr("You"), "user"
        case Role.ASSISTANT:
            return (read.model if read is not None else "") or tr("Reply"), "assistant"
        case Role.TOOL_RESULT:
            return hit.tool or tr("tool result"), "tool"
        case Role.BASH_EXECUTION:
            return "bash", "tool"
        case Role.SYSTEM:
            return tr("system prompt"), "system"
        case _:
            return tr("note"), "dim"


def when_said(time: int, now: int) -> str:
    """Return the time of a hit: `14:21` for today, else with the day. Times are in ns; "" for an unknown time."""
    if time <= 0:
        return ""
    clock = QLocale().toString(QDateTime.fromMSecsSinceEpoch(time * 1000 // SECOND).time(), "HH:mm")
    then, today = datetime.fromtimestamp(time / SECOND).date(), datetime.fromtimestamp(now / SECOND).date()
    return clock if then == today else f"{day(time, now)} {clock}"


def branch_text(branch: Branch | None) -> str:
    """Return the chip of a hit on an abandoned branch, such as `branch 2 · abandoned`; None for an unknown branch."""
    if branch is None:
        return tr("abandoned")
    if not branch.number:
        return tr("deleted branch")
    name = branch.label or tr("branch {0}").format(number(branch.number))
    return tr("{0} · abandoned").format(name)


def facts_of(session: Session | None, count: int, now: int, *, more: bool) -> str:
    """Return the facts beside a session's title: its source, its folder, when it was used, and the number of hits."""
    hits = count_text(count, more=more)
    if session is None:
        return hits
    return " · ".join(
        filter(None, (source_name(session.source), project_of(session), age(session.updated_at, now), hits))
    )


def count_text(count: int, *, more: bool) -> str:
    """Return a number of hits; with `more`, there may be others."""
    return tr("{0}+ hits").format(number(count)) if more else tr("%Ln hits", None, count)


def more_text(count: int, *, more: bool) -> str:
    """Return the number of hits of a session that are not shown; with `more`, there may be others."""
    if not count:
        return tr("More hits of this session")
    return tr("{0}+ more hits").format(number(count)) if more else tr("%Ln more hits", None, count)


def summary_text(hits: int, sessions: int, *, more: bool, more_sessions: bool) -> str:
    """Return the number of hits and of their sessions, such as `38 hits in 6 sessions`."""
    named = tr("{0}+ sessions").format(number(sessions)) if more_sessions else tr("%Ln sessions", None, sessions)
    return tr("{0} in {1}").format(count_text(hits, more=more), named)


def project_of(session: Session) -> str:
    """Return the name of the session's folder, of a worktree that of its repository; "" for no folder."""
    return PurePath(repository_root(session.cwd)).name


def role_words() -> dict[str, str]:
    """Return the names of the filters by role, by the value of `role:`."""
    return {
        "user": tr("Prompts"), "assistant": tr("Replies"), "tool": tr("Tool results"), "summary": tr("Summaries"),
    }  # fmt: skip


def date_words() -> dict[str, str]:
    """Return the names of the filters by date, by the value of `after:`."""
    return {
        "today": tr("Today"), "7d": tr("Last 7 days"), "30d": tr("Last 30 days"), "1y": tr("Last 12 months"),
        "": tr("Any time"),
    }  # fmt: skip


def help_text() -> str:
    """Return the explanation of the filters."""
    return tr(
        "Words, “quoted phrases” and filters:\n"
        "role:user, assistant, tool, summary\n"
        "tool:bash · model:opus · file:main.py\n"
        "project:name · source:codex\n"
        "after:2026-09 · before:7d\n"
        "is:starred · in:abandoned · in:active\n"
        "has:image · cost>0.50\n"
        "Only the first 8 million characters of an entry are searched."
    )

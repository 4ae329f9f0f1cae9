"""The texts for sources, ages and groups of the session list."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from enum import Enum
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime

from stemmata.domain.chat.conversations import conversation_kind
from stemmata.domain.sessions.details import conversation_key, gone_from_source
from stemmata.domain.sessions.lineage import ForkPoint, Lineage, Relation
from stemmata.domain.sessions.origin import SourceState, is_agent
from stemmata.domain.sessions.session import Session
from stemmata.domain.sessions.titles import name_of, title_for_list
from stemmata.domain.text.one_line import one_line
from stemmata.gui.widgets.figures import dollars, tokens_text
from stemmata.gui.widgets.labels import plain_tip

SECOND = 1_000_000_000
MINUTE, HOUR, DAY = 60, 3600, 86400
QUARTER = 15 * MINUTE * SECOND  # no time zone changes within a quarter of an hour
MOST_TITLE = 300  # maximum characters of a title
MOST_OF_ENTRY = 60  # characters of the entry at which a session was forked
ALMOST_A_YEAR = 330 * DAY  # younger dates are shown without the year
# other names are capitalised
SOURCES = {
    "pi": "pi", "openclaw": "OpenClaw", "chatgpt": "ChatGPT", "claude-ai": "claude.ai", "gemini": "Gemini CLI",
    "copilot-cli": "Copilot CLI", "open-webui": "Open WebUI", "opencode": "opencode", "llm": "llm",
    "vscode-chat": "VS Code chat", "librecode": "librecode", "cursor-cli": "Cursor CLI", "qwen": "Qwen Code",
    "librechat": "LibreChat", "json": "JSON", "ai-studio": "Google AI Studio",
    "droid": "Factory Droid", "kiro": "Kiro CLI", "vibe": "Mistral Vibe",
}  # fmt: skip


class ListFigure(Enum):
    """A figure that the rows show on request."""

    TOKENS = "tokens"
    COST = "cost"


ORPHANS, AUTOMATED = "\0orphans", "\0automated"  # keys of the two folders below all groups


class Grouping(Enum):
    """The property by which sessions are grouped."""

    FOLDER = "folder"
    SOURCE = "source"
    DATE = "date"
    TAG = "tag"


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the session list."""
    return QCoreApplication.translate("Sessions", text, comment, count)


def source_name(source: str) -> str:
    """Return the name of the tool from which a session comes; `claude-code` is Claude Code."""
    return SOURCES.get(source) or source.replace("-", " ").title()


def title_of(session: Session) -> str:
    """Return the session's title, at most MOST_TITLE characters, or a substitute for an untitled one."""
    if session.source == "stemmata" and not session.title:
        return tr("New chat")
    name = name_of(session)
    return (name if len(name) <= MOST_TITLE else one_line(name, MOST_TITLE)) or tr("Untitled")


def short_title(session: Session) -> str:
    """Return the session's title for a row or a header: a title that the tool gave is cut between words.

    A title that the user gave, in Stemmata or in the tool, is not changed.
    """
    return title_for_list(title_of(session), session.details)


def titles_of(session: Session) -> tuple[str, str]:
    """Return the title for a header and the whole one for its tooltip."""
    return short_title(session), title_of(session)


def age(time: int, now: int) -> str:
    """Return a time relative to now: `2 h ago`, `yesterday`, `3 d ago`; the day or the month for older times.

    Times are in ns; "" for an unknown time.
    """
    if time <= 0:
        return ""
    seconds = (now - time) // SECOND
    if seconds < -HOUR:  # the clock of this machine or of the tool was wrong
        return day(time, now)
    if seconds < MINUTE:
        return tr("just now")
    if seconds < HOUR:
        return tr("{0} min ago").format(seconds // MINUTE)
    if seconds < DAY:
        return tr("{0} h ago").format(seconds // HOUR)
    if seconds < 2 * DAY:
        return tr("yesterday")
    if seconds < 7 * DAY:
        return tr("{0} d ago").format(seconds // DAY)
    then = datetime.fromtimestamp(time / SECOND)
    date = QDate(then.year, then.month, then.day)
    return QLocale().toString(date, "d MMM" if seconds < ALMOST_A_YEAR else "MMM yyyy")


def moment(time: int, now: int, *, brief: bool = False, names_day: bool = True) -> str:
    """Return a time (ns) in words: `today 14:02`, `yesterday 14:02`, `18 Nov`, `18 Nov 2025`; "" when it is unknown.

    The `brief` form is `14:02`, `yesterday`, `18 Nov`, `18 Nov 25`. `names_day` is False below the heading of a day:
    then it is `14:02` for every day.
    """
    if time <= 0:
        return ""
    then, today = datetime.fromtimestamp(time / SECOND), datetime.fromtimestamp(now / SECOND)
    if not names_day:
        return QLocale().toString(QTime(then.hour, then.minute), "HH:mm")
    days = (today.date() - then.date()).days
    if days not in (0, 1):
        date = QDate(then.year, then.month, then.day)
        return QLocale().toString(date, "d MMM" if then.year == today.year else "d MMM yy" if brief else "d MMM yyyy")
    clock = QLocale().toString(QTime(then.hour, then.minute), "HH:mm")
    if days == 0:
        return clock if brief else tr("today {0}").format(clock)
    return tr("yesterday") if brief else tr("yesterday {0}").format(clock)


def day(time: int, now: int) -> str:
    """Return the day of a time, such as `12 Nov`, with the year when it is not the current one."""
    then, today = datetime.fromtimestamp(time / SECOND), datetime.fromtimestamp(now / SECOND)
    date = QDate(then.year, then.month, then.day)
    return QLocale().toString(date, "d MMM" if then.year == today.year else "d MMM yyyy")


def facts(
    session: Session,
    time: str,
    *,
    brief: bool = False,
    relation: str = "",
    names_tool: bool = True,
    project: str = "",
    state: SourceState | None = None,
) -> str:
    """Return the facts of a session's row, such as `pi · today 14:02 · 5 branches`; `time` is the words for its time.

    The `brief` form has no branches. `relation` comes first when given. `names_tool` is False where the heading or
    the session above names the tool. `project` is the name of the project, "" where the heading names it.
    """
    tool = source_name(session.source) if names_tool else ""
    is_deleted = state is SourceState.DELETED
    if brief and is_deleted:
        tool = tr("deleted by {0}").format(source_name(session.source))
    parts = [relation, tool, project, time]
    if session.branches > 1 and not brief:
        parts.append(tr("%Ln branches", None, session.branches))
    if session.archived:
        parts.append(tr("archived"))
    if is_deleted and not brief:
        parts.append(tr("deleted by its tool"))
    return " · ".join(part for part in parts if part)


def figures(session: Session, shown: Container[ListFigure]) -> tuple[str, ...]:
    """Return the figures of a session that are to be shown: the size of its context, its cost; "" when unknown."""
    out = []
    if ListFigure.TOKENS in shown:
        out.append(tokens_text(session.context_tokens) if session.context_tokens else "")
    if ListFigure.COST in shown:
        out.append(dollars(session.cost) if session.cost else "")
    return tuple(out)


def relation_words(session: Session, relation: Relation | None, before: Session | None) -> str:
    """Return in a few words how a session came from the one `before` it; "" for a session that a person began."""
    if relation is Relation.SPAWNED or (relation is None and is_agent(session)):
        return tr("subagent")
    if relation is Relation.CONTINUED:
        tokens = 0 if before is None else before.context_tokens or 0
        return tr("compacted from {0}").format(tokens_text(tokens)) if tokens else tr("continued from a summary")
    if relation is Relation.RESET:
        return tr("after a reset")
    if relation is Relation.HANDED_OVER:
        return tr("handed over")
    return "" if relation is None else tr("fork")


def tooltip(session: Session, news: Iterable[str]) -> str:
    """Return the tooltip of a session's row: title, source, time, branches, folder, tags, and the lines of `news`."""
    facts = [source_name(session.source)]
    if session.updated_at > 0:
        written = QDateTime.fromMSecsSinceEpoch(session.updated_at * 1000 // SECOND)
        facts.append(QLocale().toString(written, "d MMM yyyy HH:mm"))
    facts.append(tr("%Ln branches", None, session.branches))
    tags = [f"#{tag}" for tag in session.tags]
    lines = [title_of(session), " · ".join(facts), session.cwd, conversation_text(session), *tags, *news]
    return plain_tip("\n".join(line for line in lines if line))


def came_from(before: Session, relation: Relation, point: ForkPoint | None = None) -> str:
    """Return how a session came from the session `before` it, such as `Continued from “Title”`.

    `point` is the entry at which it was forked, None when that is not known.
    """
    at = " ".join(point.preview.split()) if point is not None and relation is Relation.FORKED else ""
    if at:
        at = at if len(at) <= MOST_OF_ENTRY else f"{at[: MOST_OF_ENTRY - 1].rstrip()}…"
        return tr("Forked from “{0}” at “{1}”").format(title_of(before), at)
    words = {
        Relation.CONTINUED: tr("Continued from “{0}”"),
        Relation.RESET: tr("After the reset of “{0}”, continues {1}"),
        Relation.FORKED: tr("Forked from “{0}”"),
        Relation.SPAWNED: tr("Started by “{0}”"),
        Relation.HANDED_OVER: tr("Handed over from “{0}”"),
    }
    return words[relation].format(title_of(before), conversation_key(before.details))


def goes_on_as(after: Session, relation: Relation) -> str:
    """Return how a session goes on in the session `after` it, such as `Continued as “Title”`."""
    words = {
        Relation.CONTINUED: tr("Continued as “{0}”"),
        Relation.RESET: tr("Reset: {1} continues as “{0}”"),
        Relation.HANDED_OVER: tr("Handed over to {2} as “{0}”"),
    }
    pattern = words.get(relation, tr("Forked as “{0}”"))
    return pattern.format(title_of(after), conversation_key(after.details), source_name(after.source))


def started_agents(agents: Sequence[Session]) -> str:
    """Return which agents a session began, such as `Started “Title”` or `Started 3 agents`; "" for none."""
    if len(agents) == 1:
        return tr("Started “{0}”").format(title_of(agents[0]))
    return tr("Started %Ln agents", None, len(agents)) if agents else ""


def lineage_words(session: Session, lineage: Lineage, point: ForkPoint | None = None) -> list[str]:
    """Return the lines about the sessions before and after a session, and whether it is finalised.

    `point` is the entry at which it was forked, None when that is not known.
    """
    before, after, relation = lineage.before(session), lineage.after(session), lineage.relation(session)
    out = []
    if before is not None and relation is not None:
        out.append(came_from(before, relation, point))
    if after is not None:
        out.append(goes_on_as(after, lineage.relation(after) or Relation.FORKED))
    if session.state == "finalised":
        out.append(tr("finalised with a summary"))
    return out


def conversation_text(session: Session) -> str:
    """Return the filterable words about a session's conversation, `key:… kind:group`; "" for an ordinary chat."""
    key = conversation_key(session.details)
    return f"key:{key} kind:{conversation_kind(session.details)}" if key else ""


def running_words() -> str:
    """Return the note for a running reply."""
    return tr("reply streaming")


def state_words(state: SourceState) -> str:
    """Return the state of a session's source file in words."""
    if state is SourceState.FOLLOWED:
        return tr("followed: new entries are imported")
    return tr("deleted by its tool; the session is safe here")


def deleted_words(session: Session, state: SourceState | None, now: int) -> str:
    """Return that the tool deleted a session, and on which day if it is known; "" if the tool still has it."""
    time, tool = gone_from_source(session.details), source_name(session.source)
    if time:
        return tr("{0} deleted this session on {1}. It is safe here.").format(tool, day(time, now))
    return tr("{0} deleted this session. It is safe here.").format(tool) if state is SourceState.DELETED else ""


def removed_branch_words(source: str, time: int, now: int) -> str:
    """Return that the tool removed a branch, and on which day unless `time` is 0."""
    tool = source_name(source)
    if not time:
        return tr("{0} removed this branch. It is kept here.").format(tool)
    return tr("{0} removed this branch on {1}. It is kept here.").format(tool, day(time, now))


def new_short(count: int) -> str:
    """Return the number of new entries as a row has room for it, such as `3 new`."""
    return tr("%Ln new", "entries", count)


def new_words(count: int) -> str:
    """Return the number of new entries in words, such as `3 new entries`."""
    return tr("%Ln new entries", None, count)


def group_of(session: Session, grouping: Grouping, project: str, days: dict[int, str]) -> str:
    """Return the key of the group to which a session belongs: its project, tool, day or all its tags.

    `days` caches the days of times.
    """
    if grouping is Grouping.FOLDER:
        return project
    if grouping is Grouping.SOURCE:
        return session.source
    if grouping is Grouping.TAG:
        return "\n".join(session.tags)
    return day_key(session.updated_at, days)


def day_key(time: int, days: dict[int, str]) -> str:
    """Return the key of the day of a time (ns), `2026-11-25`; "" for an unknown time.

    `days` caches the days of times.
    """
    quarter = time // QUARTER
    if quarter not in days:
        start = quarter * QUARTER // SECOND
        days[quarter] = datetime.fromtimestamp(start).date().isoformat() if quarter > 0 else ""
    return days[quarter]


def project_name(project: str) -> str:
    """Return the last part of a project's folder; "" for a session without a folder."""
    return PurePath(project.replace("\\", "/")).name


def group_titles(keys: Iterable[str], grouping: Grouping, now: int) -> dict[str, str]:
    """Return the titles of the groups; folders with equal names are distinguished by their parent folders."""
    if grouping is not Grouping.FOLDER:
        return {key: _group_title(key, grouping, now) for key in keys}
    parts = {key: PurePath(key.replace("\\", "/")).parts for key in keys}
    same: dict[str, list[tuple[str, ...]]] = {}
    for own in parts.values():
        same.setdefault(own[-1] if own else "", []).append(own)
    out: dict[str, str] = {}
    for key, own in parts.items():
        rest = [other for other in same[own[-1] if own else ""] if other != own]
        depth = next((n for n in range(1, len(own)) if all(other[-n:] != own[-n:] for other in rest)), len(own))
        out[key] = str(PurePath(*own[-depth:])) if own else tr("No folder")
    return out


def sessions_words(count: int) -> str:
    """Return a number of sessions in words."""
    return tr("%Ln sessions", None, count)


def folder_title(key: str, count: int, *, is_open: bool) -> str:
    """Return the title of one of the folders ORPHANS and AUTOMATED, with the number of its sessions."""
    number = QLocale().toString(count)
    if key == ORPHANS:
        return tr("Agents without their session · {0}").format(number)
    return (tr("Automated · {0}") if is_open else tr("Automated · {0} hidden")).format(number)


def folder_words(key: str, count: int, *, is_open: bool) -> str:
    """Return what a screen reader reads of one of the folders ORPHANS and AUTOMATED."""
    name = tr("Agents without their session") if key == ORPHANS else tr("Automated")
    state = tr("shown", "sessions") if is_open else tr("hidden", "sessions")
    return f"{name}, {sessions_words(count)}, {state}"


def _group_title(key: str, grouping: Grouping, now: int) -> str:
    if grouping is Grouping.SOURCE:
        return source_name(key)
    if grouping is Grouping.TAG:
        return " ".join(f"#{tag}" for tag in key.split("\n")) if key else tr("Without tags")
    if not key:
        return tr("Without a date")
    date, today = datetime.fromisoformat(key).date(), datetime.fromtimestamp(now / SECOND).date()
    if (today - date).days in (0, 1):
        return tr("Yesterday") if date < today else tr("Today")
    words = QDate(date.year, date.month, date.day)
    return QLocale().toString(words, "ddd d MMM" if date.year == today.year else "d MMM yyyy")


def nested_words(count: int, *, is_open: bool) -> str:
    """Return the number of sessions below a session in words, and whether they are shown."""
    return tr("%Ln nested, shown", "sessions", count) if is_open else tr("%Ln nested", "sessions", count)

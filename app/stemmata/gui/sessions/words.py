"""The texts for sources, ages and groups of the session list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

from stemmata.domain.chat.conversations import conversation_kind
from stemmata.domain.entries.lineage import Lineage, Relation
from stemmata.domain.entries.session_facts import Session, conversation_key
from stemmata.domain.text.one_line import one_line
from stemmata.gui.widgets.labels import plain_tip

SECOND = 1_000_000_000
MINUTE, HOUR, DAY = 60, 3600, 86400
MOST_TITLE = 300  # maximum characters of a title
_MADE_BY_A_PROGRAM = re.compile(r"[0-9a-f-]{16,}", re.IGNORECASE)  # an id that says nothing to a person
ALMOST_A_YEAR = 330 * DAY  # younger dates are shown without the year
# other names are capitalised
SOURCES = {
    "pi": "pi", "openclaw": "OpenClaw", "chatgpt": "ChatGPT", "claude-ai": "claude.ai", "gemini": "Gemini CLI",
    "copilot-cli": "Copilot CLI", "open-webui": "Open WebUI", "opencode": "opencode", "llm": "llm",
    "vscode-chat": "VS Code chat", "librecode": "librecode",
}  # fmt: skip


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
    title = session.title if len(session.title) <= MOST_TITLE else one_line(session.title, MOST_TITLE)
    if session.source == "stemmata":
        return title or tr("New chat")
    return title or ("" if _MADE_BY_A_PROGRAM.fullmatch(session.source_id) else session.source_id) or tr("Untitled")


def age(time: int, now: int) -> str:
    """Return a time relative to now: `2 h ago`, `yesterday`, `3 d ago`; the day or the month for older times.

    Times are in ns; "" for an unknown time.
    """
    if time <= 0:
        return ""
    seconds = (now - time) // SECOND
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


def day(time: int, now: int) -> str:
    """Return the day of a time, such as `12 Nov`, with the year when it is not the current one."""
    then, today = datetime.fromtimestamp(time / SECOND), datetime.fromtimestamp(now / SECOND)
    date = QDate(then.year, then.month, then.day)
    return QLocale().toString(date, "d MMM" if then.year == today.year else "d MMM yyyy")


def facts(session: Session, now: int, *, brief: bool = False) -> str:
    """Return the facts of a session's row, such as `pi · 2 h ago · 5 branches`; without the branches when `brief`."""
    parts = [source_name(session.source), age(session.updated_at, now)]
    if session.branches > 1 and not brief:
        parts.append(tr("%Ln branches", None, session.branches))
    if session.archived:
        parts.append(tr("archived"))
    return " · ".join(part for part in parts if part)


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


def came_from(before: Session, relation: Relation) -> str:
    """Return how a session came from the session `before` it, such as `Continued from “Title”`."""
    words = {
        Relation.CONTINUED: tr("Continued from “{0}”"),
        Relation.RESET: tr("After the reset of “{0}”, continues {1}"),
        Relation.FORKED: tr("Forked from “{0}”"),
        Relation.SPAWNED: tr("Started by “{0}”"),
    }
    return words[relation].format(title_of(before), conversation_key(before.details))


def goes_on_as(after: Session, relation: Relation) -> str:
    """Return how a session goes on in the session `after` it, such as `Continued as “Title”`."""
    words = {
        Relation.CONTINUED: tr("Continued as “{0}”"),
        Relation.RESET: tr("Reset: {1} continues as “{0}”"),
    }
    return words.get(relation, tr("Forked as “{0}”")).format(title_of(after), conversation_key(after.details))


def lineage_words(session: Session, lineage: Lineage) -> list[str]:
    """Return the lines about the sessions before and after a session, and whether it is finalised."""
    before, after, relation = lineage.before(session), lineage.after(session), lineage.relation(session)
    out = []
    if before is not None and relation is not None:
        out.append(came_from(before, relation))
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


def new_words(count: int) -> str:
    """Return the number of new entries in words, such as `3 new entries`."""
    return tr("%Ln new entries", None, count)


def new_short(count: int) -> str:
    """Return the number of new entries in short, such as `3 new`."""
    return tr("%Ln new", "entries", count)


def group_of(session: Session, grouping: Grouping, now: int) -> str:
    """Return the key of the group to which a session belongs: folder, source, age or all its tags."""
    if grouping is Grouping.FOLDER:
        return session.cwd.rstrip("/\\") or session.cwd
    if grouping is Grouping.SOURCE:
        return session.source
    if grouping is Grouping.TAG:
        return "\n".join(session.tags)
    return _span(session.updated_at, now)


def group_titles(keys: Iterable[str], grouping: Grouping) -> dict[str, str]:
    """Return the titles of the groups; folders with equal names are distinguished by their parent folders."""
    if grouping is not Grouping.FOLDER:
        return {key: _group_title(key, grouping) for key in keys}
    parts = {key: PurePath(key.replace("\\", "/")).parts for key in keys}
    out: dict[str, str] = {}
    for key, own in parts.items():
        rest = [other for other in parts.values() if other != own and own and other[-1:] == own[-1:]]
        depth = next((n for n in range(1, len(own)) if all(other[-n:] != own[-n:] for other in rest)), len(own))
        out[key] = str(PurePath(*own[-depth:])) if own else tr("No folder")
    return out


def _group_title(key: str, grouping: Grouping) -> str:
    if grouping is Grouping.SOURCE:
        return source_name(key)
    if grouping is Grouping.TAG:
        return " ".join(f"#{tag}" for tag in key.split("\n")) if key else tr("Without tags")
    return key


def _span(time: int, now: int) -> str:
    if time <= 0:
        return tr("Without a date")
    days = (now - time) // SECOND // DAY
    if days < 1:
        return tr("Last 24 hours")
    if days < 7:
        return tr("Last 7 days")
    if days < 30:
        return tr("Last 30 days")
    moment = datetime.fromtimestamp(time / SECOND)
    return QLocale().toString(QDate(moment.year, moment.month, 1), "MMMM yyyy")

"""The properties of a session: its title, folder, times, and the session that it came from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.opencode.forks import ForkOrigin
from stemmata.formats.opencode.source import SessionRow, Source
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text

SOURCE = "opencode"
_UNNAMED = re.compile(r"(New session - |Child session - )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_FACTS = {"project_id": "project", "version": "version", "slug": "slug", "agent": "agent", "share_url": "share"}


def info_of(
    source: Source, session: SessionRow, by_id: Mapping[str, SessionRow], origin: ForkOrigin | None
) -> SessionInfo:
    """Return the properties of a session. `by_id` holds the sessions that started a subagent's, by their id."""
    facts = session.facts
    title = text(facts.get("title"))
    details: dict[str, Any] = {name: facts[key] for key, name in _FACTS.items() if isinstance(facts.get(key), str)}
    if facts.get("time_archived"):
        details["archived"] = True
    above = _above(session, by_id)
    parent = by_id.get(above[-1]) if above else None
    if parent is not None and (call := _call(source, parent, session)):
        details["toolCall"] = call
    parent_id = "/".join(dict.fromkeys((above[0], above[-1]))) if above else ""
    if origin is not None and not above:
        parent_id = _source_id(origin.session, by_id)
    return SessionInfo(
        source=SOURCE,
        source_id=_source_id(session, by_id),
        title="" if _UNNAMED.fullmatch(title) else title,
        cwd=text(facts.get("directory")),
        created_at=session.created,
        parent_source_id=parent_id,
        details=with_changed_in_source(compact_json(details) if details else "", instant(facts.get("time_updated"))),
    )


def _source_id(session: SessionRow, by_id: Mapping[str, SessionRow]) -> str:
    """Return the id of a session; the id of a subagent's session begins with the id of the user's session."""
    above = _above(session, by_id)
    return f"{above[0]}/{session.id}" if above else session.id


def _above(session: SessionRow, by_id: Mapping[str, SessionRow]) -> list[str]:
    """Return the ids of the sessions above a subagent's session, the user's session first."""
    above: list[str] = []
    at: SessionRow | None = session
    while at is not None:
        parent = text(at.facts.get("parent_id"))
        if not parent or parent in above or parent == session.id:
            break
        above.append(parent)
        at = by_id.get(parent)
    return above[::-1]


def _call(source: Source, parent: SessionRow, child: SessionRow) -> str:
    """Return the id of the tool call that began a subagent; "" when it is unknown."""
    for data in source.call_of(parent, child):
        try:
            part = parse_object(data.encode("utf-8", "replace") if isinstance(data, str) else data)
        except BadLineError:
            continue
        if mapping(mapping(part.get("state")).get("metadata")).get("sessionId") == child.id:
            return text(part.get("callID"))
    return ""

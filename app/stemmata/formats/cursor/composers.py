"""Read the sessions of Cursor's database: the list of a session's messages, and the messages it no longer lists.

The database can have many gigabytes, so its keys are only looked up and read in ranges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, End, ReadEvent, Skipped, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.cursor.bubbles import bubble_entries, is_running, moment
from stemmata.formats.shared.composed_source import ComposedSource
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseSessions
from stemmata.formats.shared.database_values import parsed, plain
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.values import mapping, text

NEEDED: Mapping[str, frozenset[str]] = {"cursorDiskKV": frozenset({"key", "value"})}
_COMPOSER, _BUBBLE = "composerData:", "bubbleId:"
_PATIENCE = 600 * 1_000_000_000  # ns without a change, after which an incomplete reply counts as abandoned
_USER = 1
_FACTS = ("unifiedMode", "contextUsagePercent", "forceMode")
_IN_ORDER: dict[str, Any] = {}  # used in place of a missing session, whose messages are ordered by time
_KEPT = (
    *_FACTS,
    "name",
    "createdAt",
    "lastUpdatedAt",
    "status",
    "modelConfig",
    "subagentInfo",
    "workspaceIdentifier",
)


@dataclass(frozen=True, slots=True)
class _Bubble:
    """A message. `key` is the last part of its key, `time` (ns) when it was written; `rank` is its place by key."""

    key: str
    fields: dict[str, Any]
    time: int
    rank: int


class Composers(DatabaseSessions):
    """The sessions of a database. `now` is the time, in ns since the epoch."""

    def __init__(self, database: SourceDatabase, now: int) -> None:
        self._database = database
        self._now = now

    def prints(self) -> Mapping[str, str]:
        """Return the fingerprint of each session; "" for one in which a reply is being written."""
        query = (
            "SELECT key, length(CAST(value AS BLOB)), CASE WHEN json_valid(CAST(value AS TEXT)) THEN"
            " coalesce(json_extract(CAST(value AS TEXT), '$.lastUpdatedAt'), '') || '/'"
            " || coalesce(json_extract(CAST(value AS TEXT), '$.status'), '') END"
            " FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"
        )
        found: dict[str, str] = {}
        for key, size, state in self._database.rows(query, _COMPOSER, _end(_COMPOSER)):
            id = plain(key).removeprefix(_COMPOSER)
            count = sum(number for (number,) in self._rows("count(*)", f"{_BUBBLE}{id}:"))
            print = f"{size}/{plain(state)}/{count}"
            found[id] = "" if plain(state).endswith("/generating") else print
        return found

    def unlisted(self) -> Iterator[ReadEvent]:
        """Yield the sessions whose own value is missing although messages of them are there.

        Other keys are the program's.
        """
        known = {plain(key).removeprefix(_COMPOSER) for (key,) in self._rows("key", _COMPOSER)}
        before, at = "", _BUBBLE
        query = "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT 1"
        # one look-up for each session, however many messages it has; a key that is no UTF-8 ends the search
        while (rows := list(self._database.rows(query, at, _end(_BUBBLE)))) and at != before:
            id = plain(rows[0][0]).removeprefix(_BUBBLE).partition(":")[0]
            if id not in known:
                yield from self.read(id)
            before, at = at, _end(f"{_BUBBLE}{id}:")

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a session; nothing for one without messages."""
        rows = list(self._database.rows("SELECT value FROM cursorDiskKV WHERE key = ?", f"{_COMPOSER}{id}"))
        value = rows[0][0] if rows else None
        composer = parsed(value)
        if not isinstance(composer, dict):
            if value is not None:
                yield UnusedPart(f"session {id}", "is damaged")
            composer = _IN_ORDER  # the messages exist, but not the list of them
        bubbles, unreadable = self._bubbles(id, composer)
        order, missing = _order(composer, bubbles)
        missing = [one for one in missing if one not in unreadable]
        if not bubbles and not missing and not unreadable:
            return
        listed = set(order)
        source = ComposedSource()
        yield Begin(self._info(id, composer, bubbles))
        yield source.line({"composer": id, **{name: composer[name] for name in _KEPT if name in composer}})[0]
        yield from (Skipped(0, f"message {one}: {reason}") for one, reason in unreadable.items())
        yield from (Skipped(0, f"message {one}: is missing") for one in missing)
        order = order[: self._finished(composer, order, bubbles)]
        ends: dict[str | None, str | None] = {None: None}
        taken = set(bubbles)
        model = text(mapping(composer.get("modelConfig")).get("modelName"))
        for key, above in _placed(order, listed, bubbles):
            raw, record = source.line({"bubble": key, **bubbles[key].fields})
            yield raw
            end = ends[above]
            for event in bubble_entries(key, bubbles[key].fields, model):
                if isinstance(event, Entry):
                    entry = with_free_id(event, key, taken)
                    yield replace(entry, parent=end, record=record, time=bubbles[key].time)
                    end = entry.id
                else:
                    yield event
            ends[key] = end
        yield End(ends[order[-1]] if order else None, leaf_known=True)

    def _rows(self, what: str, prefix: str) -> Iterator[tuple[Any, ...]]:
        query = f"SELECT {what} FROM cursorDiskKV WHERE key >= ? AND key < ?"
        return self._database.rows(query, prefix, _end(prefix))

    def _bubbles(self, id: str, composer: Mapping[str, Any]) -> tuple[dict[str, _Bubble], dict[str, str]]:
        """Return the messages of a session by key, and the reasons why others cannot be read."""
        prefix = f"{_BUBBLE}{id}:"
        found: dict[str, Any] = {}
        for key, value in self._rows("key, value", prefix):
            found[plain(key).removeprefix(prefix)] = parsed(value) if value is not None else {}
        for key, value in _inside(composer):
            found.setdefault(key, value)
        bubbles: dict[str, _Bubble] = {}
        unreadable: dict[str, str] = {}
        for rank, (key, fields) in enumerate(found.items()):
            if isinstance(fields, dict) and fields:
                bubbles[key] = _Bubble(key, fields, moment(fields), rank)
            else:
                unreadable[key] = "has no content" if fields == {} else "is damaged"
        return bubbles, unreadable

    def _finished(self, composer: Mapping[str, Any], order: list[str], bubbles: Mapping[str, _Bubble]) -> int:
        """Return the number of messages before the first one that is still being written."""
        changed = moment({"createdAt": composer.get("lastUpdatedAt")})
        if composer.get("status") != "generating" or self._now - changed >= _PATIENCE:
            return len(order)
        unfinished = (at for at, key in enumerate(order) if is_running(bubbles[key].fields))
        is_reply = bool(order) and bubbles[order[-1]].fields.get("type") != _USER
        return next(unfinished, len(order) - is_reply)

    def _info(self, id: str, composer: Mapping[str, Any], bubbles: Mapping[str, _Bubble]) -> SessionInfo:
        details = {name: composer[name] for name in _FACTS if composer.get(name)}
        parent = text(mapping(composer.get("subagentInfo")).get("parentComposerId"))
        parent = parent if parent != id else ""
        forked_from = text(composer.get("forkedFromComposerId"))
        origin = parent or (forked_from if forked_from != id else "")
        workspace = mapping(mapping(composer.get("workspaceIdentifier")).get("uri"))
        folders = (text(one.fields.get("workspaceProjectDir")) for one in bubbles.values())
        changed = moment({"createdAt": composer.get("lastUpdatedAt")})
        return SessionInfo(
            source="cursor", source_id=f"{parent}/{id}" if parent else id, title=text(composer.get("name")),
            cwd=text(workspace.get("fsPath")) or next(filter(None, folders), ""),
            created_at=moment(composer), parent_source_id=origin,
            details=with_changed_in_source(compact_json(details) if details else "", changed),
        )  # fmt: skip


def _end(prefix: str) -> str:
    """Return the first key behind those that begin with a prefix, which ends with a colon."""
    return f"{prefix[:-1]};"


def _inside(composer: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the messages that older versions kept in the session's own value."""
    listed = composer.get("conversation")
    for at, one in enumerate(listed if isinstance(listed, list) else []):
        yield text(mapping(one).get("bubbleId")) or f"{at + 1}", one
    yield from mapping(composer.get("conversationMap")).items()


def _order(composer: Mapping[str, Any], bubbles: Mapping[str, _Bubble]) -> tuple[list[str], list[str]]:
    """Return the keys of the messages as the session lists them, and listed messages that are not there.

    A message is listed by its key or by the id in its value.
    """
    if composer is _IN_ORDER:
        timed = sorted(bubbles.values(), key=lambda one: (one.time, one.rank))
        return [one.key for one in timed], []
    headers = composer.get("fullConversationHeadersOnly")
    if isinstance(headers, list) and headers:
        listed = [text(mapping(one).get("bubbleId")) for one in headers]
    else:
        listed = [key for key, _ in _inside({"conversation": composer.get("conversation")})]
    by_id: dict[str, str] = {}
    for key, bubble in bubbles.items():
        if isinstance(bubble.fields.get("bubbleId"), str):
            by_id.setdefault(bubble.fields["bubbleId"], key)
    keys = [id if id in bubbles else by_id.get(id) for id in listed]
    missing = [id for id, key in zip(listed, keys, strict=True) if key is None]
    return list(dict.fromkeys(key for key in keys if key is not None)), missing


def _placed(order: list[str], listed: set[str], bubbles: Mapping[str, _Bubble]) -> Iterator[tuple[str, str | None]]:
    """Yield each message of the list with the previous one, then the messages that the session no longer lists.

    An unlisted message follows the message that was written before it; one without a time is a root.
    """
    yield from zip(order, [None, *order], strict=False)
    places = {key: at for at, key in enumerate(order)}
    timed = [one for one in bubbles.values() if one.time and (one.key in places or one.key not in listed)]
    before: str | None = None
    for bubble in sorted(timed, key=lambda one: (one.time, one.key not in places, places.get(one.key, one.rank))):
        if bubble.key not in listed:
            yield bubble.key, before
        before = bubble.key
    yield from ((one.key, None) for one in bubbles.values() if not one.time and one.key not in listed)

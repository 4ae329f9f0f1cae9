"""The keys of conversations, and when a conversation starts anew.

A key names a conversation, such as `agent:main:telegram:group:1`, over all of its sessions. OpenClaw (formerly
Moltbot) introduced these keys; other sessions get one with their first reset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

from stemmata.domain.sessions.details import conversation_key, conversation_of

AGENT = "agent"
MAIN = "main"  # the default of the agent's id and of the main key
POLICY = "reset"  # key of the conversation's facts: hour and idleMinutes of the gateway
CENTURY = 100 * 366 * 24 * 60  # minutes
LONGEST_ID = 64  # characters of an agent's id
KINDS = ("direct", "group", "room", "job", "webhook", "subagent")
_KINDS = {  # the part of a key that shows the kind; the first match counts
    "subagent": "subagent", "acp": "subagent", "cron": "job", "hook": "webhook", "group": "group", "channel": "room",
    "room": "room",
}  # fmt: skip
_ODD = re.compile(r"[^a-z0-9_-]+")


def main_key(agent: str, name: str) -> str:
    """Return the key of a main chat of an agent, `agent:<id>:<name>` in lower case.

    Other characters than letters, digits, `_` and `-` become `-`.
    """
    return f"{AGENT}:{_id(agent)}:{_id(name)}"


def _id(text: str) -> str:
    return _ODD.sub("-", text.strip().lower()).strip("-")[:LONGEST_ID].strip("-") or MAIN


def kind_of(key: str, chat_type: str = "") -> str:
    """Return the kind of a conversation, one of `KINDS`.

    `chat_type` is the kind that an index states, "" for none; it decides between direct, group and room.
    """
    parts = key.strip().lower().split(":")
    found = next((kind for part, kind in _KINDS.items() if part in parts), "direct")
    stated = {"direct": "direct", "group": "group", "channel": "room", "room": "room"}.get(chat_type.lower(), "")
    return stated if stated and found in ("direct", "group", "room") else found


def conversation_kind(details: str) -> str:
    """Return the kind of a session's conversation by the session's details, "" for an ordinary chat."""
    key, chat_type = conversation_key(details), conversation_of(details).get("chatType")
    return kind_of(key, chat_type if isinstance(chat_type, str) else "") if key else ""


class ResetPolicy(NamedTuple):
    """When a conversation starts anew: from a local hour on, each day, and after minutes without messages."""

    hour: int | None = None
    idle_minutes: int | None = None


GATEWAY_HOUR, GATEWAY_IDLE = 4, 60  # the defaults of a gateway


def gateway_policy(settings: Mapping[str, Any], key: str, chat_type: str, channel: str) -> ResetPolicy | None:
    """Return when a gateway resets a conversation, by the section `session` of its settings; None when none is set.

    A rule for the channel comes before one for the type of chat, and that before the general one. `idleMinutes` of
    the section itself is the older name of `reset.idleMinutes`. These are the rules of OpenClaw.
    """
    by_channel = _section(settings.get("resetByChannel")).get(channel)
    base = by_channel if isinstance(by_channel, Mapping) else settings.get("reset")
    types, older = settings.get("resetByType"), settings.get("idleMinutes")
    own = _section(_section(types).get(_reset_type(key, chat_type)))
    if isinstance(by_channel, Mapping):
        own, older = {}, None
    is_stated = isinstance(base, Mapping) or isinstance(types, Mapping)
    if not is_stated and _number(older) is None:
        return None
    rules = (own, _section(base))
    mode = next((rule["mode"] for rule in rules if rule.get("mode") in ("daily", "idle")), "")
    mode = mode or ("daily" if is_stated else "idle")
    hours = [_number(rule.get("atHour")) for rule in rules]
    idles = [*(_number(rule.get("idleMinutes")) for rule in rules), _number(older)]
    hour = next((found for found in hours if found is not None), GATEWAY_HOUR)
    idle = next((max(found, 1) for found in idles if found is not None), GATEWAY_IDLE if mode == "idle" else None)
    return ResetPolicy(min(max(hour, 0), 23) if mode == "daily" else None, idle)


def _section(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> int | None:
    """Return a number without its fraction; None for any other value and for more than a century."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -CENTURY <= value <= CENTURY:
        return None
    return int(value)


def _reset_type(key: str, chat_type: str) -> str:
    if ":thread:" in key or ":topic:" in key:
        return "thread"
    return "group" if kind_of(key, chat_type) in ("group", "room") else "dm"


def kept_policy(details: str) -> ResetPolicy | None:
    """Return the policy of the gateway that a session's details hold; None for none."""
    found = conversation_of(details).get(POLICY)
    if not isinstance(found, dict):
        return None
    hour, idle = _number(found.get("hour")), _number(found.get("idleMinutes"))
    hour = None if hour is None or not 0 <= hour <= 23 else hour
    return ResetPolicy(hour, None if idle is None or idle < 1 else idle)


class ResetReason(Enum):
    """The reasons why a conversation starts anew with its next message."""

    DAILY = "daily"
    IDLE = "idle"


def reset_due(hour: int | None, idle_minutes: int | None, last: datetime, now: datetime) -> ResetReason | None:
    """Return why a conversation is to start anew, by the rule that came due first; None when none is due.

    `last` is the time of the last entry; both times are aware and local. `hour` is the local hour of the daily reset,
    `idle_minutes` the permitted time without entries; None turns a rule off. A time that only just reaches its limit
    is not due.
    """
    here, idle = last.replace(tzinfo=None), timedelta(minutes=idle_minutes or 0)
    due: list[tuple[datetime, ResetReason]] = []
    if hour is not None:
        today = now.replace(tzinfo=None, hour=hour, minute=0, second=0, microsecond=0)
        struck = today if now.replace(tzinfo=None) >= today else today - timedelta(days=1)
        if here < struck:
            first = here.replace(hour=hour, minute=0, second=0, microsecond=0)
            due.append((first if here < first else first + timedelta(days=1), ResetReason.DAILY))
    if idle_minutes is not None and now - last > idle:
        due.append((here + idle, ResetReason.IDLE))
    return min(due, key=lambda found: found[0])[1] if due else None

"""The keys of conversations, and when a reset is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.chat.conversations import (
    ResetPolicy,
    ResetReason,
    conversation_kind,
    gateway_policy,
    kept_policy,
    kind_of,
    main_key,
    reset_due,
)
from stemmata.domain.sessions.details import conversation_key, with_conversation_key, with_marks_of

TIMES = st.datetimes(datetime(2001, 1, 1), datetime(2030, 1, 1), timezones=st.just(timezone(timedelta(hours=2))))


@given(st.text(), st.text())
def test_a_main_key_has_three_parts_whatever_its_names(agent: str, name: str) -> None:
    key = main_key(agent, name)
    first, id, rest = key.split(":")
    assert first == "agent"
    assert 0 < min(len(id), len(rest)) <= max(len(id), len(rest)) <= 64
    assert main_key(id, rest) == key


@pytest.mark.parametrize(
    ("key", "chat_type", "kind"),
    [
        ("agent:main:main", "", "direct"),
        ("agent:main:main", "channel", "room"),
        ("agent:main:telegram:group:1", "", "group"),
        ("agent:main:telegram:group:1:topic:3", "direct", "direct"),
        ("agent:main:slack:channel:c1", "", "room"),
        ("agent:main:discord:room:c1", "odd", "room"),
        ("agent:main:cron:job", "group", "job"),
        ("hook:1", "", "webhook"),
        ("agent:main:subagent:u", "", "subagent"),
        ("global", "", "direct"),
    ],
)
def test_the_kind_is_in_the_key_or_is_stated(key: str, chat_type: str, kind: str) -> None:
    assert kind_of(key, chat_type) == kind


def test_the_details_have_the_key() -> None:
    details = with_conversation_key('{"a":1}', "agent:main:x")
    assert details == '{"a":1,"conversation":{"sessionKey":"agent:main:x"}}'
    assert (conversation_key(details), conversation_kind(details)) == ("agent:main:x", "direct")
    for other in ("", "{", "[]", '{"conversation":[],"sessionKey":1}', '{"conversation":{"sessionKey":5}}'):
        assert (conversation_key(other), conversation_kind(other)) == ("", "")
    odd = '{"conversation":{"sessionKey":"agent:a:group:b","chatType":7}}'
    assert conversation_kind(odd) == "group"


def test_a_source_that_names_no_key_leaves_the_key() -> None:
    known = with_conversation_key("", "agent:main:x")
    assert conversation_key(with_marks_of('{"new":1}', known)) == "agent:main:x"
    told = with_conversation_key("", "agent:main:y")
    assert conversation_key(with_marks_of(told, known)) == "agent:main:y"


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hour", "idle", "last", "now", "due"),
    [
        (None, None, at(1, 3), at(9, 9), None),
        (4, None, at(1, 3), at(1, 4), ResetReason.DAILY),
        (4, None, at(1, 3), at(1, 3, 59), None),
        (4, None, at(1, 4), at(2, 3, 59), None),  # just at the hour is fresh
        (4, None, at(1, 5), at(2, 4), ResetReason.DAILY),
        (0, None, at(1, 23), at(2, 0), ResetReason.DAILY),
        (None, 60, at(1, 3), at(1, 4), None),  # just at the limit is fresh
        (None, 60, at(1, 3), at(1, 4, 1), ResetReason.IDLE),
        (4, 60, at(1, 2, 30), at(1, 9), ResetReason.IDLE),  # at 3:30, before 4:00
        (4, 60, at(1, 3, 30), at(1, 9), ResetReason.DAILY),  # at 4:00, before 4:30
        (4, 60, at(1, 5), at(3, 9), ResetReason.IDLE),
    ],
)
def test_the_first_to_strike_wins(
    hour: int | None, idle: int | None, last: datetime, now: datetime, due: ResetReason | None
) -> None:
    assert reset_due(hour, idle, last, now) is due


@given(st.integers(0, 23) | st.none(), st.integers(1, 10_000) | st.none(), TIMES, st.timedeltas(timedelta(0)))
def test_what_is_due_stays_due(hour: int | None, idle: int | None, last: datetime, more: timedelta) -> None:
    more = min(more, timedelta(days=400))
    first = reset_due(hour, idle, last, last + more)
    later = reset_due(hour, idle, last, last + more + timedelta(hours=1))
    assert first is None or later is first
    assert reset_due(hour, idle, last, last) is None
    if hour is not None and more >= timedelta(days=1):
        assert first is not None


DM, GROUP, THREAD = "agent:main:main", "agent:main:telegram:group:1", "agent:main:slack:channel:1:thread:2"


@pytest.mark.parametrize(
    ("settings", "key", "policy"),
    [
        ({}, DM, None),
        ({"idleMinutes": "30"}, DM, None),
        ({"idleMinutes": True}, DM, None),
        ({"idleMinutes": 10**30}, DM, None),
        ({"idleMinutes": float("nan")}, DM, None),
        ({"idleMinutes": 30}, DM, ResetPolicy(None, 30)),
        ({"idleMinutes": 30, "reset": {}}, DM, ResetPolicy(4, 30)),
        ({"reset": {"mode": "idle"}}, DM, ResetPolicy(None, 60)),
        ({"reset": {"mode": "daily", "atHour": 25, "idleMinutes": 0.5}}, DM, ResetPolicy(23, 1)),
        ({"reset": {"mode": "often", "atHour": -1}}, DM, ResetPolicy(0, None)),
        ({"idleMinutes": 5, "resetByType": {"thread": {"mode": "idle"}}}, DM, ResetPolicy(4, 5)),
        ({"resetByType": {"thread": {"mode": "idle"}}}, THREAD, ResetPolicy(None, 60)),
        ({"resetByType": {"group": {"atHour": 0}}, "reset": {"atHour": 6}}, GROUP, ResetPolicy(0, None)),
        ({"resetByType": {"group": 3}, "reset": {"atHour": 6}}, GROUP, ResetPolicy(6, None)),
        (
            {"idleMinutes": 5, "resetByChannel": {"telegram": {"mode": "idle", "idleMinutes": 10080}}}, GROUP,
            ResetPolicy(None, 10080),
        ),
        (
            {"resetByChannel": {"telegram": {"mode": "idle"}}, "resetByType": {"group": {}}}, GROUP,
            ResetPolicy(None, 60),
        ),
        ({"resetByChannel": {"slack": {"mode": "idle"}}}, GROUP, None),
    ],
)  # fmt: skip
def test_a_gateway_resets_by_its_settings(settings: dict[str, object], key: str, policy: ResetPolicy | None) -> None:
    assert gateway_policy(settings, key, "", "telegram") == policy


@pytest.mark.parametrize(
    ("kept", "policy"),
    [
        ("", None), ("3", None), ('{"hour":4,"idleMinutes":30}', ResetPolicy(4, 30)),
        ('{"hour":24,"idleMinutes":0}', ResetPolicy()), ('{"hour":"4"}', ResetPolicy()),
    ],
)  # fmt: skip
def test_the_policy_of_a_gateway_is_kept_with_the_session(kept: str, policy: ResetPolicy | None) -> None:
    reset = f',"reset":{kept}' if kept else ""
    assert kept_policy(f'{{"conversation":{{"sessionKey":"agent:main:main"{reset}}}}}') == policy

"""The details of a session: a JSON object with facts of its source, and with marks and choices made in Stemmata.

Every function takes the details as JSON text, "" for none. `with_…` returns the changed text.
"""

from __future__ import annotations

import json
from typing import Any

from stemmata.domain.text.json_text import compact_json

VERBOSITIES = ("off", "on", "full")  # which notices a session shows besides replies

# keys that Stemmata adds
_NAMED_HERE = "namedHere"
_NAMED_IN_TOOL = "namedInTool"
_BY_HAND = "compactsByHand"
_SUMMARISER = "summariser"
_VERBOSITY = "verbosity"
_CONTINUES = "continues"
_GONE = "goneFromSource"
_MARKS = (_NAMED_HERE, _BY_HAND, _NAMED_IN_TOOL)  # those whose value is true or missing

# keys that a source gives
_CHANGED = "changedInSource"
_CONVERSATION, _CONVERSATION_KEY = "conversation", "sessionKey"
_GATEWAY_VERBOSITY = "verboseLevel"  # inside the conversation


def is_named_by_a_person(details: str) -> bool:
    """Return whether the session's details say that a person named the session, in Stemmata or in its tool."""
    facts = _facts(details)
    return facts.get(_NAMED_HERE) is True or facts.get(_NAMED_IN_TOOL) is True


def is_named_here(details: str) -> bool:
    """Return whether the session's details say that the user named the session in Stemmata."""
    return _facts(details).get(_NAMED_HERE) is True


def with_named_here(details: str, *, on: bool) -> str:
    """Return the session's details with the mark that the user named the session in Stemmata, set or removed."""
    return _with_mark(details, _NAMED_HERE, on=on)


def with_named_in_tool(details: str, *, on: bool) -> str:
    """Return the session's details with the mark that a person named the session in its tool, set or removed."""
    return _with_mark(details, _NAMED_IN_TOOL, on=on)


def is_compacted_by_hand(details: str) -> bool:
    """Return whether the session's details say that automatic compaction is off for the session."""
    return _facts(details).get(_BY_HAND) is True


def with_compacted_by_hand(details: str, *, on: bool) -> str:
    """Return the session's details with the mark that automatic compaction is off, set or removed."""
    return _with_mark(details, _BY_HAND, on=on)


def summariser_of(details: str) -> str:
    """Return the `connection/model` that the session's details choose for summaries; "" for none."""
    found = _facts(details).get(_SUMMARISER)
    return found if isinstance(found, str) else ""


def with_summariser(details: str, name: str) -> str:
    """Return the session's details with the `connection/model` that writes summaries; "" removes the choice."""
    facts = {key: value for key, value in _facts(details).items() if key != _SUMMARISER}
    if name:
        facts[_SUMMARISER] = name
    return compact_json(facts) if facts else ""


def verbosity_of(details: str) -> str:
    """Return a session's verbosity from its details: `off`, `on` or `full` notices besides the replies.

    A level that the user chose comes before that of a gateway; without both it is `on`.
    """
    own = _facts(details).get(_VERBOSITY)
    found = own if own in VERBOSITIES else conversation_of(details).get(_GATEWAY_VERBOSITY)
    return found if isinstance(found, str) and found in VERBOSITIES else "on"


def with_verbosity(details: str, level: str) -> str:
    """Return the session's details with the level of verbosity that the user chose."""
    return compact_json(_facts(details) | {_VERBOSITY: level})


def conversation_of(details: str) -> dict[str, Any]:
    """Return the conversation that the session's details name; empty for an ordinary chat."""
    found = _facts(details).get(_CONVERSATION) if _CONVERSATION_KEY in details else None
    return found if isinstance(found, dict) else {}


def conversation_key(details: str) -> str:
    """Return the key of the session's conversation, "" for an ordinary chat."""
    key = conversation_of(details).get(_CONVERSATION_KEY)
    return key if isinstance(key, str) else ""


def with_conversation_key(details: str, key: str) -> str:
    """Return the session's details with the key of its conversation."""
    return compact_json(_facts(details) | {_CONVERSATION: conversation_of(details) | {_CONVERSATION_KEY: key}})


def reset_origin(details: str) -> str:
    """Return the id of the session whose reset began this one, by the session's details; "" for none."""
    found = _facts(details).get(_CONTINUES) if _CONTINUES in details else None
    return found if isinstance(found, str) else ""


def with_reset_origin(details: str, id: str) -> str:
    """Return the session's details with the id of the session whose reset began this one."""
    return compact_json(_facts(details) | {_CONTINUES: id})


def changed_in_source(details: str) -> int:
    """Return when the session changed last in its source, in ns, by the session's details; 0 when unknown."""
    found = _facts(details).get(_CHANGED) if _CHANGED in details else None
    return found if isinstance(found, int) else 0


def with_changed_in_source(details: str, time: int) -> str:
    """Return the details that a source gives, with the time (ns) at which the session changed last in its source."""
    return compact_json(_facts(details) | {_CHANGED: time}) if time else details


def gone_from_source(details: str) -> int:
    """Return when an import first missed the session in its tool's database (ns), by its details; 0 for others.

    A session with its own file has no such time: `services/sessions/source_files.py` looks for the file.
    """
    found = _facts(details).get(_GONE) if _GONE in details else None
    return found if isinstance(found, int) else 0


def with_gone_from_source(details: str, time: int) -> str:
    """Return the session's details with the time (ns) since which its tool no longer has it; 0 removes the mark."""
    facts = {name: value for name, value in _facts(details).items() if name != _GONE}
    if time:
        facts[_GONE] = time
    return compact_json(facts) if facts else ""


def choices_of(details: str) -> str:
    """Return the details that hold the user's choices for a session, for a new session that is made from it.

    A title that a person gave is one of them: the new session's title is made from it.
    """
    by_hand = with_compacted_by_hand("", on=is_compacted_by_hand(details))
    chosen = with_summariser(by_hand, summariser_of(details))
    named = with_named_in_tool(chosen, on=is_named_by_a_person(details))
    own = _facts(details).get(_VERBOSITY)
    return with_verbosity(named, own) if own in VERBOSITIES else named


def with_marks_of(details: str, known: str) -> str:
    """Return the details that a source gives, with the facts that Stemmata added to the `known` ones."""
    if name := summariser_of(known):
        details = with_summariser(details, name)
    facts = _facts(known)
    if facts.get(_VERBOSITY) in VERBOSITIES:
        details = with_verbosity(details, facts[_VERBOSITY])
    if conversation_key(known) and not conversation_key(details):
        details = with_conversation_key(details, conversation_key(known))
    for mark in _MARKS:
        if facts.get(mark) is True:
            details = _with_mark(details, mark, on=True)
    return details


def with_further_facts(details: str, further: str) -> str:
    """Return the details with the facts that only `further` has; "" when it has none."""
    known, other = _facts(details), _facts(further)
    return compact_json({**other, **known}) if other.keys() - known.keys() else ""


def _with_mark(details: str, mark: str, *, on: bool) -> str:
    facts = {name: value for name, value in _facts(details).items() if name != mark}
    return compact_json(facts | {mark: True} if on else facts) if facts or on else ""


def _facts(details: str) -> dict[str, Any]:
    try:
        found = json.loads(details or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

"""Immutable values about sessions, and the facts in their details. They are passed between threads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.one_line import TITLE, cut_title, without_fork

if TYPE_CHECKING:
    from stemmata.domain.entries.tree import Tree  # the list of sessions is painted before trees are loaded

_HERE = "namedHere"  # a key of the session's details
_BY_HAND = "compactsByHand"  # a key of the session's details
_SUMMARISER = "summariser"  # a key of the session's details
_IN_TOOL = "namedInTool"  # a key of the session's details
_MARKS = (_HERE, _BY_HAND, _IN_TOOL)  # the keys that Stemmata adds to the details that a source gives
_CONVERSATION, _KEY = "conversation", "sessionKey"  # keys of the session's details
_VERBOSITY, _GATEWAY_VERBOSITY = (
    "verbosity",
    "verboseLevel",
)  # keys of the session's details, and of a gateway's index
_CONTINUES = "continues"  # a key of the session's details
_CHANGED = "changedInSource"  # a key of the details that a source gives
_GONE = "goneFromSource"  # a key of the session's details


_MADE_BY_A_PROGRAM = re.compile(r"[0-9a-f-]{16,}", re.IGNORECASE)  # an id that says nothing to a person
_SENTENCE = 12  # characters of a title that can be recognised in another one
VERBOSITIES = ("off", "on", "full")  # which notices a session shows besides replies


def whole_title(title: str, prompt: str, details: str) -> str:
    """Return the tool's title; the title from the prompt when there is none, or when the tool cut its own off.

    A title that a person gave stays. The name of a fork keeps its mark.
    """
    begin, fork = without_fork(title)
    begin = begin.removesuffix("…").removesuffix("...")
    is_cut = len(begin) < min(len(title), len(prompt)) and prompt.startswith(begin)
    if not (is_cut or (len(title) > TITLE and _is_beginning(begin, prompt))) or is_named_by_a_person(details):
        return title or prompt
    return prompt + fork


def _is_beginning(title: str, prompt: str) -> bool:
    """Return whether a title is the beginning of the prompt from which the title `prompt` was taken.

    That one has shortened paths, and a greeting may be left out at its beginning.
    """
    known = prompt.removesuffix("…").casefold()
    words = " ".join(word.rpartition("/")[2] for word in title.split()).casefold()
    return len(known) >= _SENTENCE and (known in words if known != prompt.casefold() else words.startswith(known))


def name_of(session: Session) -> str:
    """Return the session's title, else an id that says something to a person; "" without both."""
    return session.title or ("" if _MADE_BY_A_PROGRAM.fullmatch(session.source_id) else session.source_id)


def title_for_list(title: str, details: str) -> str:
    """Return a title for a row or a header: one that a tool or a prompt gave is cut between words.

    A title that a person gave, in Stemmata or in the tool, stays as it is.
    """
    return title if len(title) <= TITLE or is_named_by_a_person(details) else cut_title(title)


def is_named_by_a_person(details: str) -> bool:
    """Return whether the session's details say that a person named the session, in Stemmata or in its tool."""
    facts = _facts(details)
    return facts.get(_HERE) is True or facts.get(_IN_TOOL) is True


def with_named_in_tool(details: str, *, on: bool) -> str:
    """Return the session's details with the mark that a person named the session in its tool, set or removed."""
    return _with_mark(details, _IN_TOOL, on=on)


def is_named_by_user(details: str) -> bool:
    """Return whether the session's details say that the user named the session in Stemmata."""
    return _facts(details).get(_HERE) is True


def with_named_by_user(details: str, *, on: bool) -> str:
    """Return the session's details with the mark that the user named the session in Stemmata, set or removed."""
    return _with_mark(details, _HERE, on=on)


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


def choices_of(details: str) -> str:
    """Return the details that hold the user's choices for a session, for a new session that is made from it.

    A title that a person gave is one of them: the new session's title is made from it.
    """
    by_hand = with_compacted_by_hand("", on=is_compacted_by_hand(details))
    chosen = with_summariser(by_hand, summariser_of(details))
    named = with_named_in_tool(chosen, on=is_named_by_a_person(details))
    own = _facts(details).get(_VERBOSITY)
    return with_verbosity(named, own) if own in VERBOSITIES else named


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
    found = _facts(details).get(_CONVERSATION) if _KEY in details else None
    return found if isinstance(found, dict) else {}


def conversation_key(details: str) -> str:
    """Return the key of the session's conversation, "" for an ordinary chat."""
    key = conversation_of(details).get(_KEY)
    return key if isinstance(key, str) else ""


def with_conversation_key(details: str, key: str) -> str:
    """Return the session's details with the key of its conversation."""
    return compact_json(_facts(details) | {_CONVERSATION: conversation_of(details) | {_KEY: key}})


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

    A session that is a file of its own has no such time: `services/sessions/source_files.py` looks for the file.
    """
    found = _facts(details).get(_GONE) if _GONE in details else None
    return found if isinstance(found, int) else 0


def with_gone_from_source(details: str, time: int) -> str:
    """Return the session's details with the time (ns) since which its tool no longer has it; 0 removes the mark."""
    facts = {name: value for name, value in _facts(details).items() if name != _GONE}
    if time:
        facts[_GONE] = time
    return compact_json(facts) if facts else ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as the list shows it. Times are in nanoseconds; `key`, `parent` and `leaf` are store keys."""

    key: int
    id: str  # Stemmata's own id: short, unique, never changed
    source: str
    source_id: str
    title: str  # the given name, else the first line of the first prompt, else ""
    named: bool  # whether the title is a given name
    cwd: str
    parent: int | None  # key of the session it was forked from or spawned by
    leaf: int | None
    created_at: int
    updated_at: int
    entries: int
    branches: int  # without branches in the trash
    compactions: int
    context_tokens: int | None  # at the leaf; see `context_kind`
    context_kind: str  # reported | estimated | unknown
    model: str  # "provider/model" in force at the leaf, or ""
    cost: int  # millionths of a dollar over all branches
    starred: bool = False
    archived: bool = False
    trashed: bool = False
    tags: tuple[str, ...] = ()
    path: str = ""  # source file, "" for sessions made here
    details: str = ""
    finalised: int | None = None  # key of the last entry that the stored summary covers; None while it is open

    @property
    def state(self) -> str:
        """`finalised` when the session was left with a summary and got no message since, else `open`."""
        return "open" if self.finalised is None else "finalised"


MAX_TAG_LENGTH = 40  # characters of a tag, so that it fits a row


def normalized_tag(text: str) -> str:
    """Return the typed text as a tag without spaces and `#`, so that `#tag` finds it; "" when nothing is left."""
    return "-".join(text.replace("#", " ").split())[:MAX_TAG_LENGTH]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """Facts about a session as its source states them. Times are in nanoseconds, 0 when unknown."""

    source: str  # "pi", "openclaw", "claude-code", "stemmata"
    source_id: str  # the source's own id of the session; unique per source
    title: str = ""  # the given name; "" lets the first prompt serve as the title
    named: bool = False  # whether a person gave the title in the tool, as far as the source says
    cwd: str = ""
    created_at: int = 0
    parent_source_id: str = ""  # session this one was forked from or spawned by, by its source id
    details: str = ""  # JSON text with the extras of the source (header fields, routing, …)
    tags: tuple[str, ...] = ()  # the tags that a new session gets


@dataclass(frozen=True, slots=True)
class SessionTree:
    """A session with its whole tree, without the content of the entries."""

    session: Session
    tree: Tree


class LeafMove(NamedTuple):
    """One move of a session's leaf, from the entry `before` to the entry `after` (store keys).

    `reason` is import, continue, fork, compact, prune, undo, redo, edit or append. `is_external` is true for a move
    that another process made, or this process before it last opened the archive.
    """

    key: int
    before: int | None
    after: int | None
    time: int
    reason: str
    is_external: bool = False

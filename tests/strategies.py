"""Hypothesis strategies for sessions: random entries and random trees, from tidy to damaged.

Entries are called e0, e1, …; calls come from a small pool of ids, so that results often meet their call, twice, or
never. An entry is one draw from a fixed crowd of shapes, simplest first: drawing each attribute apart takes
milliseconds an entry, and what fails still shrinks to simple entries.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from random import Random

from hypothesis import strategies as st

from stemmata.domain.context.projection import CUT, OUT, SUPERSEDED, WHOLE
from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, FixedParts, Flag, Kind, Role, Usage
from tests.fakes.pictures import png

CALL_IDS = ("c0", "c1", "c2", "call|3", "call:3", "toolu_01-A", "")
TOOLS = ("read", "write", "edit", "bash", "Bash", "apply_patch", "update_plan", "grep", "an odd tool!", "")
PATHS = ("a.py", "src/b.ts", "/tmp/c.txt", "é.md", "")
COMMANDS = ("ls", "pytest -q", "npm test && echo ok", "git status", "rm -rf build", "")
MODELS = (("anthropic", "claude-opus-4-5"), ("openai", "gpt-5"), ("local", "qwen"), ("", ""))
IMAGE = png(1, 1)
DIGEST = hashlib.sha256(IMAGE).hexdigest()

_CROWD = 600
_WORDS = (
    *("yes", "Please fix the é bug.", "never use tabs", "line one\nline two", "x" * 50),
    *("", " ", "\n", "😀", "\ud800", "</summary>", "NO_REPLY"),
)
_SUMMARISED = frozenset({Kind.COMPACTION, Kind.BRANCH_SUMMARY})
_TARGETED = _SUMMARISED | {Kind.LABEL, Kind.PIN, Kind.TOOL_PRUNE, Kind.OMISSION}
_SPOKEN = frozenset({Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.UNKNOWN})
_ROLES = (
    *(Role.USER,) * 3,
    *(Role.ASSISTANT,) * 4,
    *(Role.TOOL_RESULT,) * 4,
    *(Role.BASH_EXECUTION, Role.CUSTOM, Role.SYSTEM, Role.NONE),
)
_FLAGS = (
    *(Flag.NONE,) * 8,
    *(Flag.ENDS_TURN,) * 3,
    *(Flag.FAILED, Flag.ABORTED, Flag.EXCLUDED, Flag.HIDDEN, Flag.INJECTED, Flag.FAILED | Flag.ABORTED),
)
_DETAILS = (
    *("", "{}", '{"exitCode":1}', '{"exitCode":0,"cancelled":true}', '{"readFiles":["r.py"],"modifiedFiles":[]}'),
    *("[1]", "not json", '{"readFiles":[1],"commands":{"a":null}}', "1e999", "null"),
)


def texts() -> st.SearchStrategy[str]:
    """Short texts: blank, plain, several lines, outside the BMP, a lone surrogate, or anything at all."""
    return st.one_of(st.sampled_from(_WORDS), st.text(max_size=20))


def entry_lists(*, damaged: bool = False, min_size: int = 0, max_size: int = 24) -> st.SearchStrategy[list[Entry]]:
    """The entries of one session in the order of writing.

    Parents come earlier, mostly right before. `damaged`: parents are anything, also missing, later, the entry
    itself or a cycle, and now and then an id comes twice.
    """
    return _entry_lists(damaged, min_size, max_size)


@st.composite
def chains(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 24) -> list[Entry]:
    """One path: each entry hangs under the one before it."""
    size = draw(st.integers(min_size, max_size))
    ids = [f"e{at}" for at in range(size)]
    return [_named(draw(shapes()), ids, at, ids[at - 1] if at else None, draw(_places())) for at in range(size)]


def shapes() -> st.SearchStrategy[Entry]:
    """An entry of any kind, without a place in a tree."""
    return st.sampled_from(_crowd())


@st.composite
def _entry_lists(draw: st.DrawFn, damaged: bool, min_size: int, max_size: int) -> list[Entry]:
    size = draw(st.integers(min_size, max_size))
    ids = [f"e{at}" for at in range(size)]
    out: list[Entry] = []
    for at in range(size):
        place = draw(_places())
        before = ids[at - 1] if at else None
        anywhere = [before, None, "missing", *ids] if damaged else [before, None, *ids[:at]]
        parent = before if place % 3 else anywhere[draw(_places()) % len(anywhere)]
        entry = _named(draw(shapes()), ids, at, parent, place)
        repeats = damaged and place % 29 == 28
        out.append(replace(entry, id=ids[place % size]) if repeats else entry)
    return out


def _places() -> st.SearchStrategy[int]:
    return st.integers(0, 60).map(lambda number: 60 - number)


def _named(shape: Entry, ids: list[str], at: int, parent: str | None, place: int) -> Entry:
    targets = (*ids, None, "missing")
    target = targets[(at + place) % len(targets)] if shape.kind in _TARGETED else None
    return replace(shape, id=ids[at], parent=parent, target=target)


@cache
def _crowd() -> tuple[Entry, ...]:
    random = Random(20_251_208)
    simple = (
        Entry(id="", role=Role.USER, blocks=(Text("yes"),)),
        Entry(id="", role=Role.ASSISTANT, blocks=(Text("done"),), flags=Flag.ENDS_TURN),
        Entry(id="", role=Role.ASSISTANT, blocks=(ToolCall("c0", "read", '{"path":"a.py"}'),)),
        Entry(id="", role=Role.TOOL_RESULT, call="c0", tool="read", blocks=(Text("content"),)),
    )
    skills = tuple(
        Entry(id="", kind=Kind.SKILL, name=name, blocks=blocks, flags=flags)
        for name in ("one", "two")
        for blocks in ((Text("Do it so."),), (Text("words " * 40),), ())
        for flags in (Flag.OWN, Flag.OWN, Flag.NONE)
    )
    return simple + tuple(_measured(_shape(random), at) for at in range(_CROWD)) + skills


def _measured(shape: Entry, at: int) -> Entry:
    """Every third report answers a request of Stemmata, which knows the sizes of its parts."""
    sizes = (FixedParts(0, 0), FixedParts(120, 0), FixedParts(900, 4_000))
    return replace(shape, fixed=sizes[at // 3 % 3]) if shape.usage is not None and at % 3 == 0 else shape


def _shape(random: Random) -> Entry:
    kind = random.choice((Kind.MESSAGE,) * 24 + tuple(Kind))
    role = Role.NONE
    if kind is Kind.MESSAGE:
        role = random.choice(_ROLES)
    elif kind is Kind.CUSTOM_MESSAGE:
        role = Role.CUSTOM
    provider, model = random.choice(MODELS)
    says_model = role is Role.ASSISTANT or kind is Kind.MODEL_CHANGE
    is_result = role is Role.TOOL_RESULT
    return Entry(
        id="",
        kind=kind,
        role=role,
        time=random.choice((0, 1, 2, 3, 10**18)),
        blocks=tuple(_blocks(random, kind, role)),
        provider=provider if says_model else "",
        model=model if says_model else "",
        tool=random.choice(TOOLS) if is_result else "",
        call=random.choice(CALL_IDS) if is_result else "",
        name=random.choice(_names(kind)),
        usage=Usage(random.randrange(300_000), 10) if role is Role.ASSISTANT and random.random() < 0.4 else None,
        flags=random.choice(_FLAGS),
        details=random.choice(_DETAILS),
    )


def _names(kind: Kind) -> tuple[str, ...]:
    if kind is Kind.OMISSION:
        return (OUT, CUT, WHOLE, *SUPERSEDED)
    if kind is Kind.TOOL_PRUNE:
        return ("", *TOOLS, "\n".join(TOOLS[:2]))
    return ("", "off", "high", *COMMANDS)


def _blocks(random: Random, kind: Kind, role: Role) -> list[Block]:
    if kind in _SUMMARISED or role is Role.BASH_EXECUTION:
        return [Text(random.choice(_WORDS))] * random.choice((1, 1, 1, 0))
    if kind not in _SPOKEN:
        return []
    if role is Role.ASSISTANT:
        return [_block(random) for _ in range(random.randrange(5))]
    image = Image("image/png", random.choice((DIGEST, "0" * 64)), len(IMAGE))
    return [random.choice((Text(random.choice(_WORDS)), Text("said"), image)) for _ in range(random.randrange(3))]


def _block(random: Random) -> Block:
    signature = random.choice(("", "", "c2ln"))
    text = random.choice(_WORDS)
    return random.choice(
        (
            Text(text, signature),
            Thinking(text, signature),
            Thinking("", signature, redacted=True),
            *(ToolCall(random.choice(CALL_IDS), random.choice(TOOLS), _arguments(random)),) * 3,
            Image("image/png", DIGEST, len(IMAGE)),
            UnknownBlock("web_search", random.choice(('{"type":"web_search"}', "not json"))),
        )
    )


def _arguments(random: Random) -> str:
    """What coding agents send, at times no object or no JSON at all."""
    path, command, text = random.choice(PATHS), random.choice(COMMANDS), random.choice(_WORDS)
    value: object = random.choice(
        (
            {"path": path},
            {"file_path": path, "content": text},
            {"command": command},
            {"command": ["bash", "-lc", command]},
            {"plan": [{"step": text, "status": "completed"}, {"step": "next", "status": "pending"}]},
            {"input": f"*** Begin Patch\n*** Update File: {path}\n*** End Patch"},
            {"path": 1, "command": None, "plan": [None, 3, {"step": []}], "todos": {}},
        )
    )
    return random.choice((json.dumps(value),) * 6 + ("[]", "{", ""))

"""Invented conversations, for measuring summaries without a real session."""

from __future__ import annotations

import json
from random import Random

from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Role

_VERBS = ("add", "change", "explain", "fix", "look at", "move", "remove", "rename", "speed up", "test")
_COMPLAINTS = ("is slow", "looks wrong", "fails for me", "is odd")
_THINGS = (
    "parser", "importer", "window", "list of sessions", "settings page", "cache", "reader", "writer", "test suite",
    "command line", "search index", "log file", "login form", "upload queue", "error message", "layout",
)  # fmt: skip
_REPLIES = (
    "I looked at the {x} and changed how it handles the {y}.", "The {x} now calls the {y} once, not twice.",
    "The {x} is fine; the fault is in the {y}, which I corrected.", "Both the {x} and the {y} are covered by tests.",
    "I moved the {x} next to the {y}, since both change together.",
)  # fmt: skip
RESULT_LINES = 40


def made_up(seed: int, turns: int = 60) -> tuple[Entry, ...]:
    """Return an invented coding conversation; each turn has one or two tool calls. Equal seeds give equal entries."""
    random = Random(f"talk {seed}")  # noqa: S311 - equal seeds give equal conversations
    out: list[Entry] = []
    for turn in range(turns):
        x, y = random.choice(_THINGS), random.choice(_THINGS)
        asked = f"Can you {random.choice(_VERBS)} the {x}? The {y} {random.choice(_COMPLAINTS)}."
        out.append(Entry(id=f"u{turn}", role=Role.USER, blocks=(Text(asked),)))
        for step in range(random.randint(1, 2)):
            path = f"src/{x.split()[0]}/{y.split()[0]}_{turn}.py"
            call = ToolCall(f"c{turn}.{step}", "read", json.dumps({"path": path}))
            out.append(Entry(id=f"a{turn}.{step}", role=Role.ASSISTANT, blocks=(call,)))
            lines = [f"{line}: {random.choice(_THINGS)} = {random.randrange(1000)}" for line in range(RESULT_LINES)]
            out.append(
                Entry(id=f"r{turn}.{step}", role=Role.TOOL_RESULT, tool="read", call=call.id,
                      blocks=(Text("\n".join(lines)),))
            )  # fmt: skip
        said = " ".join(random.choice(_REPLIES).format(x=x, y=y) for _ in range(random.randint(1, 4)))
        out.append(Entry(id=f"e{turn}", role=Role.ASSISTANT, blocks=(Text(said),)))
    return tuple(out)

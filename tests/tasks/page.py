"""The page of the documentation that shows the table."""

from __future__ import annotations

from collections.abc import Sequence

from tests.tasks.steps import Step, steps_of
from tests.tasks.table import GROUPS, Peer, Task

HEAD = """# Sixty tasks

This page lists how many steps a task takes, by mouse and by keyboard. A step is a key or combination of keys, a
click, or a text that is typed; a command of another tool and its argument are two texts. At the beginning of
each task the session is open, and the keyboard focus is in the message, the transcript or the branches. Tests
play the steps of Stemmata in the real window, at a size of 1,440 × 900. In a window of 1,024 × 700 the context
column is hidden: then click the ring under the message instead of *Compact…*, and *Prune tool output* in the
status line instead of *Prune only*.

The other columns count the documented keys of Claude Code (in its full screen mode), and the documented keys
and clicks of Zed's agent panel, both of 2026. “—” means that the task is not possible there, or that no way is
documented. Some of these ways do less than Stemmata's: going back in Claude Code goes only from prompt to
prompt; its export is plain text; Zed's *Review Changes* shows only changes that were not reviewed yet; and
neither tool shows a compaction before it happens. Zed's *Restore Checkpoint* undoes only the agent's changes of
files, and no changes of the user; `Shift+Alt+U` undoes only the last rejection of such a change. `Alt+L` in Zed
goes to the next model that the user has marked as a favourite. If Zed has no key for a task, the steps through
its palette are counted, as they are for Stemmata. Claude Code can remove only sessions in the background from
its list.

In full screen mode Claude Code also takes clicks: a click shows the whole output of a tool call, answers a
question about a tool, or goes to the newest message, and dragging over a text copies it. Each of these is one
step on this page, too.
"""
TABLE = "| task | mouse | keys | Claude Code | Zed, keys | Zed, mouse |\n|---|---|---|---|---|---|"


def page() -> str:
    """Return the page in Markdown."""
    parts = [HEAD]
    for name, tasks in GROUPS:
        rows = "\n".join(map(_row, tasks))
        parts.append(f"## {name}\n\n{TABLE}\n{rows}\n")
    return "\n".join(parts)


def _row(task: Task) -> str:
    cells = (
        task.text, _own(task.mouse), _own(task.keys), _peer(task.claude), _peer(task.zed), _peer(task.zed_mouse),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _own(steps: Sequence[Step]) -> str:
    return f"{steps_of(tuple(steps))}: {_joined([step.words for step in steps])}"


def _peer(steps: Peer) -> str:
    return f"{len(steps)}: {_joined(steps)}" if steps else "—"


def _joined(words: Sequence[str]) -> str:
    """Return the words separated by commas; equal ones in a row are counted."""
    out: list[str] = []
    at = 0
    while at < len(words):
        count = next((n for n in range(1, len(words) - at) if words[at + n] != words[at]), len(words) - at)
        out.append(words[at] if count == 1 else f"{words[at]} {count} times")
        at += count
    return ", ".join(out)

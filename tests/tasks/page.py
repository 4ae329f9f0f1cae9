"""The page of the documentation that shows the table."""

from __future__ import annotations

from collections.abc import Sequence

from tests.tasks.steps import Step, steps_of
from tests.tasks.table import GROUPS, Peer, Task

HEAD = """# Sixty tasks

How many steps a task takes, by mouse and by keyboard. A step is one key or combination of keys, one click, or one
text that is typed; a command of another tool and its argument are two texts. Each task begins where a person is who
wants it: with the session open, and the keyboard in the message, the transcript or the branches. Tests play our steps
in the real window, of 1,440 × 900. In one of 1,024 × 700 the context hides itself: then a click on the ring under the
message is the one on *Compact…*, and a click on *Prune tool output* in the status line the one on *Prune only*.

The other columns count the documented keys of Claude Code (in its full screen mode), and the documented keys and
clicks of Zed's agent panel, both of 2026. “—” means that the task is not possible there, or that no way is
documented. Some ways do less than ours: what goes back in Claude Code goes from prompt to prompt only, its export is
plain text, Zed's *Review Changes* shows only changes that were not reviewed yet, and neither shows a compaction
before it happens. Zed's *Restore Checkpoint* takes back what the agent did to files and nothing that the person did,
and `Shift+Alt+U` only the last rejection of such a change. With `Alt+L` Zed goes to the next one of the models that a
person has marked as favourites. What Zed has no key for is counted through its palette, as ours is. Claude Code takes
only sessions in the background from its list.

In full screen mode Claude Code also takes clicks: one shows the whole output of a tool call, one answers a question
about a tool, one goes to the newest message, and dragging over a text copies it. Each is one step here, too.
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

"""Which keys each action has: those of the table, unless the settings say otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:
    from stemmata.gui.core.actions import ActionSpec

MODIFIED = re.compile(r"(Ctrl|Alt|Meta)\+|F\d+$")


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Shortcuts", text, comment, count)


def readable(keys: str) -> str:
    """The keys as Qt writes them portably, "" for none and for what it cannot read."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText)


def is_typed(keys: str) -> bool:
    """Whether these are keys that people write with: a window that took them could not be written in."""
    first = readable(keys).split(", ")[0].removeprefix("Shift+")
    return bool(first) and not MODIFIED.match(first)


def resolve(table: Iterable[ActionSpec], wanted: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Keys by action id, and what of `wanted` cannot be, in words.

    Two actions never have the same keys: the one that was given them on purpose keeps them, the other goes without.
    """
    specs = {spec.id: spec for spec in table}
    problems: list[str] = []
    chosen: dict[str, str] = {}
    for id, keys in wanted.items():
        if id not in specs:
            problems.append(tr("there is no action “{0}”").format(id))
        elif keys and not readable(keys):
            problems.append(tr("“{0}” are no keys ({1})").format(keys, id))
        elif is_typed(keys):
            problems.append(tr("“{0}” alone would be typed ({1})").format(keys, id))
        elif readable(keys) and readable(keys) in chosen.values():
            problems.append(tr("{0} has two actions, “{1}” goes without").format(keys, id))
        else:
            chosen[id] = readable(keys)
    taken = set(chosen.values())
    default = {id: "" if spec.own_key else readable(spec.shortcut) for id, spec in specs.items()}
    out = {id: chosen.get(id, "" if default[id] in taken else default[id]) for id in specs}
    return out, problems

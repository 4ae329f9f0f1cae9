"""What a screen reader is told of a window, as text: a line for each thing, indented by its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

STATES = (
    "focused", "focusable", "selected", "checked", "checkable", "expanded", "collapsed", "disabled", "editable",
    "readOnly", "modal",
)  # fmt: skip
# Layers that say nothing themselves; what is in them is told in their place.
SILENT = {
    "Client", "Pane", "LayeredPane", "Whitespace", "Splitter", "Filler", "Grouping", "NoRole", "Border", "StaticText",
    "Grip", "ScrollBar",
}  # fmt: skip
PASSING = (
    (re.compile(r"\b\d{1,2}:\d\d\b"), "HH:MM"),
    (re.compile(r"\b\d{1,2} [A-Z][a-z]{2}( \d{4})?\b"), "DAY"),
    (re.compile(r"\b(\d+ (d|h|min) ago|yesterday|just now)\b"), "AGO"),
    (re.compile(r"\b\d+(\.\d)? [kM]B\b"), "SIZE"),
)
MOST = 160  # characters of a text


def told(widget: QWidget) -> QAccessibleInterface:
    """Return what a screen reader is told of a widget."""
    return QAccessible.queryAccessibleInterface(widget)


def tree(widget: QWidget) -> str:
    """Return the visible accessible interfaces of the widget and its children as text."""
    return "".join(_lines(told(widget)))


def interfaces(top: QAccessibleInterface) -> Iterator[tuple[QAccessibleInterface, int]]:
    """Yield every visible interface with its depth in the printed tree."""
    waiting = [(top, 0)]
    while waiting:
        item, depth = waiting.pop()
        if not item.isValid() or item.state().invisible:
            continue
        yield item, depth
        inner = depth if _is_silent(item) else depth + 1
        children: list[QAccessibleInterface | None] = [item.child(at) for at in reversed(range(item.childCount()))]
        waiting += [(child, inner) for child in children if child is not None]


def _lines(top: QAccessibleInterface) -> Iterator[str]:
    for item, depth in interfaces(top):
        if not _is_silent(item):
            yield "  " * depth + line_of(item) + "\n"


def _is_silent(item: QAccessibleInterface) -> bool:
    """Return whether an interface is left out: layers, handles and empty texts."""
    return item.role().name in SILENT and not item.text(QAccessible.Text.Name)


def line_of(item: QAccessibleInterface) -> str:
    """Return the line of an interface, such as `Button “Send” (disabled): why`."""
    texts = {which: lasting(item.text(which)) for which in QAccessible.Text if which.name != "UserText"}
    out, name = item.role().name, labelled(item) or texts[QAccessible.Text.Name]
    if name:
        out += f" “{name}”"
    if texts[QAccessible.Text.Value]:
        out += f" = {texts[QAccessible.Text.Value]}"
    state = item.state()
    states = [name for name in STATES if getattr(state, name)]
    if states:
        out += f" ({', '.join(states)})"
    if texts[QAccessible.Text.Description]:
        out += f": {texts[QAccessible.Text.Description]}"
    return out


def labelled(item: QAccessibleInterface) -> str:
    """Return the text of the label beside a combo box, whose own name is the chosen item."""
    labels = (other for other, relation in item.relations() if relation == QAccessible.RelationFlag.Label)
    return next((lasting(label.text(QAccessible.Text.Name)) for label in labels), "")


def lasting(text: str) -> str:
    """Return the text on one line, without the parts that change from day to day."""
    text = " ".join(text.split())
    for pattern, instead in PASSING:
        text = pattern.sub(instead, text)
    return text if len(text) <= MOST else text[:MOST] + "…"

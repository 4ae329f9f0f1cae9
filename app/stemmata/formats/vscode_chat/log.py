"""Replay the log of a session: the whole document first, then changes of single values and lists in it."""

from __future__ import annotations

from typing import Any

from stemmata.formats.shared.values import mapping, text

REQUESTS = "requests"
ID = "requestId"
_WHOLE, _SET, _PUSH, _DELETE = range(4)
_NOT_THERE = "changes a value that does not exist"


def is_change(record: Any) -> bool:
    """Return whether a record of a file is the document or a change of it."""
    found = mapping(record)
    kind = found.get("kind")
    if kind == _WHOLE and not isinstance(kind, bool):
        return isinstance(found.get("v"), dict)
    return kind in (_SET, _PUSH, _DELETE) and isinstance(found.get("k"), list)


class LoggedDocument:
    """The document after the changes that were read.

    `changed` are the places of the requests that the last change concerned; None when the list may be another one.
    """

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.title = ""  # the last name of the session
        self.changed: range | None = None

    @property
    def requests(self) -> list[Any]:
        """The requests of the session. Each should be an object."""
        found = self.fields.get(REQUESTS)
        return found if isinstance(found, list) else []

    def take(self, change: dict[str, Any]) -> str:
        """Apply a change; return why it cannot be applied, "" when it was."""
        reason = self._apply(change)
        self.title = text(self.fields.get("customTitle")) or self.title
        return reason

    def _apply(self, change: dict[str, Any]) -> str:
        if not is_change(change):
            return "not a change of a chat session"
        if change["kind"] == _WHOLE:
            self.fields, self.changed = change["v"], None
            return ""
        path = change["k"]
        if not path:
            return _NOT_THERE
        self.changed = self._concerned(change)
        holder: Any = self.fields
        for step in path[:-1]:
            holder = _inside(holder, step)
        if change["kind"] == _PUSH:
            return _push(holder, path[-1], change.get("v"), change.get("i"))
        return _set(holder, path[-1], change.get("v"))

    def _concerned(self, change: dict[str, Any]) -> range | None:
        """Return the places of the requests that a change concerns; None when the list may be another one."""
        place, *inside = change["k"]
        if place != REQUESTS:
            return range(0)
        if not inside and change["kind"] == _PUSH:
            size, added = len(self.requests), change.get("v")
            is_cut = _is_place(change.get("i"), size)
            return range(size, size + len(added)) if isinstance(added, list) and not is_cut else None
        if len(inside) > 1 and isinstance(inside[0], int) and inside[1] != ID:
            return range(inside[0], inside[0] + 1)
        return None


def _inside(holder: Any, step: Any) -> Any:
    """Return a value inside another one; None when there is none."""
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    return holder[step] if isinstance(holder, list) and _is_place(step, len(holder)) else None


def _set(holder: Any, step: Any, value: Any) -> str:
    """Set a value; a deleted value becomes None."""
    is_key = isinstance(holder, dict) and isinstance(step, str)
    if not is_key and not (isinstance(holder, list) and _is_place(step, len(holder))):
        return _NOT_THERE
    holder[step] = value
    return ""


def _push(holder: Any, step: Any, values: Any, cut: Any) -> str:
    """Cut a list at a place, if one is given, and append values to it; a list that is missing begins empty."""
    found = _inside(holder, step)
    values = [] if values is None else values
    if found is None and isinstance(holder, dict) and isinstance(step, str):
        found = holder[step] = []
    if not isinstance(found, list) or not isinstance(values, list):
        return _NOT_THERE
    if _is_place(cut, len(found)):
        del found[cut:]
    found += values
    return ""


def _is_place(step: Any, length: int) -> bool:
    return isinstance(step, int) and not isinstance(step, bool) and 0 <= step < length

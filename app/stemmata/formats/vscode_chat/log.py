"""Replay the log of a session: the whole document first, then changes of single values and lists in it."""

from __future__ import annotations

from typing import Any

from stemmata.formats.shared.values import mapping, text

REQUESTS = "requests"
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
    """The document after the changes that were read."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.title = ""  # the last name of the session
        self.changed = -1  # the request in which the last change changed something; -1 for no single one

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests of the session."""
        found = self.fields.get(REQUESTS)
        listed = found if isinstance(found, list) else []
        return [each if isinstance(each, dict) else {"message": each} for each in listed]

    def take(self, change: dict[str, Any]) -> str:
        """Apply a change; return why it cannot be applied, "" when it was."""
        reason = self._apply(change)
        self.title = text(self.fields.get("customTitle")) or self.title
        return reason

    def _apply(self, change: dict[str, Any]) -> str:
        if not is_change(change):
            return "not a change of a chat session"
        self.changed = -1
        if change["kind"] == _WHOLE:
            self.fields = change["v"]
            return ""
        path = change["k"]
        if not path:
            return _NOT_THERE
        if path[0] == REQUESTS and len(path) > 2 and isinstance(path[1], int):
            self.changed = path[1]
        holder: Any = self.fields
        for step in path[:-1]:
            holder = _inside(holder, step)
        if change["kind"] == _PUSH:
            return _push(holder, path[-1], change.get("v"), change.get("i"))
        return _set(holder, path[-1], change.get("v"))


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

"""The query language of the search: words, "quoted phrases", and filters such as `role:user` or `after:2026-09`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

SCOPES = ("active", "abandoned", "all")
# The words that may follow `role:`, and the roles and kinds of entries that each stands for.
ROLES: dict[str, tuple[str, ...]] = {
    "user": ("user",),
    "assistant": ("assistant",),
    "tool": ("toolResult", "bashExecution"),
    "summary": ("compaction", "branch_summary"),
    "note": ("custom", "custom_message"),
    "system": ("system",),
    "any": (),
}
_ROLE_NAMES = {
    "prompt": "user", "prompts": "user", "you": "user", "reply": "assistant", "replies": "assistant",
    "model": "assistant", "tools": "tool", "toolresult": "tool", "result": "tool", "results": "tool",
    "summaries": "summary", "compaction": "summary", "notes": "note", "all": "any",
}  # fmt: skip
_TOKEN = re.compile(r'(?P<name>[A-Za-z]+)(?P<sign>:|[<>]=?)(?P<value>"[^"]*"?|[^\s"]*)|"[^"]*"?|[^\s"]+')
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_NS = 1_000_000_000
_MILLIONTHS = 1_000_000


class QueryError(KnownError):
    """A filter of a query has a value that it cannot take."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A limit of a session's cost in millionths of a dollar. `sign` is <, <=, > or >=."""

    sign: str
    amount: int


@dataclass(frozen=True, slots=True)
class Filters:
    """The conditions that an entry and its session must meet.

    Empty values do not filter; several values of one kind are alternatives. `roles` are roles and kinds as the
    archive names them. Times are in ns: `since` is included, `until` is not. `session` is the key of the only
    session that is searched; no word of a query stands for it.
    """

    roles: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    costs: tuple[Cost, ...] = ()
    starred: bool = False
    images: bool = False
    scope: str = "all"
    session: int | None = None


@dataclass(frozen=True, slots=True)
class FilterWord:
    """A filter as it is typed: where it stands in the text, its name in lower case, its sign and its value."""

    start: int
    end: int
    name: str
    sign: str
    value: str


@dataclass(frozen=True, slots=True)
class Query:
    """A typed query. `words` is the text without the filters."""

    words: str = ""
    filters: Filters = field(default_factory=Filters)

    @property
    def is_empty(self) -> bool:
        """Whether the query would find every entry."""
        return not any(character.isalnum() for character in self.words) and self.filters == Filters()


def parse(text: str, now: datetime) -> Query:
    """Return a typed query. `now` gives the time zone, and the day from which `7d` counts back.

    A filter without a value is ignored, as it is still being typed. Raises QueryError for a value that a filter
    cannot take.
    """
    filters, words, end = Filters(), [], 0
    for word in filter_words(text):
        words.append(text[end : word.start])
        end = word.end
        if word.value:
            filters = replace(filters, **_READERS[word.name](filters, word, now))
    return Query(" ".join(" ".join((*words, text[end:])).split()), filters)


def filter_words(text: str) -> Iterator[FilterWord]:
    """Yield the filters of a typed query, in order. Words such as `https://…` or `std::map` are no filters."""
    for found in _TOKEN.finditer(text):
        name, sign = (found["name"] or "").lower(), found["sign"]
        if name in _READERS and (sign == ":") is not (name == "cost"):
            yield FilterWord(found.start(), found.end(), name, sign, found["value"].strip('"'))


def without(text: str, *names: str) -> str:
    """Return a typed query without the filters of these names."""
    out, end = [], 0
    for word in filter_words(text):
        if word.name in names:
            out.append(text[end : word.start])
            end = word.end
    return " ".join("".join((*out, text[end:])).split())


def with_filter(text: str, name: str, value: str) -> str:
    """Return a typed query with one filter `name:value` instead of all filters of this name; "" removes them."""
    rest = without(text, name)
    quoted = f'"{value}"' if re.search(r"\s", value) else value
    return f"{rest} {name}:{quoted}".strip() if value else rest


def values_of(text: str, name: str) -> tuple[str, ...]:
    """Return the values that a typed query has for a filter, in lower case; those of `role:` by their first name."""
    values = [value for word in filter_words(text) if word.name == name for value in _parts(word)]
    return tuple(_ROLE_NAMES.get(value, value) if name == "role" else value for value in map(str.lower, values))


def _parts(word: FilterWord) -> list[str]:
    """Return the values of a filter; commas separate them."""
    return [part for part in (part.strip() for part in word.value.split(",")) if part]


def _roles(filters: Filters, word: FilterWord, _now: datetime) -> dict[str, Any]:
    names = [_ROLE_NAMES.get(part.lower(), part.lower()) for part in _parts(word)]
    for name in names:
        if name not in ROLES:
            raise QueryError(Phrase("“role:{0}” is unknown. Use one of: {1}.", name, ", ".join(ROLES)))
    return {"roles": (*filters.roles, *(role for name in names for role in ROLES[name]))}


def _texts(attribute: str) -> Callable[[Filters, FilterWord, datetime], dict[str, Any]]:
    def read(filters: Filters, word: FilterWord, _now: datetime) -> dict[str, Any]:
        return {attribute: (*getattr(filters, attribute), *_parts(word))}

    return read


def _since(_filters: Filters, word: FilterWord, now: datetime) -> dict[str, Any]:
    return {"since": _time(word, now)}


def _until(_filters: Filters, word: FilterWord, now: datetime) -> dict[str, Any]:
    return {"until": _time(word, now)}


def _time(word: FilterWord, now: datetime) -> int:
    """Return the beginning of a year, a month or a day in ns; `7d`, `2w`, `3m` and `1y` count back from today."""
    value, today = word.value.lower(), now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if value in ("today", "yesterday"):
            day = today - timedelta(days=value == "yesterday")
        elif ago := _AGO.fullmatch(value):
            day = today - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        elif date := _DATE.fullmatch(value):
            day = today.replace(year=int(date[1]), month=int(date[2] or 1), day=int(date[3] or 1))
        else:
            raise ValueError
        # mktime and the like follow the zone's rules at that day, which `now` may not know
        return int(day.replace(tzinfo=None).timestamp() if now.tzinfo is None else day.timestamp()) * _NS
    except (ValueError, OverflowError, OSError) as error:
        told = Phrase(
            "“{0}:{1}” is not a date. Write 2026-11-25, 2026-11, 2026, today, yesterday, or 7d, 2w, 3m, 1y ago.",
            word.name, word.value,
        )  # fmt: skip
        raise QueryError(told) from error


def _is(_filters: Filters, word: FilterWord, _now: datetime) -> dict[str, Any]:
    return {"starred": _only(word, ("starred",)) == "starred"}


def _has(_filters: Filters, word: FilterWord, _now: datetime) -> dict[str, Any]:
    return {"images": _only(word, ("image", "images")) != ""}


def _in(_filters: Filters, word: FilterWord, _now: datetime) -> dict[str, Any]:
    return {"scope": _only(word, SCOPES)}


def _only(word: FilterWord, known: tuple[str, ...]) -> str:
    value = word.value.lower()
    if value not in known:
        raise QueryError(Phrase("“{0}:{1}” is unknown. Use one of: {2}.", word.name, word.value, ", ".join(known)))
    return value


def _cost(filters: Filters, word: FilterWord, _now: datetime) -> dict[str, Any]:
    try:
        amount = round(float(word.value.removeprefix("$")) * _MILLIONTHS)
    except (ValueError, OverflowError) as error:
        told = Phrase("“cost{0}{1}” is not an amount in dollars. Write cost>0.50.", word.sign, word.value)
        raise QueryError(told) from error
    return {"costs": (*filters.costs, Cost(word.sign, min(amount, 1 << 62)))}


_READERS: dict[str, Callable[[Filters, FilterWord, datetime], dict[str, Any]]] = {
    "role": _roles,
    "tool": _texts("tools"),
    "model": _texts("models"),
    "file": _texts("files"),
    "project": _texts("projects"),
    "source": _texts("sources"),
    "after": _since,
    "before": _until,
    "is": _is,
    "has": _has,
    "in": _in,
    "cost": _cost,
}
FILTERS = tuple(_READERS)

"""What people type, as words, and those as a query of FTS5 that cannot fail."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from stemmata.store.core.stored_text import shown

Term = tuple[str, bool]  # words, whether the last one is a prefix

MANY = 32  # words that a prefix is opened into at most
_INDEXED = frozenset({2, 3})  # lengths of prefixes that the index holds as such
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_TOKEN = re.compile(r"[^\W_]+")
_NO_WORD = re.compile("[\ufffd\U000f0000-\U000fffff]")  # the last are what facets begin with
_NEXT = "SELECT term FROM entries_fts_terms WHERE term >= ? LIMIT 1"


def terms_of(text: str) -> list[Term]:
    """What was typed as (words, prefix): quoted words stay together, the last word is a prefix.

    A single ASCII letter is a whole word even at the end: as a prefix it would fit nearly every entry.
    """
    terms: list[Term] = []
    for found in _TERM.finditer(_NO_WORD.sub(" ", shown(text))):
        phrase, word = found.groups()
        term = word if phrase is None else phrase
        if any(character.isalnum() for character in term):
            terms.append((term, phrase is None and not (len(term) == 1 and term.isascii())))
    return [(term, prefix and at == len(terms) - 1) for at, (term, prefix) in enumerate(terms)]


def fts_query(terms: Iterable[Term]) -> str:
    """Every term quoted, all of them needed."""
    return " AND ".join(f'"{term}"{"*" if prefix else ""}' for term, prefix in terms)


def any_of(words: Iterable[str]) -> str:
    named = " OR ".join(f'"{word}"' for word in words)
    return f"({named})"


def opened(connection: sqlite3.Connection, term: Term) -> str:
    """The query for a term, "" for a prefix that more than MANY words of the archive begin with.

    Of a prefix that the index does not hold FTS5 gathers all entries before it tells the first. The words that begin
    so, named one by one, are read side by side, last written first.
    """
    before, last = _last_token(term)
    if not last or len(last) in _INDEXED or not last.isascii():
        return fts_query([term])
    words = _beginning(connection, last.lower())
    return any_of(f"{before}{word}" for word in words) if words else ""


def shortened(term: Term) -> str:
    """A query that finds what a prefix does and more, the first at once: as much of it as the index holds.

    "" for a single character alone.
    """
    before, last = _last_token(term)
    if len(last) > 1:
        return fts_query([(f"{before}{last[: max(_INDEXED)]}", True)])
    return fts_query([(before, False)]) if before else ""


def _last_token(term: Term) -> tuple[str, str]:
    """What stands before the beginning of a word, and that; "" for a term that is no prefix."""
    tokens = list(_TOKEN.finditer(term[0])) if term[1] else []
    return (term[0][: tokens[-1].start()], tokens[-1][0]) if tokens else (term[0], "")


def _beginning(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """The words that begin so, at least the prefix itself; [] when there are more than MANY."""
    out: list[str] = []
    at = prefix
    while (row := connection.execute(_NEXT, (at,)).fetchone()) and row[0].startswith(prefix):
        if len(out) == MANY:
            return []
        out.append(row[0])
        at = f"{row[0]}\0"
    return out or [prefix]

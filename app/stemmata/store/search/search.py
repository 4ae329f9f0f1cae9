"""Full text: the entries that match, newest first, with snippets."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import orjson

from stemmata.domain.entries.blocks import decode
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.errors import CancelledError
from stemmata.domain.search.hits import Hit, Match, Matches, SearchPage
from stemmata.domain.text.tool_wrappers import without_wrappers
from stemmata.store.core.search_text import in_session, said_by, text_of, with_tool
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, shown
from stemmata.store.entries.tree_loader import OWN, TreeLoader

OPENING, CLOSING = "\ue000", "\ue001"
_BEFORE = 48  # characters before the first match
_LENGTH = 200
_FOLDED = 200_000  # characters looked at when accents have to be taken off first
_MARKS = re.compile("[\u0300-\u036f]")  # accents, taken off their letters
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_WORD = r"[^\W_]"  # what the index takes for a part of a word


class Snippets:
    """Find the terms of one query in texts. A term is its words and whether the last word is a prefix."""

    def __init__(self, terms: Sequence[tuple[str, bool]]) -> None:
        self._patterns = [pattern for term, prefix in terms for pattern in _patterns(term, prefix=prefix)]
        self._folded = [pattern for term, prefix in terms for pattern in _patterns(fold(term), prefix=prefix)]

    def of(self, text: str) -> str:
        """Return one line with the matches between U+E000 and U+E001; without a match, the beginning of the text."""
        text = text.replace(OPENING, " ").replace(CLOSING, " ")
        found = None if text.isascii() else self._window(text, fold(text[:_FOLDED]), self._folded)
        found = found or self._window(text, text, self._patterns)
        return _line(text, 0, ()) if found is None else found

    def fit(self, text: str) -> bool:
        """Return whether any term is in the text."""
        plain = text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", text))
        return any(pattern.search(plain) for pattern in self._folded)

    @staticmethod
    def _window(text: str, searched: str, patterns: Sequence[re.Pattern[str]]) -> str | None:
        """Return the first window that holds the most terms, as a line."""
        starts = sorted(match.start() for pattern in patterns if (match := pattern.search(searched)))
        best: tuple[int, int] | None = None
        for start in starts:
            begin = max(0, start - _BEFORE)
            score = sum(1 for pattern in patterns if pattern.search(searched, begin, begin + _LENGTH))
            if best is None or score > best[0]:
                best = score, begin
        if best is None:
            return None
        spans = {
            match.span() for pattern in patterns for match in pattern.finditer(searched, best[1], best[1] + _LENGTH)
        }
        return _line(text, best[1], sorted(spans))


def fold(text: str) -> str:
    """Return the text without accents, each character at its position."""
    return _FOREIGN.sub(lambda match: unicodedata.normalize("NFD", match[0])[0], text)


def _patterns(term: str, *, prefix: bool) -> list[re.Pattern[str]]:
    words = re.findall(f"{_WORD}+", term)
    if not words:
        return []
    end = f"{_WORD}*" if prefix else f"(?!{_WORD})"
    between = r"[\W_]+"
    return [re.compile(f"(?<!{_WORD}){between.join(map(re.escape, words))}{end}", re.IGNORECASE)]


def _line(text: str, begin: int, spans: Sequence[tuple[int, int]]) -> str:
    end = begin + _LENGTH
    if begin:
        begin = min(text.find(" ", begin, begin + _BEFORE // 2) + 1 or begin, spans[0][0] if spans else end)
    parts: list[str] = []
    at = begin
    for start, stop in spans:
        if start >= at:
            parts += [text[at:start], OPENING, text[start:stop], CLOSING]
            at = stop
    parts.append(text[at : max(at, end)])
    line = " ".join("".join(parts).split())
    return f"{'…' if begin else ''}{line}{'…' if end < len(text) else ''}"


Term = tuple[str, bool]  # words, whether the last one is a prefix

MANY = 32  # words that a prefix is opened into at most
_INDEXED = frozenset({2, 3})  # lengths of prefixes that the index holds as such
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_TOKEN = re.compile(r"[^\W_]+")
_NO_WORD = re.compile("[\ufffd\U000f0000-\U000fffff]")  # the last are what facets begin with
_NEXT = "SELECT term FROM entries_fts_terms WHERE term >= ? LIMIT 1"


def terms_of(text: str) -> list[Term]:
    """Return the terms of a typed query: quoted words stay together, the last unquoted word is a prefix.

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
    """Return the FTS5 query that needs all terms."""
    return " AND ".join(f'"{term}"{"*" if prefix else ""}' for term, prefix in terms)


def any_of(words: Iterable[str]) -> str:
    """Return the FTS5 query that needs one of the words."""
    named = " OR ".join(f'"{word}"' for word in words)
    return f"({named})"


def opened(connection: sqlite3.Connection, term: Term) -> str:
    """Return the FTS5 query of a term; "" for a prefix of more than MANY words of the archive.

    For a prefix that the index does not hold, FTS5 collects all entries before it returns the first. The words with
    this prefix, named one by one, are merged newest first instead.
    """
    before, last = _last_token(term)
    if not last or len(last) in _INDEXED or not last.isascii():
        return fts_query([term])
    words = _beginning(connection, last.lower())
    return any_of(f"{before}{word}" for word in words) if words else ""


def shortened(term: Term) -> str:
    """Return a faster FTS5 query that finds what a prefix finds and more; "" for a single character alone."""
    before, last = _last_token(term)
    if len(last) > 1:
        return fts_query([(f"{before}{last[: max(_INDEXED)]}", True)])
    return fts_query([(before, False)]) if before else ""


def _last_token(term: Term) -> tuple[str, str]:
    """Return a prefix term as the text before its last word, and that word ("" if the term is no prefix)."""
    tokens = list(_TOKEN.finditer(term[0])) if term[1] else []
    return (term[0][: tokens[-1].start()], tokens[-1][0]) if tokens else (term[0], "")


def _beginning(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Return the indexed words with this prefix, at least the prefix itself; [] for more than MANY."""
    out: list[str] = []
    at = prefix
    while (row := connection.execute(_NEXT, (at,)).fetchone()) and row[0].startswith(prefix):
        if len(out) == MANY:
            return []
        out.append(row[0])
        at = f"{row[0]}\0"
    return out or [prefix]


MOST = 1000  # hits are counted, ordered and paged up to this many
FEWER = 100  # the same where a prefix stands for many words
CHECKED, BATCH = 768, 64  # entries that are read to find those, and at a time
LENGTH = 2_000_000  # characters of theirs
AGAIN = 4  # large entries of a page that are read whole
STEPS = 100  # of SQLite's virtual machine, one or two milliseconds of the full text: how often a search asks to go on
_AFTER_ALL = 1 << 62
_WHO = {kind.text: said_by(Role.NONE, kind) for kind in Kind} | {
    role.text: said_by(role, Kind.MESSAGE) for role in Role if role
}


class SearchRepository:
    """Search the full text."""

    def __init__(self, connection: sqlite3.Connection, tree_loader: TreeLoader) -> None:
        self._connection = connection
        self._tree_loader = tree_loader

    def matches(
        self, query: str, *, session: int | None, role: str, tool: str, limit: int, stopped: Callable[[], bool]
    ) -> Matches:
        """Return the newest of the `MOST` matches written last (`FEWER`, or `limit`, for a prefix of many words).

        Raises CancelledError soon after `stopped` returns true.
        """
        terms = terms_of(query)
        if not terms or (role and role not in _WHO):
            return Matches()
        with _stopping(self._connection, stopped):
            facets, members = ([], None) if session is None else self._within(session)
            narrow = [*_facets(role, tool), *facets, *(opened(self._connection, term) for term in terms[:-1])]
            keys, more = self._written_last(narrow, terms[-1], members, max(FEWER, limit))
        (text,) = self._connection.execute(_BY_TIME, (_array(keys),)).fetchone()
        return Matches(tuple(Match(session, key, Kind(kind)) for session, key, kind in orjson.loads(text)), more)

    def _within(self, session: int) -> tuple[list[str], str | None]:
        """Return the facets of the session's entries; for a fork that shares entries, also their keys as JSON."""
        members = self._tree_loader.members(session)
        if members == OWN:
            return [any_of([in_session(session)])], None
        query = f"SELECT json_group_array(DISTINCT session), json_group_array(key) FROM {members}"
        owners, keys = self._connection.execute(query, (session,)).fetchone()
        return [any_of(map(in_session, orjson.loads(owners)))], keys

    def _written_last(self, narrow: list[str], last: Term, members: str | None, fewer: int) -> tuple[list[int], bool]:
        """Return the keys of narrowed entries with the last term, and whether there are more."""
        words, wider = opened(self._connection, last), shortened(last)
        if not words and wider:
            found = self._checked([*narrow, wider], last, members, fewer + 1)
            if found is not None:
                return found[:fewer], len(found) > fewer
        found = self._keys([*narrow, words or fts_query([last])], members, MOST + 1)
        return found[:MOST], len(found) > MOST

    def _checked(self, match: list[str], term: Term, members: str | None, most: int) -> list[int] | None:
        """Return the keys of those whose text has the term; None if that takes too much reading."""
        snippets, below, length, again = Snippets([term]), _AFTER_ALL, 0, AGAIN
        found: list[int] = []
        for _ in range(CHECKED // BATCH):
            keys = self._keys(match, members, BATCH, below)
            for row in sorted(self._texts(keys), key=_key, reverse=True):
                text = _text(row)
                if _is_cut(row) and not snippets.fit(text) and again:
                    again -= 1
                    text = _text(self._texts([_key(row)], "body")[0])
                length += len(text)
                if snippets.fit(text):
                    found.append(_key(row))
                elif length > LENGTH or (_is_cut(row) and not again):
                    return None
            if len(found) >= most or len(keys) < BATCH:
                return found
            below = keys[-1]
        return None

    def _keys(self, match: list[str], members: str | None, most: int, below: int = _AFTER_ALL) -> list[int]:
        """Return the keys of matching entries, last written first."""
        shared = "" if members is None else "AND +entries_fts.rowid IN (SELECT value FROM json_each(?2))"
        query = f"""
            SELECT json_group_array(hit) FROM (SELECT rowid AS hit FROM entries_fts
            WHERE entries_fts MATCH ?1 AND rowid < {below} {shared} ORDER BY rowid DESC LIMIT {most})"""
        words = " AND ".join(match)
        parameters = (words,) if members is None else (words, members)
        keys: list[int] = orjson.loads(self._connection.execute(query, parameters).fetchone()[0])
        return keys

    def page(self, query: str, matches: Matches, limit: int, offset: int) -> SearchPage:
        """Return one page of the matches with snippets."""
        keys = [match.entry for match in matches.found[offset : offset + limit]]
        return SearchPage(len(matches.found), self.hits(query, keys), matches.more)

    def hits(self, query: str, keys: Sequence[int]) -> tuple[Hit, ...]:
        """Return snippets in the order of the keys. Large entries are read by their heads, a few of them whole."""
        snippets, again = Snippets(terms_of(query)), AGAIN
        found = {}
        for row in self._texts(keys):
            hit = _hit(row, snippets)
            if _is_cut(row) and OPENING not in hit.snippet and again:
                again -= 1
                hit = _hit(self._texts([hit.entry], "body")[0], snippets)
            found[hit.entry] = hit
        return tuple(found[key] for key in keys)

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the texts of entries without the wrappers of tools; of large entries only the beginning."""
        return {_key(row): without_wrappers(_text(row)).strip() for row in self._texts(keys)}

    def _texts(self, keys: Sequence[int], body: str = "ifnull(head, body)") -> list[list[Any]]:
        """Return the columns from which the text of an entry is computed."""
        query = _HITS.format(body)
        rows: list[list[Any]] = from_json(self._connection.execute(query, (_array(keys),)).fetchone()[0])
        return rows


def _hit(row: list[Any], snippets: Snippets) -> Hit:
    session, key, id, role, kind, time, *_ = row
    text = _text(row)
    snippet = snippets.of(
        without_wrappers(text)
    )  # without the wrappings of commands, if it is not there that the match is
    if OPENING not in snippet:  # the match lies inside a tool's wrapper
        snippet = snippets.of(text)
    return Hit(session, key, restored(id), Role(role), Kind(kind), time, snippet)


def _key(row: list[Any]) -> int:
    key: int = row[1]
    return key


def _text(row: list[Any]) -> str:
    *_, role, kind, _time, name, body = row
    return shown(text_of(decode(body["b"]), restored(name), Role(role), Kind(kind)))


def _is_cut(row: list[Any]) -> bool:
    return bool(row[-1].get("cut"))


@contextmanager
def _stopping(connection: sqlite3.Connection, stopped: Callable[[], bool]) -> Iterator[None]:
    """Interrupt queries of the block soon after `stopped` returns true."""
    connection.set_progress_handler(stopped, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise CancelledError("The search was stopped.") from error
    finally:
        connection.set_progress_handler(None, 0)


def _facets(role: str, tool: str) -> list[str]:
    """Return the facets of a role and a tool. Tool names differ between programs in the case of a letter."""
    names = sorted({tool, tool.lower(), tool.capitalize()} - {""})
    return [any_of(words) for words in ([_WHO[role]] if role else [], [with_tool(name) for name in names]) if words]


def _array(keys: Sequence[int]) -> str:
    return f"[{','.join(map(str, keys))}]"


_BY_TIME = """
    SELECT json_group_array(json_array(session, key, kind)) FROM (
        SELECT session, entries.key, kind
        FROM (SELECT value AS hit FROM json_each(?)) CROSS JOIN entries ON entries.key = hit
        ORDER BY time DESC, entries.key DESC)"""

_HITS = """
    SELECT '[' || ifnull(group_concat(
        '[' || session || ',' || entries.key || ',' || json_quote(entries.id) || ',' || role || ',' || kind || ','
        || time || ',' || json_quote(name) || ',' || {} || ']'), '') || ']'
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN entries ON entries.key = wanted
    CROSS JOIN bodies ON bodies.key = wanted"""

"""Words from any place of a text are found, marked and counted as a slow and plain comparison says."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime
from random import Random

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.search.needle import terms_needle
from stemmata.domain.search.query import parse
from stemmata.domain.search.terms import terms_of
from stemmata.store.reader import Reader
from stemmata.store.search.snippets import OPENING
from tests.unit.store.conftest import Filled

PIECES = (
    *("FAILED", "naïve", "Straße", "snake_case", "camelCase", "HTTPServer2", "v1.20.3", "a@example.org", "/usr/lib"),
    *("Donaudampfschiff", "مرحبا", "كِتَاب", "สวัสดี", "Ελλάδα", "ΣΊΣΥΦΟΣ", "İstanbul", "ﬁne", "e\u0301clair", "हिन्दी"),
    *(
        "数据库",
        "连接",
        "データ",
        "데이터",
        "API를",
        "使用Python编写",
        "𠮷野家",
        "😀",
        "👩\u200d💻",
        "x",
        "7",
        "don't",
        "№5",
        "½",
    ),
)
JOINTS = (" ", "\n", "-", "_", ".", "", "\t", "\x1b[31m", "、", "\u200b", "\u00ad")


def is_cjk(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA", "HANGUL"))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case without accents; each character written without spaces is one."""
    out: list[str] = []
    current = ""
    for character in unicodedata.normalize("NFC", text):
        plain = unicodedata.normalize("NFD", character.lower())[0]
        if is_cjk(character):
            out += [*filter(None, [current]), character]
            current = ""
        elif unicodedata.category(character)[0] in "LN":
            current += plain
        else:
            out += filter(None, [current])
            current = ""
    return out + [current] * bool(current)


def holds(text: str, query: str) -> bool:
    """Return whether a text has each term of the query: its words in a row, the last one as a beginning."""
    found = words(text)
    return all(
        any(_begins(found[at:], words(term), prefix=prefix) for at in range(len(found)))
        for term, prefix in terms_of(query)
    )


def _begins(found: list[str], wanted: list[str], *, prefix: bool) -> bool:
    if len(found) < len(wanted) or found[: len(wanted) - 1] != wanted[:-1]:
        return False
    last = found[len(wanted) - 1]
    return last.startswith(wanted[-1]) if prefix else last == wanted[-1]


def texts(dice: Random) -> Iterator[str]:
    for _ in range(40):
        yield "".join(part for _ in range(dice.randint(1, 6)) for part in (dice.choice(PIECES), dice.choice(JOINTS)))


def queries(dice: Random) -> Iterator[str]:
    for _ in range(150):
        kind, word, other = dice.random(), dice.choice(PIECES), dice.choice(PIECES)
        if kind < 0.3:
            yield word[: dice.randint(1, len(word))]
        elif kind < 0.5:
            yield f'"{word}{dice.choice((" ", "-"))}{other}"'
        elif kind < 0.7:
            yield f"{word} {other[: dice.randint(1, len(other))]}"
        else:
            yield word


@pytest.mark.parametrize("seed", range(2))
def test_what_is_found_is_what_a_plain_comparison_finds(filled: Filled, seed: int) -> None:
    dice = Random(seed)
    said = list(texts(dice))
    entries = [Entry(id=str(at), role=Role.TOOL_RESULT, blocks=(Text(text),)) for at, text in enumerate(said)]
    keys = filled.append(filled.session(), entries)
    asked = list(queries(dice))
    assert filled.archive.read(lambda reader: list(_wrong(reader, keys, said, asked))).result() == []


def _wrong(
    reader: Reader, keys: Sequence[int], said: Sequence[str], asked: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield what differs: where, for which query, in which text."""
    for query in asked:
        found = {match.entry for match in reader.find(parse(query, datetime(2026, 11, 26))).found}
        needle = terms_needle(terms_of(query))
        for key, text in zip(keys, said, strict=True):
            read = text.replace("\x1b[31m", "")
            expected = holds(read, query)
            if (key in found) != expected:
                yield "index", query, read
            if expected and terms_of(query):
                [hit] = reader.hits(query, [key])
                if OPENING not in hit.snippet:
                    yield "snippet", query, read
                if not needle.is_in(read):
                    yield "needle", query, read

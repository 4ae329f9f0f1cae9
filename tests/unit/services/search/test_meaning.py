"""Search by meaning: what is embedded, how hits are ranked, and what is said when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from stemmata.bootstrap.core import Core, open_core
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import CancelledError, KnownError
from stemmata.domain.search.embedding import packed
from stemmata.domain.search.hits import SearchPage
from stemmata.domain.search.query import parse
from stemmata.domain.search.results import Results
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.settings.settings import SearchSettings
from stemmata.services.ports.providers import Provider
from stemmata.services.search.meaning import Meaning
from stemmata.system.settings.schema import Settings
from stemmata.system.settings.settings import LoadedSettings
from tests.fakes.scripted_provider import ScriptedProvider

MEANINGS = {"cat": (1, 0, 0), "feline": (0.99, 0.1, 0), "dog": (0, 1, 0), "invoice": (0, 0, 1)}


class Words:
    """An embedding model that knows four words."""

    model, batch = "words", 2

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        self.asked.append(list(texts))
        return [packed(next((MEANINGS[word] for word in MEANINGS if word in text), (0, 0, 0))) for text in texts]


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Core]:
    core = open_core(tmp_path / "archive.db", LoadedSettings(Settings(), path=tmp_path / "settings.toml"))
    yield core
    core.close()


@pytest.fixture
def words(core: Core) -> Words:
    """Search by meaning, switched on with this model."""
    words = Words()
    core.services.__dict__["chat_ports"] = replace(core.services.chat_ports, local_embedder=lambda: words)
    core.services.adopt_search(SearchSettings(meaning="local"))
    return words


def say(core: Core, *texts: str, source_id: str = "one") -> list[int]:
    session = core.store.write(
        lambda writer: writer.create_session(SessionInfo(source="pi", source_id=source_id, created_at=1))
    ).result()
    entries = [Entry(id=f"{source_id}{at}", role=Role.USER, blocks=(Text(text),)) for at, text in enumerate(texts)]
    return core.store.write(lambda writer: writer.append(session, entries)).result()


def found(page: SearchPage) -> list[int]:
    return [hit.entry for hit in page.hits]


def test_a_text_of_similar_meaning_is_found_without_its_word(core: Core, words: Words) -> None:
    cat, dog, _ = say(core, "the cat sleeps", "the dog barks", "an invoice")
    assert core.services.meaning.update().result() == 3
    page = core.services.meaning.search("feline").result()
    assert found(page) == [cat]
    assert core.services.searching.search("feline").result().hits == ()
    assert words.asked[:2] == [["the cat sleeps", "the dog barks"], ["an invoice"]]
    assert found(core.services.meaning.search("dog").result()) == [dog]


def test_hits_of_both_rankings_come_first(core: Core, words: Words) -> None:
    keys = say(core, "feline food", "cat", "unknown cat words")
    core.services.meaning.update().result()
    page = core.services.meaning.search("cat").result()
    assert set(found(page)) == set(keys)
    assert found(page)[-1] == keys[0]  # the only one without the word
    assert page.total == 3


def test_an_update_embeds_only_what_is_new(core: Core, words: Words) -> None:
    say(core, "cat")
    counts: list[int] = []
    assert core.services.meaning.update(counts.append).result() == 1
    assert core.services.meaning.update(counts.append).result() == 0
    say(core, "dog", source_id="two")
    assert core.services.meaning.update(counts.append).result() == 1
    assert words.asked == [["cat"], ["dog"]]
    assert counts == [1, 1]


def test_hits_of_one_session(core: Core, words: Words) -> None:
    say(core, "cat")
    (other,) = say(core, "cat again", source_id="two")
    core.services.meaning.update().result()
    session = core.store.read(lambda reader: reader.sessions()).result()
    key = next(one.key for one in session if one.source_id == "two")
    assert found(core.services.meaning.search("feline", session=key).result()) == [other]


def results(core: Core, text: str) -> Results:
    return core.services.meaning.find(parse(text, datetime(2026, 11, 25))).result()


def test_results_have_the_nearest_texts_and_the_words_together(core: Core, words: Words) -> None:
    cat, both, dog = say(core, "the cat sleeps", "feline cat food", "the dog barks")
    core.services.meaning.update().result()
    found = results(core, "feline")
    assert {hit.entry for hit in found.hits} == {cat, both}
    assert (found.by_rank, found.counts, set(found.read)) == (True, {"user": 2}, {cat, both})
    assert dog not in found.read


def test_filters_narrow_results_by_meaning(core: Core, words: Words) -> None:
    cat, _other = say(core, "the cat sleeps", "a dog")
    (two,) = say(core, "cat again", source_id="two")
    core.services.meaning.update().result()
    core.store.write(lambda writer: writer.update_session(2, starred=True)).result()
    assert [hit.entry for hit in results(core, "feline is:starred").hits] == [two]
    assert results(core, "feline role:assistant").hits == ()
    assert results(core, "feline tool:bash").hits == ()
    assert results(core, "feline file:cat.py").hits == ()
    scoped = results(core, "feline in:abandoned")
    assert (scoped.hits, {hit.entry for hit in scoped.unsorted}) == ((), {cat, two})
    core.store.write(lambda writer: writer.update_session(2, trashed=True)).result()
    assert [hit.entry for hit in results(core, "feline").hits] == [cat]


def test_results_by_meaning_stop_when_asked(core: Core, words: Words) -> None:
    with pytest.raises(CancelledError):
        core.services.meaning.find(parse("cat", datetime(2026, 11, 25)), stopped=lambda: True).result()


def test_several_places_are_searched_with_one_question_to_the_model(core: Core, words: Words) -> None:
    (one,) = say(core, "cat")
    (other,) = say(core, "cat again", source_id="two")
    core.services.meaning.update().result()
    words.asked.clear()
    session = core.store.read(lambda reader: reader.sessions()).result()
    key = next(one.key for one in session if one.source_id == "two")
    everywhere, here = core.services.meaning.search_places("feline", [(None, 5), (key, 5)]).result()
    assert (set(found(everywhere)), found(here)) == ({one, other}, [other])
    assert words.asked == [["feline"]]
    assert core.services.meaning.search_places(" ", [(None, 5), (key, 5)]).result() == (SearchPage(0, ()),) * 2


def test_an_empty_query_finds_nothing(core: Core, words: Words) -> None:
    assert core.services.meaning.search("  ").result() == SearchPage(0, ())
    assert words.asked == []


def test_a_stopped_search_is_cancelled(core: Core, words: Words) -> None:
    with pytest.raises(CancelledError):
        core.services.meaning.search("cat", stopped=lambda: True).result()


def test_without_a_model_the_error_says_what_to_do(core: Core) -> None:
    assert not core.services.searches_meaning
    for future in (core.services.meaning.search("cat"), core.services.meaning.update()):
        with pytest.raises(KnownError, match="is off"):
            future.result()


def test_the_settings_turn_it_on(core: Core, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[search]\nmeaning = "local"\n')
    preferred = core.services.preferences.read().result()
    assert preferred.search.meaning == "local"
    assert core.services.searches_meaning


class Vectors(ScriptedProvider):
    """A server that answers with these vectors."""

    def __init__(self, *answers: Sequence[Sequence[float]]) -> None:
        super().__init__(Connection(name="home", model="of-the-connection"))
        self.answers, self.models_asked = list(answers), list[str]()

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.models_asked.append(model)
        return self.answers.pop(0)

    async def provider_for(self, name: str) -> tuple[Provider, Connection]:
        assert name == "home"
        return self, self.connection


def by_server(core: Core, server: Vectors, model: str = "") -> Meaning:
    settings = SearchSettings("connection", "home", model)
    return Meaning(core.store, core.services.chat_ports.loop, server, lambda: settings, Words)


@pytest.mark.parametrize(("model", "asked"), [("", "of-the-connection"), ("nomic", "nomic")])
def test_a_server_computes_the_vectors(core: Core, model: str, asked: str) -> None:
    cat, _ = say(core, "cat", "dog")
    server = Vectors([[2.0, 0.0], [0.0, 2.0]], [[1.0, 0.1]])
    meaning = by_server(core, server, model)
    assert meaning.update().result() == 2
    assert found(meaning.search("a word that no entry has").result()) == [cat]
    assert server.models_asked == [asked, asked]


@pytest.mark.parametrize("answer", [[], [[1.0]], [[1.0], [1.0, 2.0]], [[], []], [[1.0]] * 3])
def test_an_answer_without_a_vector_for_each_text_is_an_error(core: Core, answer: list[list[float]]) -> None:
    say(core, "cat", "dog")
    with pytest.raises(ProviderError, match="no usable vectors") as caught:
        by_server(core, Vectors(answer)).update().result()
    assert caught.value.fault is Fault.GARBAGE


def test_two_updates_run_one_after_the_other(core: Core, words: Words) -> None:
    say(core, "cat", "dog", "invoice")
    meaning = core.services.meaning

    async def both() -> list[int]:
        return list(await asyncio.gather(*(asyncio.wrap_future(meaning.update()) for _ in range(2))))

    assert sorted(core.services.chat_ports.loop.run(both()).result()) == [0, 3]

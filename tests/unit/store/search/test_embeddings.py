"""Vectors are stored for prompts, summaries and titles, and the nearest are found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.search.embedding import LONGEST_TEXT, EmbeddingBatch, EmbeddingText, Neighbour, packed
from stemmata.store.search import embeddings
from tests.unit.store.conftest import Filled

MODEL = "a-model"


def prompt(id: str, text: str, **facts: Any) -> Entry:
    return replace(Entry(id=id, role=Role.USER, blocks=(Text(text),)), **facts)


def waiting(filled: Filled, limit: int = 100) -> EmbeddingBatch:
    return filled.archive.read(lambda reader: reader.unembedded(MODEL, limit)).result()


def store(filled: Filled, batch: EmbeddingBatch, vectors: Sequence[Sequence[float]]) -> None:
    made = [packed(vector) for vector in vectors]
    filled.archive.write(lambda writer: writer.add_embeddings(MODEL, batch, made)).result()


def nearest(
    filled: Filled, vector: Sequence[float], limit: int = 10, session: int | None = None
) -> tuple[Neighbour, ...]:
    return filled.archive.read(lambda reader: reader.nearest(MODEL, packed(vector), limit, session=session)).result()


def rename(filled: Filled, session: int, title: str) -> None:
    filled.archive.write(lambda writer: writer.update_session(session, title=title)).result()


def delete(filled: Filled, session: int) -> None:
    filled.archive.write(lambda writer: writer.delete_session(session)).result()


def texts(batch: EmbeddingBatch) -> list[str]:
    return [text.text for text in batch.texts]


def test_prompts_and_summaries_wait_but_not_other_entries(filled: Filled) -> None:
    filled.append(filled.session(), [
        prompt("a", "a prompt"), prompt("b", "<system-reminder>", flags=Flag.INJECTED), prompt("c", ""),
        Entry(id="d", role=Role.ASSISTANT, blocks=(Text("a reply"),)),
        Entry(id="e", kind=Kind.COMPACTION, blocks=(Text("a summary"),)),
        Entry(id="f", kind=Kind.BRANCH_SUMMARY, blocks=(Text("of a branch"),)),
    ])  # fmt: skip
    batch = waiting(filled)
    assert texts(batch) == ["a prompt", "a summary", "of a branch"]
    store(filled, batch, [[1.0, 0.0]] * 3)
    assert waiting(filled) == EmbeddingBatch((), batch.upto, more=False)


def test_batches_go_on_where_the_last_one_ended(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.append(filled.session(), [prompt(str(at), f"prompt {at}") for at in range(5)])
    monkeypatch.setattr(embeddings, "SCANNED", 3)
    found = []
    batch = waiting(filled, 2)
    while batch.texts or batch.more:
        found += texts(batch)
        store(filled, batch, [[1.0, 0.0]] * len(batch.texts))
        batch = waiting(filled, 2)
    assert found == [f"prompt {at}" for at in range(5)]


def test_a_stretch_without_prompts_is_passed_over(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [Entry(id=str(at), role=Role.ASSISTANT, blocks=(Text("reply"),)) for at in range(4)]
    filled.append(filled.session(), [*replies, prompt("last", "the prompt")])
    monkeypatch.setattr(embeddings, "SCANNED", 4)
    first = waiting(filled)
    assert (first.texts, first.more) == ((), True)
    store(filled, first, [])
    batch = waiting(filled)
    assert texts(batch) == ["the prompt"]
    store(filled, batch, [[1.0, 0.0]])
    assert len(nearest(filled, [1.0, 0.0])) == 1
    assert waiting(filled).texts == ()


def test_a_changed_title_is_given_again_and_replaces_its_vector(filled: Filled) -> None:
    session = filled.session()
    (key,) = filled.append(session, [prompt("a", "hello")])
    rename(filled, session, "Old title")
    batch = waiting(filled)
    assert [(text.entry, text.text) for text in batch.texts] == [(None, "Old title\n"), (key, "hello")]
    store(filled, batch, [[1.0, 0.0], [0.0, 1.0]])
    assert [found.entry for found in nearest(filled, [1.0, 0.0])] == [key, key]
    rename(filled, session, "New title")
    batch = waiting(filled)
    assert texts(batch) == ["New title\n"]
    store(filled, batch, [[-1.0, 0.0]])
    assert [round(found.score) for found in nearest(filled, [1.0, 0.0])] == [0, -1]


def test_many_titles_fill_a_batch_of_their_own(filled: Filled) -> None:
    for name in "abc":
        session = filled.session(name)
        rename(filled, session, name)
    first = waiting(filled, 2)
    assert (texts(first), first.more) == (["a\n", "b\n"], True)
    store(filled, first, [[1.0]] * 2)
    assert texts(waiting(filled, 2)) == ["c\n"]


def test_the_title_of_a_session_without_a_prompt_is_no_hit(filled: Filled) -> None:
    session = filled.session()
    rename(filled, session, "Empty")
    store(filled, waiting(filled), [[1.0, 0.0]])
    assert nearest(filled, [1.0, 0.0]) == ()


def test_the_nearest_come_first_and_their_cosine_is_right(filled: Filled) -> None:
    session = filled.session()
    keys = filled.append(session, [prompt(str(at), f"prompt {at}") for at in range(3)])
    store(filled, waiting(filled), [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = nearest(filled, [1.0, 0.0])
    assert [one.entry for one in found] == [keys[0], keys[2], keys[1]]
    assert [one.score for one in found] == pytest.approx([1, 0.5**0.5, 0], abs=2e-3)
    assert {one.session for one in found} == {session}
    assert [one.entry for one in nearest(filled, [1.0, 0.0], 1)] == [keys[0]]


def test_vectors_that_were_added_later_are_found(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [prompt("a", "first")])
    assert nearest(filled, [1.0, 0.0]) == ()
    store(filled, waiting(filled), [[0.0, 1.0]])
    assert len(nearest(filled, [1.0, 0.0])) == 1
    (key,) = filled.append(session, [prompt("b", "second")])
    store(filled, waiting(filled), [[1.0, 0.0]])
    assert next(one.entry for one in nearest(filled, [1.0, 0.0])) == key


def test_the_signs_choose_the_candidates(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "CANDIDATES", 4)
    random = np.random.default_rng(1)
    vectors = random.normal(size=(40, 64))
    keys = filled.append(filled.session(), [prompt(str(at), f"prompt {at}") for at in range(40)])
    store(filled, waiting(filled), vectors.tolist())
    for at in (0, 17, 39):
        assert nearest(filled, vectors[at].tolist(), 1)[0].entry == keys[at]


def test_one_session_is_searched_whole_however_near_the_others_are(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "CANDIDATES", 2)
    near, far = filled.session(), filled.session("two")
    filled.append(near, [prompt(str(at), f"prompt {at}") for at in range(20)])
    keys = filled.append(far, [prompt("x", "far away"), prompt("y", "farther away")])
    rename(filled, far, "Title")
    store(filled, waiting(filled), [[0.5, -1.0], *[[1.0, 0.1]] * 20, [0.5, -1.0], [-1.0, -1.0]])
    assert {one.session for one in nearest(filled, [1.0, 0.1], 10)} == {near}
    found = nearest(filled, [1.0, 0.1], 2, session=far)
    assert [one.entry for one in found] == [keys[0], keys[0]]  # the title stands for the first prompt
    assert nearest(filled, [1.0, 0.1], 10, session=filled.session("three")) == ()


def test_vectors_of_deleted_sessions_are_found_no_more(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [prompt("a", "hello")])
    store(filled, waiting(filled), [[1.0, 0.0]])
    assert nearest(filled, [1.0, 0.0])
    delete(filled, session)
    assert nearest(filled, [1.0, 0.0]) == ()


def test_texts_that_were_deleted_meanwhile_are_left_out(filled: Filled) -> None:
    session, other = filled.session(), filled.session("two")
    filled.append(session, [prompt("a", "hello")])
    rename(filled, other, "Title")
    batch = waiting(filled)
    delete(filled, session)
    delete(filled, other)
    store(filled, batch, [[1.0, 0.0], [1.0, 0.0]])
    assert nearest(filled, [1.0, 0.0]) == ()


def test_vectors_of_another_length_begin_anew(filled: Filled) -> None:
    filled.append(filled.session(), [prompt("a", "hello")])
    store(filled, waiting(filled), [[1.0, 0.0]])
    assert nearest(filled, [1.0, 0.0, 0.0]) == ()  # the stored ones cannot be compared
    filled.append(filled.session("two"), [prompt("b", "world")])
    store(filled, waiting(filled), [[1.0, 0.0, 0.0]])  # the model was changed on its server
    assert texts(waiting(filled)) == ["hello", "world"]
    store(filled, waiting(filled), [[1.0, 0.0, 0.0]] * 2)
    assert len(nearest(filled, [1.0, 0.0, 0.0])) == 2


def test_models_are_apart(filled: Filled) -> None:
    filled.append(filled.session(), [prompt("a", "hello")])
    store(filled, waiting(filled), [[1.0, 0.0]])
    other = filled.archive.read(lambda reader: reader.unembedded("another", 10)).result()
    assert texts(other) == ["hello"]
    filled.archive.write(lambda writer: writer.add_embeddings("another", other, [packed([0.0, 1.0])])).result()
    found = filled.archive.read(lambda reader: reader.nearest("another", packed([0.0, 1.0]), 5)).result()
    assert [round(one.score) for one in found] == [1]
    assert [round(one.score) for one in nearest(filled, [1.0, 0.0])] == [1]


def test_a_text_is_cut(filled: Filled) -> None:
    filled.append(filled.session(), [prompt("a", "x" * 100_000)])
    (text,) = waiting(filled).texts
    assert isinstance(text, EmbeddingText)
    assert len(text.text) == LONGEST_TEXT


def test_without_numpy_the_error_says_what_to_install(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.append(filled.session(), [prompt("a", "hello")])
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(KnownError, match="needs numpy"):
        store(filled, waiting(filled), [[1.0, 0.0]])
    with pytest.raises(KnownError, match="needs numpy"):
        nearest(filled, [1.0, 0.0])

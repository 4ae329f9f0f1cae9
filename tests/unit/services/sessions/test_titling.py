"""Titles that a model suggests: asked for, stored, undone."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.chat.streaming import ProviderError
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.sessions.details import is_named_here
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.services.sessions.titling import MESSAGES, Titling
from stemmata.system.loop import IoLoop
from tests.fakes.summary_model import SummaryModel
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records

TITLES = ["Words that count", "Repair"]


def titling(bench: Bench, loop: IoLoop, model: SummaryModel, *offered: str) -> Titling:
    def known(_name: str) -> Future[tuple[OfferedModel, ...]]:
        out: Future[tuple[OfferedModel, ...]] = Future()
        out.set_result(tuple(OfferedModel(id=id) for id in offered))
        return out

    cheap = Model("small", input_price=1, output_price=5)
    catalogue = Catalogue({"small": cheap, "large": Model("large", input_price=3, output_price=15)})
    return Titling(bench.archive, bench.services.sessions.notices, loop, model, known, lambda: catalogue)


@pytest.fixture
def two(bench: Bench, talk: Records) -> list[SessionTree]:
    """Two sessions, of which the first has more messages than the model gets."""
    rows = [(str(at), str(at - 1) if at else None, ("user", "assistant")[at % 2], f"words {at}") for at in range(7)]
    return [bench.imported(talk("a", *rows)), bench.imported(talk("b", ("1", None, "user", "Fix it please")))]


def session(bench: Bench, made: SessionTree) -> Session:
    return bench.services.sessions.get(made.session.key).result()


def test_titles_are_asked_for_one_by_one_and_stored(bench: Bench, loop: IoLoop, two: list[SessionTree]) -> None:
    told = list[ChangeSet]()
    bench.services.sessions.notices.subscribe(told.append)
    model = SummaryModel("“Words that count.”\n", "# Repair")
    keys = [each.session.key for each in two]
    done = titling(bench, loop, model).suggest(keys, "c", "small").result(PATIENCE)
    assert [(change.session, change.title) for change in done.made] == [
        (keys[0], "Words that count"),
        (keys[1], "Repair"),
    ]
    assert done.error is None
    assert [session(bench, each).title for each in two] == TITLES
    assert is_named_here(session(bench, two[0]).details)
    assert len(told) == 1
    sent = str(model.asked[0]["messages"])
    assert f"words {MESSAGES - 1}" in sent
    assert f"words {MESSAGES}" not in sent


def test_undo_gives_the_titles_back_unless_they_changed_meanwhile(
    bench: Bench, loop: IoLoop, two: list[SessionTree]
) -> None:
    keys = [each.session.key for each in two]
    bench.services.sessions.rename(keys[1], "Mine").result()
    titles = titling(bench, loop, SummaryModel("One", "Two"))
    made = titles.suggest(keys, "c", "small").result(PATIENCE).made
    titles.undo(made).result(PATIENCE)
    first, second = (session(bench, each) for each in two)
    assert (first.title, first.named, is_named_here(first.details)) == ("words 0", False, False)
    assert (second.title, is_named_here(second.details)) == ("Mine", True)
    again = titling(bench, loop, SummaryModel("One", "Two")).suggest(keys, "c", "small").result(PATIENCE).made
    bench.services.sessions.rename(keys[0], "Better").result()
    bench.services.sessions.delete([keys[1]]).result()
    titles.undo(again).result(PATIENCE)
    assert session(bench, two[0]).title == "Better"


def test_what_was_made_before_an_error_stays(bench: Bench, loop: IoLoop, two: list[SessionTree]) -> None:
    keys = [each.session.key for each in two]
    done = titling(bench, loop, SummaryModel("One")).suggest(keys, "c", "small").result(PATIENCE)
    assert (len(done.made), str(done.error)) == (1, "Overloaded.")
    with pytest.raises(ProviderError):
        titling(bench, loop, SummaryModel()).suggest(keys, "c", "small").result(PATIENCE)


def test_a_session_without_a_person_and_an_empty_answer_change_nothing(
    bench: Bench, loop: IoLoop, talk: Records
) -> None:
    quiet = bench.imported(talk("q", ("1", None, "assistant", "Hello")))
    asked = bench.imported(talk("e", ("1", None, "user", "Hello")))
    model = SummaryModel(" ** ")
    keys = [quiet.session.key, asked.session.key]
    assert titling(bench, loop, model).suggest(keys, "c", "small").result(PATIENCE).made == ()
    assert len(model.asked) == 1


def test_the_cheapest_known_model_is_asked(bench: Bench, loop: IoLoop) -> None:
    def chosen(*offered: str) -> str:
        return titling(bench, loop, SummaryModel(), *offered).model("c", "mine").result(PATIENCE)

    assert chosen("large-20250101", "small-latest", "small-2025-01-01", "small-tts") == "small-2025-01-01"
    assert chosen("large", "other") == "large"
    assert chosen("small-tts", "other") == chosen() == "mine"

"""What the services say of a session and of the archive."""

from __future__ import annotations

from tests.unit.services.conftest import Bench, Records


def test_a_reply_without_usage_counts_as_nothing(bench: Bench, talk: Records) -> None:
    rows = (("1", None, "user", "Read it"), ("2", "1", "call", "a.md"), ("3", "2", "toolResult", "text"))
    session = bench.imported(talk("w", *rows, ("4", "3", "assistant", "Read.")))
    facts = bench.services.facts(session.session.key).result()
    assert (facts.path.sent, facts.path.output) == (1, 0)


def test_the_place_is_the_file_of_the_archive(bench: Bench) -> None:
    assert bench.services.place == str(bench.folder / "archive" / "archive.db")

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.leaf_history import LeafHistory, _replayed
from stemmata.domain.entries.session_facts import LeafMove

Step = tuple[int | None, int | None, str]


def moves(*steps: Step) -> list[LeafMove]:
    return [LeafMove(at, before, after, at, reason) for at, (before, after, reason) in enumerate(steps)]


def history_of(*steps: Step) -> LeafHistory:
    return LeafHistory.of(reversed(moves(*steps)))


def asked_for(log: Sequence[LeafMove]) -> int:
    """Return how many of these moves, from the newest on, are read."""
    count = 0

    def counted() -> Iterator[LeafMove]:
        nonlocal count
        for move in reversed(log):
            count += 1
            yield move

    LeafHistory.of(counted())
    return count


def test_the_move_of_the_import_cannot_be_undone() -> None:
    assert history_of((None, 5, "import")) == LeafHistory()


def test_undo_and_redo_walk_the_log() -> None:
    log: list[Step] = [(None, 5, "import"), (5, 3, "continue"), (3, 9, "compact"), (9, 3, "undo")]
    history = history_of(*log)
    assert history.next_undo is not None
    assert (history.next_undo.before, history.next_undo.after) == (5, 3)
    assert history.next_redo is not None
    assert history.next_redo.after == 9
    redone = history_of(*log, (3, 9, "redo"))
    assert redone.next_redo is None
    assert redone.next_undo is not None
    assert redone.next_undo.after == 9


def test_a_new_move_discards_undone_moves() -> None:
    history = history_of((None, 5, "import"), (5, 3, "continue"), (3, 5, "undo"), (5, 1, "continue"))
    assert history.next_redo is None
    assert history.next_undo is not None
    assert history.next_undo.after == 1


def test_stray_undos_and_redos_count_as_moves() -> None:
    log: list[Step] = [(None, 1, "undo"), (1, 2, "redo"), (2, 3, "import")]
    for count in (1, 2, 3):
        found = history_of(*log[:count]).next_undo
        assert found is not None
        assert found.after == count


@given(st.lists(st.sampled_from(("import", "fork", "continue", "append", "undo", "undo", "redo")), max_size=30))
def test_reading_only_the_needed_moves_gives_the_same_history(reasons: list[str]) -> None:
    log = moves(*((at, at + 1, reason) for at, reason in enumerate(reasons)))
    assert LeafHistory.of(reversed(log)) == _replayed(log)


@pytest.mark.parametrize("turns", [100, 400])
def test_a_long_log_is_read_from_its_end(turns: int) -> None:
    log = moves(*((at, at + 1, "append") for at in range(turns)))
    assert asked_for(log) == 1
    undone = moves(
        *((at, at + 1, "append") for at in range(turns)), *((0, 0, "undo"), (0, 0, "undo"), (0, 0, "redo"))
    )
    assert asked_for(undone) == 5
